// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_strict.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "dragoman/dialect/line_events.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {
namespace {

using json::Kind;

enum class Presence : std::uint8_t { required, optional };

struct Need {
  std::string_view path;  // members from the outside in, with dots between them
  Kind kind;
  Presence presence = Presence::required;
  std::string_view values = {};  // the strings it may be, with bars between them; empty: any
};

constexpr auto kOptional = Presence::optional;
constexpr auto kRequired = Presence::required;
constexpr std::string_view kTaskStates = "queued|working|completed|failed|cancelled|timeout";

constexpr Need kAlways[] = {
    {"version", Kind::string},
    {"schema_id", Kind::string},
    {"tool", Kind::string},
    {"tool_category", Kind::string, kRequired,
     "execution_ack|wait_result|status_snapshot|result_set|registry_info"},
    {"request_id", Kind::string},
    {"ts", Kind::string},
    {"status", Kind::string, kRequired, "ok|error"},
    {"meta", Kind::object},
};
constexpr Need kErrorNeeds[] = {
    {"error", Kind::object},
    {"error.code", Kind::string, kRequired,
     "TIMEOUT|VALIDATION|TOOL_ERROR|NOT_FOUND|UNSUPPORTED|INTERNAL"},
    {"error.message", Kind::string},
    {"error.details", Kind::object, kOptional},
    {"error.retryable", Kind::boolean},
    {"error.duration_ms", Kind::number, kOptional},
};
constexpr Need kAcknowledgment[] = {
    {"data", Kind::object},
    {"data.task_id", Kind::string},
    {"data.thread_id", Kind::string, kOptional},
    {"data.accepted", Kind::boolean},
    {"data.capability", Kind::string, kRequired, "background|foreground"},
    {"data.expected_duration", Kind::string, kOptional},
    {"data.started_at", Kind::string},
    {"data.state", Kind::string, kOptional, kTaskStates},
    {"data.pending_questions", Kind::array, kOptional},
    {"meta.queue_position", Kind::number, kOptional},
    {"meta.estimated_start_ms", Kind::number, kOptional},
};
constexpr Need kWaitResult[] = {
    {"meta.duration_ms", Kind::number},
    {"meta.started_ts", Kind::string, kOptional},
    {"meta.completed_ts", Kind::string, kOptional},
    {"meta.exit_code", Kind::number, kOptional},
};
constexpr Need kResultSet[] = {
    {"meta.count", Kind::number},
    {"data.duration_seconds", Kind::number},
    {"data.completed_ts", Kind::string, kOptional},
};
constexpr Need kResult[] = {
    {"data", Kind::object},
    {"data.task_id", Kind::string},
    {"data.state", Kind::string, kRequired, kTaskStates},
    {"data.summary", Kind::string},
    {"data.metadata", Kind::object},
    {"data.metadata.duration", Kind::number},
    {"data.metadata.file_operations", Kind::object},
    {"data.metadata.file_operations.modified_files", Kind::array},
    {"data.metadata.file_operations.added_files", Kind::array},
    {"data.metadata.file_operations.deleted_files", Kind::array},
    {"data.metadata.file_operations.lines_changed", Kind::number},
    {"data.metadata.test_results", Kind::object, kOptional},
    {"data.metadata.test_results.passed", Kind::number, kOptional},
    {"data.metadata.test_results.failed", Kind::number, kOptional},
    {"data.metadata.test_results.skipped", Kind::number, kOptional},
    {"data.metadata.thread_info", Kind::object, kOptional},
    {"data.metadata.thread_info.thread_id", Kind::string, kOptional},
    {"data.metadata.thread_info.token_usage", Kind::object, kOptional},
    {"data.metadata.task_status", Kind::string, kOptional, kTaskStates},
    {"data.output", Kind::object, kOptional},
    {"data.output.stdout", Kind::string, kOptional},
    {"data.output.stderr", Kind::string, kOptional},
    {"data.pending_questions", Kind::array, kOptional},
};
constexpr Need kSnapshot[] = {
    {"meta.snapshot_ts", Kind::string},
    {"meta.total", Kind::number},
    {"data", Kind::object},
    {"data.summary", Kind::object},
    {"data.summary.running", Kind::number},
    {"data.summary.queued", Kind::number},
    {"data.summary.recently_completed", Kind::number},
    {"data.tasks", Kind::array, kOptional},
    {"data.queue", Kind::array, kOptional},
    {"data.recently_completed", Kind::array, kOptional},
};
constexpr Need kRegistry[] = {
    {"data", Kind::object},
    {"data.task_id", Kind::string, kOptional},
    {"data.state", Kind::string, kOptional, kTaskStates},
};
// Of each task in a list of a snapshot.
constexpr Need kTask[] = {
    {"task_id", Kind::string},
    {"state", Kind::string, kOptional, kTaskStates},
    {"position", Kind::number, kOptional},
};

json::Value member(std::string_view object, std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  json::Value found;
  json::Cursor cursor(object);
  if (!cursor.next_is(Kind::object)) return found;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool wanted = key == name;
    const json::Value value = cursor.take();
    if (wanted) found = value;
  }
  if (name.size() == path.size() || found.absent()) return found;
  return member(found.raw, path.substr(name.size() + 1));
}

