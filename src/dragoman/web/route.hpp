// SPDX-License-Identifier: Apache-2.0
// One row of the table of routes: what is asked for, who may, and what answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/http/server.hpp"
#include "dragoman/web/gate.hpp"

namespace dragoman::web {

// A request that has been let in.
struct Call {
  std::shared_ptr<const http::Request> request;
  std::vector<std::string> parts;  // what stood in the braces of the path, decoded
  Identity identity = Identity::nobody;
};

// The Content-Type a body must have. A page of another site cannot send JSON without asking first,
// so what takes a body takes JSON wherever it can.
enum class BodyType : std::uint8_t { json, any };

// Whether the one Content-Type is JSON, with whatever parameters.
[[nodiscard]] bool is_json(const http::Request& head);

struct RouteSpec {
  std::string method;
  std::string path;       // "/api/v1/runs/{id}/events"; an ending "/*" takes everything below
  std::string operation;  // its name in the OpenAPI document; empty: not part of the API
  std::function<void(Call call, http::Reply reply)> handler;
  Access access = Access::token;
  http::RunsIn runs_in = http::RunsIn::pool;
  std::size_t body_limit = 0;
  BodyType body_type = BodyType::json;
};

// Routes that answer with a value.
using Answer = std::function<http::Response(const Call& call)>;
[[nodiscard]] std::function<void(Call, http::Reply)> answering(Answer answer);

[[nodiscard]] http::Response json_response(int status, std::string body);
[[nodiscard]] http::Response error_response(int status, std::string_view code,
                                            std::string_view message,
                                            std::string_view details = {});
// With the status that fits its code.
[[nodiscard]] http::Response error_response(const Error& error);

class Router {
 public:
  void add(RouteSpec route) { routes_.push_back(std::move(route)); }
  void add(std::vector<RouteSpec> routes) {
    for (auto& route : routes) add(std::move(route));
  }

  struct Match {
    const RouteSpec* route = nullptr;
    std::vector<std::string> parts;
    std::string allowed;  // other methods of the path, for 405; route is null then
  };
  [[nodiscard]] Match find(const http::Request& request) const;
  [[nodiscard]] const std::vector<RouteSpec>& routes() const { return routes_; }

 private:
  std::vector<RouteSpec> routes_;
};

}  // namespace dragoman::web
