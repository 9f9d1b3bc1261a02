// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/head.hpp"

#include <algorithm>
#include <charconv>

#include "dragoman/base/ascii.hpp"

namespace dragoman::http {

namespace {

constexpr std::size_t kMostFields = 100;

bool is_token_char(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return ascii::is_alnum(c) || kOthers.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

std::string_view trimmed(std::string_view text) { return ascii::trimmed(text, " \t"); }

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

bool lists(std::string_view value, std::string_view word) {
  while (!value.empty()) {
    const std::string_view item = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), item.size() + 1));
    if (ascii::lowered(trimmed(item)) == word) return true;
  }
  return false;
}

// One line without its CRLF; a lone CR or LF is none.
std::optional<std::string_view> next_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos || end == 0 || bytes[end - 1] != '\r') return std::nullopt;
  const std::string_view line = bytes.substr(0, end - 1);
  bytes.remove_prefix(end + 1);
  if (std::any_of(line.begin(), line.end(), is_control)) return std::nullopt;
  return line;
}

bool read_target(std::string_view target, Request& request) {
  const bool plain = std::none_of(target.begin(), target.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F;
  });
  if (!plain || target.empty() || target.front() != '/') return false;
  request.target = target;
  const std::size_t question = std::min(target.find('?'), target.size());
  auto path = percent_decoded(target.substr(0, question));
  if (!path) return false;
  request.path = *std::move(path);
  request.query = target.substr(std::min(target.size(), question + 1));
  return true;
}

// "http://host:port/path", which a server has to take too (RFC 9112, 3.2.2): what lies behind the
// authority, which is left in `authority`. Other targets as they are; empty: broken.
std::string_view without_authority(std::string_view target, std::string& authority) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const std::string name = ascii::lowered(target.substr(0, scheme));
  if (name != "http" && name != "https") return {};
  const std::string_view rest = target.substr(scheme + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  authority = rest.substr(0, end);
  // A name and password in front of it could make one host look like another.
  if (authority.empty() || authority.find('@') != std::string::npos) return {};
  if (end == rest.size()) return "/";
  return rest.substr(end);
}

bool read_request_line(std::string_view line, Head& head, BadHead& bad) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  bad = {400, "the request line is not METHOD TARGET VERSION"};
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view version = line.substr(last + 1);
  if (!is_token(line.substr(0, first)) || version.substr(0, 5) != "HTTP/") return false;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    bad = {505, "only HTTP/1.1 is spoken here"};
    return false;
  }
  head.http_1_0 = version == "HTTP/1.0";
  head.request.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  return read_target(without_authority(target, head.authority), head.request);
}

bool read_fields(std::string_view bytes, Fields& fields, BadHead& bad) {
  for (;;) {
    const auto line = next_line(bytes);
    bad = {400, "a header line is broken"};
    if (!line) return false;
    if (line->empty()) return true;
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos || !is_token(line->substr(0, colon))) return false;
    fields.add(std::string(line->substr(0, colon)), std::string(trimmed(line->substr(colon + 1))));
    if (fields.all().size() > kMostFields) {
      bad = {431, "too many header fields"};
      return false;
    }
  }
}

// Content-Length and Transfer-Encoding: one of them, once, and plain.
bool read_framing(Head& head, BadHead& bad) {
  const Fields& fields = head.request.fields;
  const std::size_t lengths = fields.count("Content-Length");
  const std::size_t codings = fields.count("Transfer-Encoding");
  bad = {400, "the length of the body is not clear"};
  if (lengths + codings > 1) return false;
  if (codings == 1) {
    if (head.http_1_0) return false;
    bad = {501, "the only transfer coding known here is chunked"};
    head.chunked = ascii::lowered(*fields.find("Transfer-Encoding")) == "chunked";
    return head.chunked;
  }
  if (lengths == 0) return true;
  const std::string_view text = *fields.find("Content-Length");
  if (text.empty() || text.size() > 18) return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), head.length);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t searched) {
  // Also where lines end without a carriage return: that head is refused, and not waited for.
  const std::size_t from = searched < 3 ? 0 : searched - 3;
  const std::size_t good = bytes.find("\n\r\n", from);
  const std::size_t bare = bytes.substr(0, good).find("\n\n", from);
  if (bare != std::string_view::npos) return bare + 2;
  if (good == std::string_view::npos) return std::nullopt;
  return good + 3;
}

std::optional<Head> read_head(std::string_view bytes, BadHead& bad) {
  Head head;
  const auto line = next_line(bytes);
  bad = {400, "the request line is broken"};
  if (!line || !read_request_line(*line, head, bad)) return std::nullopt;
  if (!read_fields(bytes, head.request.fields, bad)) return std::nullopt;
  if (!read_framing(head, bad)) return std::nullopt;
  const Fields& fields = head.request.fields;
  bad = {400, "one Host field is needed"};
  if (fields.count("Host") > 1 || (fields.count("Host") == 0 && !head.http_1_0))
    return std::nullopt;
  // What the target names counts, and is judged, in place of the field.
  if (!head.authority.empty()) head.request.fields.set("Host", head.authority);
  const auto connection = fields.find("Connection").value_or("");
  head.keep_alive = head.http_1_0 ? lists(connection, "keep-alive") : !lists(connection, "close");
  head.wants_continue = ascii::lowered(fields.find("Expect").value_or("")) == "100-continue";
  return head;
}

}  // namespace dragoman::http