bool is_one_of(std::string_view value, std::string_view values) {
  while (!values.empty()) {
    const std::size_t bar = std::min(values.find('|'), values.size());
    if (values.substr(0, bar) == value) return true;
    values.remove_prefix(std::min(bar + 1, values.size()));
  }
  return false;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::null_:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "";
}

class StrictCheck {
 public:
  StrictCheck(std::string_view envelope, Arena& arena) : envelope_(envelope), arena_(arena) {}

  [[nodiscard]] const std::optional<Finding>& fault() const { return fault_; }

  void hold_to(std::span<const Need> needs) { hold(envelope_, {}, needs); }

  void hold_list(std::string_view path, std::span<const Need> needs) {
    const json::Value list = member(envelope_, path);
    if (!list.is(Kind::array)) return;
    json::Cursor cursor(list.raw);
    for (json::Elements elements(cursor); elements.next();) {
      const json::Value entry = cursor.take();
      if (!entry.is(Kind::object))
        break_rule("field_type", path, " holds something else than tasks");
      hold(entry.raw, path, needs);
    }
  }

  [[nodiscard]] std::string_view string(std::string_view path) {
    return string_of(member(envelope_, path), arena_);
  }

  void break_rule(std::string_view rule, std::string_view path, std::string_view what) {
    if (!fault_.has_value()) fault_ = Finding{rule, arena_.copy(fmt::format("{}{}", path, what))};
  }

 private:
  void hold(std::string_view object, std::string_view in, std::span<const Need> needs) {
    for (const Need& need : needs) {
      if (fault_.has_value()) return;
      const std::string path =
          in.empty() ? std::string(need.path) : fmt::format("{}[].{}", in, need.path);
      const json::Value value = member(object, need.path);
      if (value.absent()) {
        if (need.presence == kRequired) break_rule("missing_field", path, " is missing");
      } else if (value.kind == Kind::null_ && need.presence == kOptional) {
        continue;
      } else if (!value.is(need.kind)) {
        break_rule("field_type", path, fmt::format(" is not {}", kind_name(need.kind)));
      } else if (!need.values.empty() && !is_one_of(string_of(value, arena_), need.values)) {
        break_rule("unknown_value", path, fmt::format(" is none of {}", need.values));
      }
    }
  }

  std::string_view envelope_;
  Arena& arena_;
  std::optional<Finding> fault_;
};

// codex/v3.6/CATEGORY/v1
std::string_view category_in(std::string_view schema_id) {
  const std::size_t end = schema_id.rfind('/');
  const std::size_t start = end == 0 || end == std::string_view::npos
                                ? std::string_view::npos
                                : schema_id.rfind('/', end - 1);
  return start == std::string_view::npos ? std::string_view{}
                                         : schema_id.substr(start + 1, end - start - 1);
}

void hold_to_category(std::string_view category, StrictCheck& check) {
  if (category == "execution_ack") check.hold_to(kAcknowledgment);
  if (category == "wait_result") check.hold_to(kWaitResult);
  if (category == "result_set") check.hold_to(kResultSet);
  if (category == "wait_result" || category == "result_set") check.hold_to(kResult);
  if (category == "registry_info") check.hold_to(kRegistry);
  if (category == "status_snapshot") {
    check.hold_to(kSnapshot);
    for (const std::string_view list : {"data.tasks", "data.queue", "data.recently_completed"}) {
      check.hold_list(list, kTask);
    }
  }
}

}  // namespace

std::optional<Finding> delegator_fault(std::string_view envelope, Arena& arena) {
  StrictCheck check(envelope, arena);
  check.hold_to(kAlways);
  const std::string_view category = check.string("tool_category");
  if (category_in(check.string("schema_id")) != category) {
    check.break_rule("unknown_value", "schema_id", " names another category than tool_category");
  }
  if (check.string("status") == "error") {
    check.hold_to(kErrorNeeds);
  } else {
    hold_to_category(category, check);
  }
  return check.fault();
}

}  // namespace dragoman
