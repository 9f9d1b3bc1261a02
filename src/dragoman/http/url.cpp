// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/http/client.hpp"

namespace dragoman::http {
namespace {

Error wrong(std::string_view text, std::string_view why) {
  return {ErrorCode::validation, fmt::format("'{}': {}", text.substr(0, 200), why),
          std::string(kNotSent)};
}

bool this_machine(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::optional<std::string> form_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out.push_back(' ');
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = ascii::hex_value(text[i + 1]);
      const int low = ascii::hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

// Splits host and port off the front of `rest`.
bool take_authority(std::string_view& rest, Url& url) {
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, end);
  rest.remove_prefix(end);
  if (authority.find('@') != std::string_view::npos) return false;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return false;
    url.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    authority.remove_prefix(colon);
  }
  if (!authority.empty()) {
    if (authority.front() != ':') return false;
    url.port = authority.substr(1);
    if (url.port.empty() || url.port.size() > 5 ||
        url.port.find_first_not_of("0123456789") != std::string::npos)
      return false;
  }
  return !url.host.empty();
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://") || rest.starts_with("wss://")) {
    url.port = "443";
  } else if (rest.starts_with("http://") || rest.starts_with("ws://")) {
    url.tls = false;
    url.port = "80";
  } else {
    return wrong(text, "a URL has to begin with https://");
  }
  rest.remove_prefix(rest.find("://") + 3);
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F;
  };
  if (!std::ranges::all_of(text, plain)) return wrong(text, "a URL has no blanks or controls");
  if (!take_authority(rest, url)) return wrong(text, "not a URL with a host");
  url.host = ascii::lowered(url.host);
  if (!url.tls && !this_machine(url.host))
    return wrong(text, "plain http goes to this machine alone; use https");
  rest = rest.substr(0, rest.find('#'));
  if (!rest.empty())
    url.target = rest.starts_with('/') ? std::string(rest) : fmt::format("/{}", rest);
  return url;
}

std::string Url::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  return port == (tls ? "443" : "80") ? name : fmt::format("{}:{}", name, port);
}

std::string_view ClientResponse::field(std::string_view name) const {
  const auto same = [&](const auto& field) { return ascii::same_letters(field.first, name); };
  const auto found = std::ranges::find_if(fields, same);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string url_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (ascii::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::optional<std::string> form_field(std::string_view body, std::string_view name) {
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    return form_decoded(pair.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace dragoman::http
