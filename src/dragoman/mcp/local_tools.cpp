// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/local_tools.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/mcp/elicitation.hpp"
#include "dragoman/mcp/markdown.hpp"
#include "dragoman/mcp/progress_teller.hpp"
#include "dragoman/mcp/task_failure.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::chrono::hours kLongest(24);

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds left_until(Clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
}

Asked forms_of(const std::vector<ask::QuestionRecord>& questions, const std::string& task_id,
               Clock::time_point until) {
  Asked asked{.state = task_id, .until = until};
  for (const auto& question : questions) asked.requests.push_back(elicitation_of(question));
  return asked;
}

}  // namespace

Result<task::Task> LocalTools::find(const Arguments& arguments) {
  const std::string id = arguments.text("task_id");
  auto found = service_.get(id);
  const bool unknown = !found && found.error().code == ErrorCode::not_found;
  if (unknown && !is_task_id(id) && !is_run_id(id))
    return bad_value("task_id", "^T-(local|cloud)-[A-Za-z0-9-]{3,64}$, or the run's id", id);
  return found;
}

Result<ToolOutcome> LocalTools::status(const ToolRequest& request) {
  const Arguments& arguments = request.arguments;
  task::StatusQuery query;
  query.limit = static_cast<std::size_t>(arguments.integer("limit"));
  if (arguments.has("task_id")) {
    DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, arguments.text("task_id")));
    DRAGOMAN_TRY(const auto task, find(arguments));
    query.task_id = task.id;
  }
  if (!arguments.flag("show_all"))
    query.working_dir =
        arguments.has("working_dir") ? arguments.text("working_dir") : options_.working_dir;
  DRAGOMAN_TRY(const auto snapshot, service_.status(query));
  task::SnapshotFacts facts;
  facts.verbose = arguments.flag("verbose");
  ToolReply reply;
  reply.envelope = task::status_envelope(snapshot, facts, service_.desk());
  if (format_in(request.call.arguments) == Format::markdown) {
    std::vector<ask::QuestionRecord> asked;
    for (const task::Task& task : snapshot.running) {
      DRAGOMAN_TRY(auto questions, service_.desk().open_questions(task.id));
      asked.insert(asked.end(), questions.begin(), questions.end());
    }
    reply.markdown = markdown_status(snapshot, facts, Origin::local, asked);
  }
  return ToolOutcome(std::move(reply));
}

Result<ToolOutcome> LocalTools::results(const ToolRequest& request) {
  DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, request.arguments.text("task_id")));
  DRAGOMAN_TRY(const auto task, find(request.arguments));
  DRAGOMAN_TRY(const auto results,
               task::results_of(service_, task, results_query(request.arguments)));
  return ToolOutcome(
      ToolReply{task::results_envelope(results), markdown_results(results, Origin::local)});
}

Result<LocalTools::Waited> LocalTools::wait_for(const std::string& task_id,
                                                std::chrono::milliseconds time, const Call& call) {
  bool again = true;
  Waited waited;
  DRAGOMAN_TRY(const auto open, service_.desk().open_questions(task_id));
  for (const auto& question : open) {
    const InputResponse* const response = call.response(question.key());
    if (response == nullptr) continue;
    const std::string by = call.context.client().name;
    auto taken = take_elicited(service_.desk(), question, response->result,
                               by.empty() ? "mcp" : "mcp: " + by);
    if (taken.how != Elicited::How::answered) again = false;
    if (!taken.problem.empty()) waited.refused_answer = std::move(taken.problem);
  }
  ProgressTeller teller(call.context);
  const auto deadline = call.until.value_or(Clock::now() + time);
  for (;;) {
    const auto slice = std::clamp(left_until(deadline), std::chrono::milliseconds(0), kNotice);
    DRAGOMAN_TRY(waited.task, service_.wait(task_id, slice, [&](const task::Task& seen) {
      if (!seen.terminal()) teller.tell(seen, Clock::now());
    }));
    if (waited.task.terminal()) {
      teller.end(waited.task);
      return waited;
    }
    teller.tell(waited.task, Clock::now());
    waited.expired = left_until(deadline).count() <= 0;
    DRAGOMAN_TRY(const auto questions, service_.desk().open_questions(task_id));
    if (!questions.empty()) {
      const bool can = call.context.client().elicit_form && again && !waited.expired &&
                       std::ranges::all_of(questions, can_be_elicited);
      if (can) waited.asked = forms_of(questions, task_id, deadline);
      return waited;
    }
    if (call.context.cancelled() || waited.expired) return waited;
  }
}

Result<ToolOutcome> LocalTools::wait(const ToolRequest& request) {
  DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, request.arguments.text("task_id")));
  DRAGOMAN_TRY(const auto known, find(request.arguments));
  const std::chrono::seconds time(request.arguments.integer("timeout_sec"));
  DRAGOMAN_TRY(auto waited, wait_for(known.id, time, request.call));
  if (waited.asked) return ToolOutcome(*std::move(waited.asked));
  DRAGOMAN_TRY(auto results,
               task::results_of(service_, waited.task, results_query(request.arguments)));
  results.refused_answer = std::move(waited.refused_answer);
  const bool expired = !waited.task.terminal() && (waited.expired || results.questions.empty());
  return ToolOutcome(ToolReply{
      task::wait_envelope(results, expired ? task::WaitExpired::yes : task::WaitExpired::no),
      markdown_results(results, Origin::local)});
}

Result<ToolOutcome> LocalTools::finish_foreground(const std::string& task_id, const Call& call) {
  DRAGOMAN_TRY(auto waited, wait_for(task_id, kLongest, call));
  if (waited.asked) return ToolOutcome(*std::move(waited.asked));
  return foreground(waited.task, std::move(waited.refused_answer));
}

Result<ToolOutcome> LocalTools::foreground(const task::Task& task, std::string refused_answer) {
  const TaskState state = task.task_state();
  if (is_terminal(state) && state != TaskState::completed) {
    return ToolOutcome(
        ToolFailure{failure_of(service_, task), task.duration(task::now_ms()).count()});
  }
  task::AckFacts facts;
  facts.capability = task::Capability::foreground;
  facts.summary = task.summary;
  facts.refused_answer = std::move(refused_answer);
  DRAGOMAN_TRY(facts.questions, service_.desk().open_questions(task.id));
  task::Acknowledgement ack;
  ack.task = task;
  return ToolOutcome(
      ToolReply{task::ack_envelope(ack, facts), markdown_ack(ack, facts, Origin::local)});
}

Result<ToolOutcome> LocalTools::cancel(const ToolRequest& request) {
  DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, request.arguments.text("task_id")));
  DRAGOMAN_TRY(const auto task, find(request.arguments));
  DRAGOMAN_TRY(const auto cancelled, service_.cancel(task.id, request.arguments.text("reason")));
  return ToolOutcome(ToolReply{task::cancel_envelope(cancelled), markdown_cancel(cancelled)});
}

Result<task::Cleaned> LocalTools::clean(const task::CleanOptions& options) {
  return service_.clean(options);
}

}  // namespace dragoman::mcp
