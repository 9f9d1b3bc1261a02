// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <fmt/format.h>

#include "dragoman/dialect/codex_reader.hpp"
#include "dragoman/dialect/failure_reason.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

struct RawUsage {
  json::Value input;
  json::Value cached;
  json::Value cache_write;
  json::Value output;
  json::Value reasoning;
};
using U = RawUsage;
constexpr FieldTable kUsage({
    Slot<U>{"input_tokens", &U::input},
    {"cached_input_tokens", &U::cached},
    {"cache_write_input_tokens", &U::cache_write},
    {"output_tokens", &U::output},
    {"reasoning_output_tokens", &U::reasoning},
    {"inputTokens", &U::input},
    {"cachedInputTokens", &U::cached},
    {"cacheWriteInputTokens", &U::cache_write},
    {"outputTokens", &U::output},
    {"reasoningOutputTokens", &U::reasoning},
});

struct RawError {
  json::Value message;
  json::Value code;
  json::Value type;
  json::Value error;
};
constexpr FieldTable kError({
    Slot<RawError>{"message", &RawError::message},
    {"code", &RawError::code},
    {"type", &RawError::type},
    {"error", &RawError::error},
});

struct Complaint {
  std::string_view message;
  std::string_view code;
};

// {"message":…}, also further in: {"error":{"message":…}}. Absent when there is none.
RawError innermost(std::string_view object) {
  constexpr int kDeepest = 4;
  RawError found;
  for (int depth = 0; depth < kDeepest; ++depth) {
    RawError raw;
    read_object(object, kError, raw);
    if (raw.message.is(json::Kind::string)) found = raw;
    const json::Value& inner = raw.error.is(json::Kind::object) ? raw.error : raw.message;
    if (!inner.is(json::Kind::object)) break;
    object = inner.raw;
  }
  return found;
}

// An error is a text, an object with a message, or a text that is itself such an object in JSON. Of
// anything else the JSON has to do.
Complaint complaint_of(const json::Value& error, Arena& arena) {
  Complaint complaint;
  if (error.is(json::Kind::object)) {
    const RawError raw = innermost(error.raw);
    complaint.message = string_of(raw.message, arena);
    complaint.code = string_of(raw.code, arena);
  } else {
    complaint.message = string_of(error, arena);
  }
  if (complaint.message.data() == nullptr && error.given()) complaint.message = error.raw;
  if (complaint.message.substr(0, 1) != "{") return complaint;
  json::Cursor cursor(complaint.message, json::Cursor::Scalars::exact);
  cursor.skip();
  if (!cursor.finish()) return complaint;
  const RawError inner = innermost(complaint.message);
  if (inner.message.absent()) return complaint;
  complaint.message = string_of(inner.message, arena);
  for (const json::Value& code : {inner.code, inner.type}) {
    const std::string_view named = string_of(code, arena);
    if (named.data() == nullptr) continue;
    complaint.code = named;
    break;
  }
  return complaint;
}

// "Reconnecting... 2/5 (…)": which attempt it is.
std::optional<std::int64_t> attempt_in(std::string_view message) {
  constexpr std::string_view kPrefix = "Reconnecting... ";
  if (message.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  const char* const end = message.data() + message.size();
  std::int64_t attempt = 0;
  const auto read = std::from_chars(message.data() + kPrefix.size(), end, attempt);
  const bool slash = read.ec == std::errc() && read.ptr != end && *read.ptr == '/';
  return slash && attempt >= 0 ? std::optional<std::int64_t>(attempt) : std::nullopt;
}

}  // namespace

void CodexReader::activity(std::string_view name, json::Text message, LineEvents& events,
                           const Extras& extra) {
  Status status;
  status.activity = name;
  status.message = message;
  events.emit(status, Channel::system, extra);
}

void CodexReader::start_session(std::string_view id, const Value& model, const Value& cwd,
                                LineEvents& events) {
  if (cwd.is(json::Kind::string)) cwd_ = string(cwd);
  if (id.empty() || id == session_) return;
  if (!session_.empty()) begin_run(events);
  session_ = thread_ = id;
  std::erase_if(subagents_, [id](const Subagent& known) { return known.thread == id; });
  SessionStarted started;
  started.session_id = id;
  started.model = string(model);
  started.cwd = string(cwd);
  events.emit(started, Channel::system);
}

// What the run before left open will not end any more, and ids are given out again from the first.
void CodexReader::begin_run(LineEvents& events) {
  read_fragments(events);
  abandon_tools(Whose::everyones, events.origin_behind(Channel::tool_result), events);
  patches_.clear();
  had_item_ = in_turn_ = false;
}

void CodexReader::start_turn(LineEvents& events) {
  if (is_subagents(events)) return activity("turn_started", {}, events);
  had_item_ = false;
  in_turn_ = true;
  last_message_.clear();
  activity("turn_started", {}, events);
}

// What has begun and not ended will never end: the next turn knows nothing of it.
void CodexReader::end_turn(const TurnFinished& turn, LineEvents& events) {
  abandon_tools(Whose::the_threads, events.origin_behind(Channel::tool_result), events);
  if (turn.ok && !had_item_) {
    events.finding("empty_turn", Level::warning, "the turn ended without any item");
  }
  read_fragments(events);
  patches_.clear();
  events.emit(turn, Channel::result);
  had_item_ = in_turn_ = false;
}

