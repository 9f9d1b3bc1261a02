// SPDX-License-Identifier: Apache-2.0
// Who may come in, decided by the head of a request alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/http/message.hpp"
#include "dragoman/web/token.hpp"

namespace dragoman::web {

// Changes nothing.
[[nodiscard]] inline bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD";
}

struct GateOptions {
  std::vector<std::string> hosts;    // exactly what a Host field may say: "127.0.0.1:4777"
  std::vector<std::string> proxied;  // names under which a proxy of ours serves it, also by https
  bool open = false;                 // no token is asked for: the conformance fixture
};

enum class Access : std::uint8_t {
  anyone,  // health, static files, the login itself, webhooks (which check a signature)
  token,
};

struct Refusal {
  int status = 403;
  std::string code;
  std::string message;
};

enum class Identity : std::uint8_t { nobody, bearer, cookie };

// A browser sends the cookies of one port of a host to every port of it: this one is named after
// the port that the browser asked, so that two servers do not take each other's away.
[[nodiscard]] std::string cookie_name(const http::Request& head);

class Gate {
 public:
  Gate(GateOptions options, std::shared_ptr<Token> token)
      : options_(std::move(options)), token_(std::move(token)) {}

  // Before the first request: the port is known only when the server listens.
  void allow(std::vector<std::string> hosts) { options_.hosts = std::move(hosts); }

  // Host and Origin: a page of another site, or one that rebinds its name to our address, gets
  // nothing. First of all, whatever is asked for.
  [[nodiscard]] std::optional<Refusal> check_origin(const http::Request& head) const;

  // By the token or the cookie made of it.
  [[nodiscard]] Identity identity(const http::Request& head) const;
  // Whether `who` may come in; what changes something by cookie has to come from our own page.
  [[nodiscard]] std::optional<Refusal> check_token(const http::Request& head, Identity who) const;
  [[nodiscard]] const GateOptions& options() const { return options_; }
  [[nodiscard]] Token& token() const { return *token_; }

 private:
  [[nodiscard]] bool is_own_origin(std::string_view origin, std::string_view host) const;

  GateOptions options_;
  std::shared_ptr<Token> token_;
};

}  // namespace dragoman::web
