// SPDX-License-Identifier: Apache-2.0
// What changes something: submit, cancel, answer.
#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/task/values.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/body.hpp"
#include "dragoman/web/questions.hpp"

namespace dragoman::web {

namespace {

struct Submission {
  std::string text;
  std::string agent;
  std::string working_dir;
  std::string mode;
  std::string model;
  std::string resume;  // a task
  bool allow_destructive_git = false;
  std::optional<std::chrono::milliseconds> keep;
};

Result<task::Task> task_of(Api& api, const Submission& said) {
  task::Task task = api.options.fresh;
  task.tool = "dashboard";
  task.working_dir = api.options.working_dir;
  if (!said.resume.empty()) {
    DRAGOMAN_TRY(task, api.service.next_in_thread(said.resume, said.agent));
  }
  task.text = said.text;
  task.allow_destructive_git = said.allow_destructive_git;
  if (said.keep) task.keep_ms = said.keep->count();
  for (const auto& [value, slot] : {std::pair{&said.agent, &task.agent},
                                    {&said.working_dir, &task.working_dir},
                                    {&said.model, &task.model}}) {
    if (!value->empty()) *slot = *value;
  }
  if (said.mode == agent::kPreview)
    return task::bad_value("mode", "a mode that does the task", said.mode);
  if (!said.mode.empty()) {
    DRAGOMAN_CHECK(task::take_mode(said.mode, task));
  }
  return task;
}

Result<http::Response> submit(Api& api, const Call& call) {
  Submission said;
  DRAGOMAN_CHECK(read_body(call.request->body, [&](std::string_view name, const auto& value) {
    if (name == "task") return take_text(value, said.text);
    if (name == "agent") return take_text(value, said.agent);
    if (name == "working_dir") return take_text(value, said.working_dir);
    if (name == "mode") return take_text(value, said.mode);
    if (name == "model") return take_text(value, said.model);
    if (name == "resume") return take_text(value, said.resume);
    if (name == "keep") return take_duration(value, said.keep);
    return name == "allow_destructive_git" && take_flag(value, said.allow_destructive_git);
  }));
  if (said.text.empty()) return bad_body("'task': say what the agent is to do", "task");
  DRAGOMAN_TRY(auto task, task_of(api, said));
  auto acknowledged = api.service.submit(task);
  if (!acknowledged) return std::move(acknowledged).error();
  DRAGOMAN_TRY(const auto stored, api.service.get(acknowledged->task.id));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("run");
  put_run(w, {stored});
  w.name("queue_position").count(acknowledged->queue_position);
  w.name("estimated_start_ms");
  if (acknowledged->estimated_start_ms) {
    w.integer(*acknowledged->estimated_start_ms);
  } else {
    w.null();
  }
  w.end_object();
  return json_response(202, std::move(out));
}

Result<http::Response> cancel(Api& api, const Call& call) {
  std::string reason;
  DRAGOMAN_CHECK(read_body(call.request->body, [&](std::string_view name, const auto& value) {
    return name == "reason" && take_text(value, reason);
  }));
  DRAGOMAN_TRY(const auto cancelled,
               api.service.cancel(call.parts[0], reason.empty() ? "dashboard" : reason));
  DRAGOMAN_TRY(const auto open, open_questions(api));
  std::string out;
  json::Writer w(out);
  put_run(w, view_of(api, cancelled.task, open));
  return json_response(200, std::move(out));
}

Result<http::Response> list_questions(Api& api, const Call& call) {
  const std::string state = call.request->parameter("state").value_or("open");
  if (state != "open" && state != "all") return bad_body("state: open or all", "state");
  DRAGOMAN_TRY(const auto questions, state == "open" ? api.service.desk().open_questions()
                                                     : recent_questions(api.service.log()));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("questions").begin_array();
  for (const auto& question : questions) put_question_view(w, question);
  w.end_array().end_object();
  return json_response(200, std::move(out));
}

bool take_choices(const json::Value& value, std::optional<std::vector<std::size_t>>& choices) {
  if (!value.is(json::Kind::array)) return false;
  json::Cursor cursor(value.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const json::Value item = cursor.take();
    if (!item.is(json::Kind::number)) return false;
    const auto number = json::parse_number(item.raw).value.whole();
    if (!number) return false;
    if (!choices) choices.emplace();
    choices->push_back(*number < 0 ? SIZE_MAX : static_cast<std::size_t>(*number));
  }
  return choices.has_value();
}

Result<void> check_has_options(const ask::QuestionRecord& question) {
  if (!question.is_open() || !question.options.empty()) return {};
  return bad_body("'choices': this question has no options; give 'answer'", "choices");
}

Result<http::Response> answer(Api& api, const Call& call) {
  std::string typed;
  Reply reply;
  bool literal = false;
  DRAGOMAN_CHECK(read_body(call.request->body, [&](std::string_view name, const auto& value) {
    if (name == "answer") return take_text(value, typed);
    if (name == "choices") return take_choices(value, reply.options);
    return name == "literal" && take_flag(value, literal);
  }));
  if (typed.empty() != reply.options.has_value())
    return bad_body("one of 'answer' and 'choices' is needed");
  DRAGOMAN_TRY(const auto question, api.service.question(call.parts[0]));
  if (reply.options) DRAGOMAN_CHECK(check_has_options(question));
  reply.id = question.key();
  if (!reply.options) (literal ? reply.text : reply.typed) = std::move(typed);
  auto outcome = api.service.desk().answer(reply, "dashboard");
  if (!outcome) return std::move(outcome).error();
  if (outcome->accepted) DRAGOMAN_CHECK(api.service.reconcile());
  std::string out;
  json::Writer w(out);
  w.begin_object().name("accepted").boolean(outcome->accepted).name("question");
  put_question_view(w, outcome->question);
  w.end_object();
  return json_response(200, std::move(out));
}

}  // namespace

std::vector<RouteSpec> command_routes(Api& api) {
  return {
      command_route(api, "/api/v1/tasks", "submitTask", submit),
      command_route(api, "/api/v1/runs/{id}/cancel", "cancelRun", cancel),
      {"GET", "/api/v1/questions", "listQuestions", handling(api, list_questions)},
      command_route(api, "/api/v1/questions/{id}/answer", "answerQuestion", answer),
  };
}

}  // namespace dragoman::web
