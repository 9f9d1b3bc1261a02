// SPDX-License-Identifier: Apache-2.0
// Everything behind one address: pages, API, event streams, health, and what others mount.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/http/server.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/assets.hpp"
#include "dragoman/web/feed.hpp"
#include "dragoman/web/gate.hpp"
#include "dragoman/web/route.hpp"

namespace dragoman::web {

struct AppOptions {
  ApiOptions api;
  FeedOptions feed;
  GateOptions gate;
  std::vector<RouteSpec> mounted;  // /mcp, webhooks
};

// The head fields that every response carries: what a browser must not do with it.
[[nodiscard]] http::Fields security_fields();
// What the server refuses before any route is asked, as the API says it.
[[nodiscard]] http::Response refused_head(int status, std::string_view why);

// What a Host field may say for a server at that address.
[[nodiscard]] std::vector<std::string> own_hosts(const std::string& host, std::uint16_t port);

class App {
 public:
  App(task::Service& service, std::shared_ptr<Token> token, AppOptions options);

  [[nodiscard]] http::Decide decide();
  // The server that asks decide(), for /metrics; it must stop before this goes away.
  void attach(const http::Server* server) { server_ = server; }
  // Before the first request.
  void allow_hosts(std::vector<std::string> hosts);

  [[nodiscard]] const Router& router() const { return router_; }
  [[nodiscard]] Feed& feed() { return feed_; }

 private:
  [[nodiscard]] http::Decision decide(const http::Request& head);
  [[nodiscard]] std::optional<http::Response> page(const http::Request& head) const;
  [[nodiscard]] std::optional<http::Response> page_for_nothing(const http::Request& head) const;
  [[nodiscard]] http::Response log_in(const Call& call);
  [[nodiscard]] http::Response metrics();
  [[nodiscard]] http::Response ready();
  void add_own_routes();

  task::Service& service_;
  Feed feed_;
  Api api_;
  Assets assets_;
  Gate gate_;
  LoginCodes codes_;
  Router router_;
  std::atomic<const http::Server*> server_ = nullptr;
};

}  // namespace dragoman::web
