// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/delegation_tools.hpp"

#include "dragoman/mcp/github_setup.hpp"
#include "dragoman/mcp/markdown.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kInstructions =
    "Delegates coding tasks to agents that run in the background. Start one with "
    "_codex_local_run (read-only unless mode says otherwise), then call _codex_local_wait with its "
    "task_id, again while the answer says working. _codex_local_results has files, tests and "
    "errors; include_output:true adds what the agent printed. When a task waits for an answer ask "
    "the user; the answer is given with `dragoman answer`.";

constexpr std::int64_t kSweepEvery = 15 * 60 * 1000;  // milliseconds

ToolResult error_result(std::string_view tool, const Error& error, Format format,
                        std::optional<std::int64_t> duration_ms = {}) {
  ToolResult result;
  result.is_error = true;
  result.structured = task::error_envelope(tool, error, duration_ms);
  result.text = format == Format::json ? result.structured : markdown_error(tool, error);
  return result;
}

ToolAnswer answer_of(std::string_view tool, Result<ToolOutcome> outcome, Format format) {
  if (!outcome) return error_result(tool, outcome.error(), format);
  if (auto* asked = std::get_if<Asked>(&*outcome)) return std::move(*asked);
  if (auto* started = std::get_if<Started>(&*outcome)) return std::move(*started);
  if (auto* failure = std::get_if<ToolFailure>(&*outcome))
    return error_result(tool, failure->error, format, failure->duration_ms);
  ToolReply& reply = std::get<ToolReply>(*outcome);
  ToolResult result;
  result.text = format == Format::json ? reply.envelope : std::move(reply.markdown);
  result.structured = std::move(reply.envelope);
  return result;
}

}  // namespace

DelegationTools::DelegationTools(task::Service& service, DelegationOptions options,
                                 std::vector<std::unique_ptr<CloudBackend>> backends)
    : service_(service),
      upkeep_(options.upkeep),
      local_(service, std::move(options.local)),
      cloud_(service, std::move(options.cloud), std::move(backends)),
      info_{"dragoman", "Dragoman", std::move(options.version), std::string(kInstructions)} {
  for (const DelegationTool& tool : delegation_table()) tools_.push_back(spec_of(tool));
}

Abilities DelegationTools::abilities() const {
  return {.resources = true,
          .prompts = true,
          .completions = true,
          .tasks = true,
          .task_list = true,
          .changes = true,
          .lists_change = false};
}

// A task whose runner was killed is found by whoever comes next; once a second is often enough.
// What nobody has touched for an hour is looked for with the first call and every 15 minutes.
void DelegationTools::look_after_the_dead() {
  if (upkeep_ == Upkeep::elsewhere) return;
  const std::int64_t now = task::now_ms();
  std::int64_t last = looked_.load();
  if (now - last < 1000 || !looked_.compare_exchange_strong(last, now)) return;
  // A store that cannot be written says so in the call itself.
  (void)service_.reconcile();
  if (now - swept_.load() < kSweepEvery) return;
  swept_ = now;
  task::CleanOptions stuck;
  stuck.keeps_old = true;
  (void)service_.clean(stuck);
}

Result<ToolAnswer> DelegationTools::call(const Call& call) {
  const DelegationTool* const tool = find_delegation_tool(call.name);
  if (tool == nullptr)
    return Error{ErrorCode::not_found, "Unknown tool: " + std::string(call.name.substr(0, 100))};
  const Format format = format_in(call.arguments);
  const auto arguments = Arguments::read(*tool, call.arguments);
  if (!arguments) return ToolAnswer(error_result(tool->name, arguments.error(), format));
  look_after_the_dead();
  const auto made_from = tool->repeatable ? basis() : std::nullopt;
  ToolAnswer answer = answer_of(tool->name, dispatch({*tool, *arguments, call}), format);
  const auto* const result = std::get_if<ToolResult>(&answer);
  if (made_from && result != nullptr && !result->is_error)
    answers_.keep(call.name, call.arguments, *made_from, *result);
  return answer;
}

std::optional<AnswerBasis> DelegationTools::basis() {
  const std::int64_t second = task::now_ms() / 1000;
  const auto version = service_.log().version();
  if (!version || !*version) return std::nullopt;
  return AnswerBasis{**version, second};
}

std::optional<std::string> DelegationTools::repeat(std::string_view tool,
                                                   std::string_view arguments) {
  const DelegationTool* const known = find_delegation_tool(tool);
  if (known == nullptr || !known->repeatable) return std::nullopt;
  look_after_the_dead();
  const auto now = basis();
  return now ? answers_.find(tool, arguments, *now) : std::nullopt;
}

Result<ToolOutcome> DelegationTools::dispatch(const ToolRequest& request) {
  std::string_view verb = request.tool.name;
  if (verb == "_codex_cleanup_registry") return clean(request);
  verb.remove_prefix(std::string_view("_codex_local_").size());
  if (request.tool.name.starts_with("_codex_local_")) {
    if (verb == "status") return local_.status(request);
    if (verb == "results") return local_.results(request);
    if (verb == "wait") return local_.wait(request);
    if (verb == "cancel") return local_.cancel(request);
    return local_.launch(request);
  }
  if (verb == "submit") return cloud_.submit(request);
  if (verb == "status") return cloud_.status(request);
  if (verb == "results") return cloud_.results(request);
  if (verb == "wait") return cloud_.wait(request);
  if (verb == "cancel") return cloud_.cancel(request);
  if (verb == "list_environments") return cloud_.list_environments(request);
  return github_setup(request);
}

Result<ToolOutcome> DelegationTools::clean(const ToolRequest& request) {
  task::CleanOptions options;
  options.stuck = std::chrono::seconds(request.arguments.integer("stuck_task_max_age_seconds"));
  options.old = std::chrono::hours(request.arguments.integer("old_task_max_age_hours"));
  options.dry_run = request.arguments.flag("dry_run");
  DRAGOMAN_TRY(auto cleaned, local_.clean(options));
  const std::int64_t now = task::now_ms();
  DRAGOMAN_TRY(const auto old, cloud_.old_tasks(now - options.old.count()));
  for (const CloudTask& each : old) {
    ++cleaned.old_found;
    cleaned.oldest_age_hours =
        std::max(cleaned.oldest_age_hours, (now - each.completed_at) / 3'600'000);
    if (options.dry_run) continue;
    DRAGOMAN_CHECK(cloud_.remove(each));
    ++cleaned.deleted;
  }
  return ToolOutcome(
      ToolReply{task::clean_envelope(cleaned, options), markdown_clean(cleaned, options.dry_run)});
}

}  // namespace dragoman::mcp
