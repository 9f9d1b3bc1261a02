// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/gate.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman::web {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// Whether the field has that cookie. There may be others of its name: any server of the host may
// set one, for a path that is longer.
bool has_cookie(std::string_view field, std::string_view name, std::string_view value) {
  while (!field.empty()) {
    std::string_view pair = field.substr(0, field.find(';'));
    field.remove_prefix(std::min(field.size(), pair.size() + 1));
    while (!pair.empty() && pair.front() == ' ') pair.remove_prefix(1);
    if (pair.substr(0, name.size()) == name && pair.substr(name.size(), 1) == "=" &&
        same_secret(pair.substr(name.size() + 1), value))
      return true;
  }
  return false;
}

}  // namespace

std::string cookie_name(const http::Request& head) {
  const std::string_view host = head.fields.find("Host").value_or("");
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == host.npos;
  return has_port ? fmt::format("dragoman-{}", host.substr(colon + 1)) : "dragoman";
}

bool Gate::is_own_origin(std::string_view origin, std::string_view host) const {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  if (origin.starts_with(kPlain)) return origin.substr(kPlain.size()) == host;
  return origin.starts_with(kSecure) && origin.substr(kSecure.size()) == host &&
         contains(options_.proxied, host);
}

std::optional<Refusal> Gate::check_origin(const http::Request& head) const {
  const std::string_view host = head.fields.find("Host").value_or("");
  // No browser comes by a Unix socket; programs call it so.
  const bool by_socket = head.peer.user && host == "localhost";
  if (!by_socket && !contains(options_.hosts, host) && !contains(options_.proxied, host))
    return Refusal{403, "host", "this server does not answer under that name"};
  const std::size_t origins = head.fields.count("Origin");
  const std::string_view origin = head.fields.find("Origin").value_or("");
  if (origins > 1 || (origins == 1 && !is_own_origin(origin, host)))
    return Refusal{403, "origin", "pages of other sites may not ask here"};
  if (head.peer.user && *head.peer.user != ::geteuid() && *head.peer.user != 0)
    return Refusal{403, "user", "this socket belongs to another user"};
  return std::nullopt;
}

Identity Gate::identity(const http::Request& head) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (head.fields.count("Authorization") == 1) {
    const std::string_view given = *head.fields.find("Authorization");
    // A wrong bearer is not saved by a right cookie.
    // The name of a scheme has no case (RFC 9110, 11.1), the token has.
    return ascii::same_letters(given.substr(0, kBearer.size()), kBearer) &&
                   token_->is_bearer(given.substr(std::min(given.size(), kBearer.size())))
               ? Identity::bearer
               : Identity::nobody;
  }
  if (head.fields.count("Authorization") > 1 || head.fields.count("Cookie") != 1)
    return Identity::nobody;
  const std::string name = cookie_name(head);
  return has_cookie(*head.fields.find("Cookie"), name, token_->cookie(name)) ? Identity::cookie
                                                                             : Identity::nobody;
}

std::optional<Refusal> Gate::check_token(const http::Request& head, Identity who) const {
  if (options_.open) return std::nullopt;
  if (who == Identity::nobody)
    return Refusal{401, "token",
                   "a token is needed: open the address that 'dragoman serve' printed"};
  if (who == Identity::bearer) return std::nullopt;
  const std::string_view site = head.fields.find("Sec-Fetch-Site").value_or("same-origin");
  const bool from_page = site == "same-origin" || site == "none";
  if (!from_page || (!is_safe(head.method) && head.fields.count("Origin") != 1))
    return Refusal{403, "origin", "what changes something must come from our own page"};
  return std::nullopt;
}

}  // namespace dragoman::web