// A turn is good only when the server says so.
void CodexReader::end_turn_as(const Value& status, const Value& error, LineEvents& events) {
  const std::string_view word = string(status);
  if (word == "completed") {
    complete_turn({}, events);
  } else if (word == "interrupted" || word == "cancelled" || word == "canceled") {
    fail_turn(error, "interrupted", events);
  } else {
    if (word != "failed") {
      events.form_finding("unknown_value",
                          arena_.copy(fmt::format("a turn ended with the status \"{}\"", word)));
    }
    fail_turn(error, "failed", events);
  }
}

// The run goes on, whatever became of the agent that it started.
void CodexReader::end_subagents_turn(std::string_view line, const Value& status, const Value& error,
                                     LineEvents& events) {
  abandon_tools(Whose::the_threads, events.origin_behind(Channel::tool_result), events);
  activity(line, complaint_of(error, arena_).message, events, Extras().add("turn_status", status));
}

void CodexReader::complete_turn(const Value& usage, LineEvents& events) {
  TurnFinished turn;
  turn.ok = true;
  turn.subtype = "completed";
  if (!last_message_.empty()) turn.text = json::Text(last_message_);
  end_turn(turn, events);
  (void)report_usage(usage, true, events);  // review has none
}

void CodexReader::fail_turn(const Value& error, std::string_view subtype, LineEvents& events) {
  const Complaint complaint = complaint_of(error, arena_);
  Failure failure;
  failure.message = complaint.message;
  failure.reason = subtype == "failed" ? failure_reason({{}, complaint.code, {}, complaint.message})
                                       : std::string_view("interrupted");
  failure.code = complaint.code.data() != nullptr ? complaint.code : failure.reason;
  failure.recoverable = recoverable_by(failure.reason);
  TurnFinished turn;
  turn.subtype = subtype;
  turn.terminal_reason = failure.reason;
  if (!last_message_.empty()) turn.text = json::Text(last_message_);
  end_turn(turn, events);
  events.emit(failure, Channel::result);
}

bool CodexReader::report_usage(const Value& usage, bool final, LineEvents& events,
                               const Extras& extra) {
  if (!usage.is(json::Kind::object)) return false;
  if (is_subagents(events)) {
    activity("subagent_usage", {}, events, Extras().add("usage", usage));
    return true;
  }
  RawUsage raw;
  read_object(usage.raw, kUsage, raw);
  NumberReader numbers(events);
  Usage figures;
  figures.input_tokens = numbers.count(raw.input);
  figures.cached_input_tokens = numbers.count(raw.cached);
  figures.cache_write_tokens = numbers.count(raw.cache_write);
  figures.output_tokens = numbers.count(raw.output);
  figures.reasoning_tokens = numbers.count(raw.reasoning);
  figures.scope = UsageScope::thread;
  figures.final = final;
  events.emit(figures, Channel::result, extra);
  return true;
}

// An error line is never the end of a turn: the turn may still succeed. False: it says nothing.
bool CodexReader::read_error(const Value& message, LineEvents& events) {
  if (!message.given()) return false;
  const Complaint complaint = complaint_of(message, arena_);
  const std::string_view reason = failure_reason({{}, complaint.code, {}, complaint.message});
  const std::optional<std::int64_t> attempt = attempt_in(complaint.message);
  const bool limited = reason == "rate_limited" || reason == "overloaded" || reason == "quota";
  if (attempt.has_value() || limited) {
    RateLimited limit;
    limit.status = attempt.has_value() ? "retrying" : "rejected";
    limit.limit = reason;
    limit.attempt = attempt;
    std::string quoted;
    json::append_string(quoted, complaint.message);
    events.emit(limit, Channel::system, Extras().add_raw("message", quoted));
  } else if (complaint.message.substr(0, 12) == "Reconnecting") {
    activity("reconnecting", complaint.message, events);
  } else {
    events.finding("agent_warning", Level::warning, complaint.message);
  }
  return true;
}

// The agent complains and goes on. False: it does not say what about.
bool CodexReader::warn(const Value& message, LineEvents& events) {
  if (!message.given()) return false;
  events.finding("agent_warning", Level::warning, complaint_of(message, arena_).message);
  return true;
}

void CodexReader::abandon_tools(Whose whose, const Origin& where, LineEvents& events) {
  std::vector<std::string> abandoned;
  for (const RunningTool* tool : tools_.all()) {
    if (whose == Whose::the_threads && tool->parent != where.parent) continue;
    abandon(*tool, where, events);
    abandoned.push_back(tool->id);
  }
  for (const std::string& id : abandoned) tools_.close(*tools_.find(id));
}

void CodexReader::abandon(const RunningTool& tool, const Origin& where, LineEvents& events) {
  if (tool.tool == kPatchTool) {
    tell_start_of_patch(tool, where, events);
    forget_patch(tool.id);
  }
  give_abandoned(tool, where, events);
}

// Of a message that is not going to be completed.
void CodexReader::read_fragments(LineEvents& events) {
  if (fragment_text_.empty()) return;
  CarriedBlock block;
  block.origin = events.origin_behind(Channel::assistant_text);
  block.block = blocks_++;
  block.partial = true;
  scanner_.read(fragment_text_, block, events.sink());
  fragment_text_.clear();
}

}  // namespace dragoman
