// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_url.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/duration.hpp"

namespace dragoman {

namespace {

constexpr std::string_view kPlain = "nats://";
constexpr std::string_view kTls = "tls://";

Error bad(std::string_view what) {
  return {ErrorCode::validation, fmt::format("--store: {}", what), "bad_value"};
}

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return head;
}

// 500m, 20g, or plain bytes.
Result<std::int64_t> parse_bytes(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    unit = last == 'k' ? 1024 : last == 'm' ? 1024 * 1024 : last == 'g' ? 1024 * 1024 * 1024 : 1;
    if (unit != 1) text.remove_suffix(1);
  }
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number <= 0 ||
      number > (std::int64_t{1} << 50) / unit)
    return bad("events_bytes is a number, with k, m or g behind it");
  return number * unit;
}

Result<void> take_option(NatsUrl& url, std::string_view name, std::string_view value) {
  if (name == "credentials") {
    url.credentials = value;
  } else if (name == "ca") {
    url.ca = value;
  } else if (name == "certificate") {
    url.certificate = value;
  } else if (name == "key") {
    url.key = value;
  } else if (name == "replicas") {
    if (value != "1" && value != "3" && value != "5") return bad("replicas is 1, 3 or 5");
    url.replicas = value.front() - '0';
  } else if (name == "events_age") {
    DRAGOMAN_TRY(url.events_age, parse_duration(value));
  } else if (name == "events_bytes") {
    DRAGOMAN_TRY(url.events_bytes, parse_bytes(value));
  } else {
    return bad(
        fmt::format("'{}' is not known; there are credentials, ca, certificate, key, "
                    "replicas, events_age and events_bytes",
                    name));
  }
  return {};
}

bool is_space_name(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::is_alnum(c) || c == '_' || c == '-';
  });
}

}  // namespace

bool is_nats_url(std::string_view text) {
  return text.starts_with(kPlain) || text.starts_with(kTls);
}

Result<NatsUrl> parse_nats_url(std::string_view text) {
  NatsUrl url;
  url.tls = text.starts_with(kTls);
  if (!is_nats_url(text)) return bad("a cluster is nats://host:port or tls://host:port");
  text.remove_prefix(url.tls ? kTls.size() : kPlain.size());
  std::string_view rest = take_until(text, '?');
  std::string_view hosts = take_until(rest, '/');
  while (!hosts.empty()) {
    std::string host(take_until(hosts, ','));
    if (host.empty()) return bad("a server's name is empty");
    url.servers.push_back((url.tls ? "tls://" : "nats://") + host);
  }
  if (url.servers.empty()) return bad("a server's name has to follow nats://");
  if (!rest.empty()) {
    if (!is_space_name(rest))
      return bad("behind the / stands the fleet's name: letters, digits, - and _, at most 32");
    url.space = rest;
  }
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    const std::string_view name = take_until(value, '=');
    DRAGOMAN_CHECK(take_option(url, name, value));
  }
  if (url.certificate.empty() != url.key.empty()) return bad("certificate and key go together");
  return url;
}

std::string shown(const NatsUrl& url) {
  std::vector<std::string> hosts;
  for (const auto& server : url.servers) {
    const std::size_t begin = server.find("://") + 3;
    const std::size_t at = server.rfind('@');
    hosts.push_back(server.substr(at == std::string::npos || at < begin ? begin : at + 1));
  }
  return fmt::format("{}{}/{}", url.tls ? kTls : kPlain, fmt::join(hosts, ","), url.space);
}

}  // namespace dragoman
