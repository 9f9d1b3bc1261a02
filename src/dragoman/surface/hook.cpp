// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/hook.hpp"

#include <algorithm>
#include <charconv>

#include "dragoman/base/ascii.hpp"
#include "dragoman/http/signature.hpp"

namespace dragoman::surface {
namespace {

// Whether the time was signed just now. Only digits: "+5" or " 5" is not how anybody signs.
bool is_now(std::string_view timestamp, std::int64_t now_s) {
  std::int64_t time = 0;
  const char* const end = timestamp.data() + timestamp.size();
  const auto [stop, fault] = std::from_chars(timestamp.data(), end, time);
  if (timestamp.empty() || timestamp.size() > 12 || fault != std::errc() || stop != end || time < 0)
    return false;
  return time - now_s <= kHookWindow && now_s - time <= kHookWindow;
}

}  // namespace

std::string_view HookRequest::field(std::string_view name) const {
  const auto same = [name](const std::pair<std::string, std::string>& field) {
    return ascii::same_letters(field.first, name);
  };
  // A field that is there twice was put together by somebody in between.
  if (std::ranges::count_if(fields, same) != 1) return {};
  return std::ranges::find_if(fields, same)->second;
}

bool signed_by_github(std::string_view secret, std::string_view header, std::string_view body) {
  if (secret.empty()) return false;
  return http::same_secret(header, "sha256=" + http::hmac_sha256_hex(secret, body));
}

bool signed_by_slack(std::string_view secret, std::string_view header, std::string_view timestamp,
                     std::string_view body, std::int64_t now_s) {
  if (secret.empty() || !is_now(timestamp, now_s)) return false;
  std::string message = "v0:";
  message.append(timestamp).append(":").append(body);
  return http::same_secret(header, "v0=" + http::hmac_sha256_hex(secret, message));
}

bool signed_by_discord(std::string_view public_key, std::string_view signature,
                       std::string_view timestamp, std::string_view body, std::int64_t now_s) {
  if (public_key.empty() || !is_now(timestamp, now_s)) return false;
  return http::verify_ed25519(public_key, signature, std::string(timestamp).append(body));
}

}  // namespace dragoman::surface
