// SPDX-License-Identifier: Apache-2.0
// The talk with a run: what people say to it, and the end of its turn.
#include <fmt/format.h>

#include "dragoman/base/duration.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/hearing.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/body.hpp"

namespace dragoman::web {

namespace {

constexpr std::string_view kBy = "dashboard";
constexpr std::size_t kMostShown = 100;

void put_message(json::Writer& w, const ask::MessageRecord& message) {
  w.begin_object();
  w.name("number").count(message.number);
  w.name("text").string(message.text);
  w.name("by").string(message.by);
  w.name("said_at").integer(message.said_at);
  w.name("state").string(message.state);
  put_text_or_null(w.name("reason"), message.reason);
  w.name("settled_at");
  if (message.settled_at == 0) {
    w.null();
  } else {
    w.integer(message.settled_at);
  }
  w.end_object();
}

Result<http::Response> list_messages(Api& api, const Call& call) {
  DRAGOMAN_TRY(const auto messages, api.service.messages(call.parts[0]));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("messages").begin_array();
  for (const auto& message : messages) put_message(w, message);
  w.end_array().end_object();
  return json_response(200, std::move(out));
}

Result<http::Response> send(Api& api, const Call& call) {
  std::string text;
  std::optional<std::chrono::milliseconds> keep;
  DRAGOMAN_CHECK(read_body(call.request->body, [&](std::string_view name, const auto& value) {
    if (name == "text") return take_text(value, text);
    return name == "keep" && take_duration(value, keep);
  }));
  DRAGOMAN_TRY(const auto sent, api.service.send(call.parts[0], text, kBy, keep));
  DRAGOMAN_TRY(const auto hearing, api.service.hears(sent.task));
  DRAGOMAN_TRY(const auto open, open_questions(api));
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.name("id").string(sent.task.id);
  w.name("number").count(sent.number);
  w.name("hears").string(task::name(hearing));
  w.name("run");
  put_run(w, view_of(api, sent.task, open));
  w.end_object();
  return json_response(202, std::move(out));
}

Result<http::Response> interrupt(Api& api, const Call& call) {
  DRAGOMAN_CHECK(
      read_body(call.request->body, [](std::string_view, const auto&) { return false; }));
  DRAGOMAN_TRY(const auto interrupted, api.service.interrupt(call.parts[0], kBy));
  DRAGOMAN_TRY(const auto open, open_questions(api));
  std::string out;
  json::Writer w(out);
  put_run(w, view_of(api, interrupted, open));
  return json_response(202, std::move(out));
}

}  // namespace

Result<void> put_talk(json::Writer& w, Api& api, const task::Task& task) {
  const auto hearing = api.service.hears(task);
  put_text_or_null(w.name("hears"), hearing ? task::name(*hearing) : "");
  put_text_or_null(w.name("cannot_go_on"), hearing ? "" : hearing.error().message);
  DRAGOMAN_TRY(const auto messages, api.service.messages(task.id));
  w.name("messages").begin_array();
  for (std::size_t i = messages.size() - std::min(messages.size(), kMostShown); i < messages.size();
       ++i)
    put_message(w, messages[i]);
  w.end_array();
  return {};
}

std::vector<RouteSpec> message_routes(Api& api) {
  return {
      {"GET", "/api/v1/runs/{id}/messages", "listMessages", handling(api, list_messages)},
      command_route(api, "/api/v1/runs/{id}/messages", "sendMessage", send),
      command_route(api, "/api/v1/runs/{id}/interrupt", "interruptRun", interrupt),
  };
}

}  // namespace dragoman::web
