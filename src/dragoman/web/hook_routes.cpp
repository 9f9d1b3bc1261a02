// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/hook_routes.hpp"

#include "dragoman/task/task.hpp"

namespace dragoman::web {
namespace {

http::Response receive(surface::Hooks& hooks, std::string_view path, const Call& call) {
  const surface::HookRequest request{call.request->fields.all(), call.request->body,
                                     task::now_ms() / 1000};
  surface::HookAnswer answer = hooks.receive(path, request);
  http::Response response;
  response.status = answer.status;
  if (!answer.body.empty()) response.fields.add("Content-Type", answer.content_type);
  response.body = std::move(answer.body);
  return response;
}

}  // namespace

std::vector<RouteSpec> hook_routes(surface::Hooks& hooks) {
  std::vector<RouteSpec> routes;
  // Anybody may send a body there, so only where it can be told whose it is.
  for (const std::string_view path : hooks.open_paths()) {
    RouteSpec route;
    route.method = "POST";
    route.path = path;
    route.handler =
        answering([&hooks, path](const Call& call) { return receive(hooks, path, call); });
    route.access = Access::anyone;
    route.body_limit = surface::kLongestHook;
    route.body_type = BodyType::any;
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace dragoman::web
