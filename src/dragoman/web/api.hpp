// SPDX-License-Identifier: Apache-2.0
// The API under /api/v1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dragoman/task/service.hpp"
#include "dragoman/web/costs.hpp"
#include "dragoman/web/feed.hpp"
#include "dragoman/web/folds.hpp"
#include "dragoman/web/route.hpp"

namespace dragoman::web {

struct ApiOptions {
  std::string name = "dragoman";  // of this server, shown in the page's title
  std::string working_dir;        // of tasks that name none
  task::Task fresh;               // what a task is like of which nothing is said
  std::vector<std::string> features;
  bool demo = false;
};

// What the handlers work on. It outlives the server.
struct Api {
  Api(task::Service& the_service, Feed& the_feed, ApiOptions the_options)
      : service(the_service),
        feed(the_feed),
        options(std::move(the_options)),
        costs(the_service.log()) {}

  task::Service& service;
  Feed& feed;
  ApiOptions options;
  Costs costs;
  Folds folds{service.log()};
};

[[nodiscard]] std::vector<RouteSpec> run_routes(Api& api);       // read runs and their events
[[nodiscard]] std::vector<RouteSpec> stream_routes(Api& api);    // event streams
[[nodiscard]] std::vector<RouteSpec> command_routes(Api& api);   // submit, cancel, answer
[[nodiscard]] std::vector<RouteSpec> message_routes(Api& api);   // the talk with a run
[[nodiscard]] std::vector<RouteSpec> document_routes(Api& api);  // info, openapi, parse, search

[[nodiscard]] Result<OpenQuestions> open_questions(Api& api);
[[nodiscard]] RunView view_of(Api& api, const task::Task& task, const OpenQuestions& open);
// What a run hears and has been told, as members of a run.
[[nodiscard]] Result<void> put_talk(json::Writer& w, Api& api, const task::Task& task);
[[nodiscard]] Result<http::Response> show_run(Api& api, const Call& call);
[[nodiscard]] Result<http::Response> find_in_run(Api& api, const Call& call);

// A route whose handler may fail with an Error.
template <typename Handler>
[[nodiscard]] std::function<void(Call, http::Reply)> handling(Api& api, Handler handler) {
  return answering([&api, handler](const Call& call) -> http::Response {
    auto response = handler(api, call);
    return response ? *std::move(response) : error_response(response.error());
  });
}

// What changes something is sent as JSON, of which a text is the most.
template <typename Handler>
[[nodiscard]] RouteSpec command_route(Api& api, std::string path, std::string operation,
                                      Handler handler) {
  constexpr std::size_t kBody = std::size_t{2} << 20U;
  return {"POST",
          std::move(path),
          std::move(operation),
          handling(api, handler),
          Access::token,
          http::RunsIn::pool,
          kBody};
}

// A number in the query; absent: `otherwise`; not a number: an error.
[[nodiscard]] Result<std::uint64_t> number_in(const http::Request& request, std::string_view name,
                                              std::uint64_t otherwise);

}  // namespace dragoman::web
