// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

// Subtypes that only say what is going on.
constexpr std::array<std::string_view, 12> kActivities = {
    "status",          "compact_boundary", "session_state_changed",
    "hook_started",    "hook_progress",    "hook_response",
    "informational",   "model_fallback",   "model_refusal_no_fallback",
    "thinking_tokens", "ui_invalidate",    "local_command",
};

struct TaskPatch {
  json::Value status;
};
constexpr FieldTable kTaskPatch({Slot<TaskPatch>{"status", &TaskPatch::status}});

struct RateLimitInfo {
  json::Value status;
  json::Value resets_at;
  json::Value type;
  json::Value utilization;
  json::Value retry_after_ms;
};
using I = RateLimitInfo;
constexpr FieldTable kRateLimitInfo({
    Slot<I>{"status", &I::status},
    {"resetsAt", &I::resets_at},
    {"rateLimitType", &I::type},
    {"utilization", &I::utilization},
    {"retry_after_ms", &I::retry_after_ms},
});

const json::Value& first_present(std::initializer_list<const json::Value*> values) {
  static const json::Value kAbsent;
  for (const json::Value* value : values) {
    if (value->is(json::Kind::string)) return *value;
  }
  return kAbsent;
}

}  // namespace

void ClaudeReader::activity(std::string_view name, const Value& message, LineEvents& events,
                            std::span<const Extra> extra, Channel channel) {
  Event event = events.draft(channel);
  event.extra = extra;
  Status& status = event.payload.emplace<Status>();
  status.activity = name;
  status.message = text_of(message);
  events.give(event);
}

bool ClaudeReader::read_system(std::string_view subtype, LineEvents& events) {
  if (subtype == "init") {
    read_init(events);
    return true;
  }
  if (subtype == "api_retry") {
    read_retry(events);
    return true;
  }
  if (subtype == "permission_denied") {
    const std::string_view id = string(line_.tool_use_id);
    if (RunningTool* tool = tools_.find(id); tool != nullptr) tool->denied = true;
    activity(subtype, line_.message_text, events,
             Extras().add("tool_use_id", line_.tool_use_id).add("tool", line_.tool_name));
    return true;
  }
  for (const std::string_view known : kActivities) {
    if (subtype != known) continue;
    const Value& message = first_present(
        {&line_.content, &line_.status, &line_.state, &line_.hook_name, &line_.message_text});
    activity(subtype, message, events,
             Extras()
                 .add("hook_event", line_.hook_event)
                 .add("outcome", line_.outcome)
                 .add("exit_code", line_.exit_code)
                 .add("estimated_tokens", line_.estimated_tokens)
                 .add("compact_metadata", line_.compact_metadata)
                 .add("compact_result", line_.compact_result));
    return true;
  }
  return read_task(subtype, events);
}

bool ClaudeReader::read_task(std::string_view subtype, LineEvents& events) {
  if (subtype == "background_tasks_changed") {
    activity(subtype, {}, events, Extras().add("tasks", line_.tasks));
    return true;
  }
  if (subtype != "task_started" && subtype != "task_progress" && subtype != "task_updated" &&
      subtype != "task_notification") {
    return false;
  }
  TaskPatch patch;
  if (line_.patch.is(json::Kind::object)) read_object(line_.patch.raw, kTaskPatch, patch);
  Status status;
  status.activity = subtype;
  status.task = string(line_.task_id);
  status.status = string(first_present({&line_.status, &patch.status}));
  status.message = text_of(first_present({&line_.summary, &line_.description}));
  events.emit(status, Channel::system,
              Extras()
                  .add("task_type", line_.task_type)
                  .add("is_backgrounded", line_.is_backgrounded)
                  .add("tool_use_id", line_.tool_use_id));
  return true;
}

// Waiting because of a limit is told apart from waiting because of a broken connection.
void ClaudeReader::read_retry(LineEvents& events) {
  NumberReader numbers(events);
  const std::string_view error = string(line_.error);
  const std::optional<std::int64_t> http = numbers.integer(line_.error_status);
  const std::optional<std::int64_t> attempt = numbers.count(line_.attempt);
  if (error == "rate_limit" || error == "overloaded" || http == 429 || http == 529) {
    RateLimited limited;
    limited.status = "retrying";
    limited.limit = error;
    limited.attempt = attempt;
    limited.delay_ms =
        numbers.amount(line_.retry_delay_ms.absent() ? line_.retry_after_ms : line_.retry_delay_ms);
    events.emit(limited, Channel::system,
                Extras()
                    .add("max_retries", line_.max_retries)
                    .add("error_status", line_.error_status)
                    .add("retry_after_ms", line_.retry_after_ms));
    return;
  }
  activity("api_retry", line_.error, events,
           Extras()
               .add("attempt", line_.attempt)
               .add("max_retries", line_.max_retries)
               .add("delay_ms", line_.retry_delay_ms)
               .add("error_status", line_.error_status)
               .add("retry_after_ms", line_.retry_after_ms));
}

void ClaudeReader::read_rate_limit(LineEvents& events) {
  RateLimitInfo info;
  if (line_.rate_limit_info.is(json::Kind::object)) {
    read_object(line_.rate_limit_info.raw, kRateLimitInfo, info);
  }
  NumberReader numbers(events);
  RateLimited limited;
  limited.status = string(info.status);
  limited.resets_at = numbers.amount(info.resets_at);
  limited.limit = string(info.type);
  limited.utilization = numbers.real(info.utilization);
  const Value& after = info.retry_after_ms.absent() ? line_.retry_after_ms : info.retry_after_ms;
  limited.delay_ms = numbers.amount(after);
  events.emit(limited, Channel::system, Extras().add("retry_after_ms", after));
}

}  // namespace dragoman
