// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "dragoman/dialect/delegator_reader.hpp"
#include "dragoman/dialect/failure_reason.hpp"
#include "dragoman/dialect/question_payload.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {
namespace {

struct RawError {
  json::Value code;
  json::Value message;
  json::Value details;
  json::Value retryable;
  json::Value duration_ms;
};
constexpr FieldTable kError({
    Slot<RawError>{"code", &RawError::code},
    {"message", &RawError::message},
    {"details", &RawError::details},
    {"retryable", &RawError::retryable},
    {"duration_ms", &RawError::duration_ms},
});

struct Details {
  json::Value reason;
  json::Value suggestion;
  json::Value state;
};
constexpr FieldTable kDetails({
    Slot<Details>{"reason", &Details::reason},
    {"suggestion", &Details::suggestion},
    {"state", &Details::state},
});

struct Progress {
  json::Value percent;
  json::Value completed_steps;
  json::Value total_steps;
  json::Value current_activity;
};
constexpr FieldTable kProgress({
    Slot<Progress>{"percent", &Progress::percent},
    {"completed_steps", &Progress::completed_steps},
    {"total_steps", &Progress::total_steps},
    {"current_activity", &Progress::current_activity},
});

struct Output {
  json::Value standard_output;
  json::Value standard_error;
};
constexpr FieldTable kOutput({
    Slot<Output>{"stdout", &Output::standard_output},
    {"stderr", &Output::standard_error},
});

bool is_terminal(std::string_view state) {
  return state == "completed" || state == "failed" || state == "cancelled" || state == "timeout";
}

// The words of failure_reason() and those of who supervises a run. Other servers put the type of an
// exception there (TypeError), which is no reason that a script could act on.
bool is_reason(std::string_view error_type) {
  constexpr std::array<std::string_view, 18> kReasons = {
      "rate_limited",   "overloaded",      "network",     "auth_required",    "quota",
      "not_a_git_repo", "output_limit",    "max_turns",   "budget",           "refusal",
      "stuck",          "session_expired", "interrupted", "context_too_long", "incomplete",
      "unanswered",     "orphaned",        "exit_nonzero"};
  return std::ranges::find(kReasons, error_type) != kReasons.end();
}

std::string_view category_label(DelegatorCategory category) {
  return category == DelegatorCategory::wait_result ? "wait_result" : "result_set";
}

}  // namespace

// Everything is looked at before anything is said: strict mode refuses the whole envelope.
Variants DelegatorReader::variants_of(const DelegatorEnvelope& envelope,
                                      DelegatorCategory& category, bool& failed) {
  Variants variants;
  category = category_of(envelope, variants, arena_);
  failed = reports_error(envelope, variants);
  if (failed && envelope.error.is(json::Kind::object)) {
    RawError error;
    read_object(envelope.error.raw, kError, error);
    if (error.details.is(json::Kind::array)) variants.note("error.details is an array");
  }
  const DelegatorData data = read_delegator_data(envelope.meta, envelope.data);
  (void)state_named(string(data.state.absent() ? data.status : data.state), variants);
  DelegatorMetadata metadata;
  read_delegator_metadata(data.metadata, metadata, variants, arena_);
  if (category == DelegatorCategory::status_snapshot) {
    for (const Value& list : {data.tasks, data.queue, data.recently_completed}) {
      note_states(list, variants);
    }
  }
  return variants;
}

void DelegatorReader::note_states(const Value& list, Variants& variants) {
  if (!list.is(json::Kind::array)) return;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const Value entry = cursor.take();
    if (!entry.is(json::Kind::object)) continue;
    (void)state_of(read_delegator_data(entry.raw), variants);
  }
}

// Of a task in a list; absent when the list alone says how it is.
std::string_view DelegatorReader::state_of(const DelegatorData& task, Variants& variants) {
  if (task.state.is(json::Kind::string)) return state_named(string(task.state), variants);
  if (!task.status.is(json::Kind::string)) return {};
  variants.note("a task has status in place of state");
  return state_named(string(task.status), variants);
}

void DelegatorReader::emit_error(const DelegatorEnvelope& envelope, LineEvents& events) {
  RawError error;
  if (envelope.error.is(json::Kind::object)) read_object(envelope.error.raw, kError, error);
  Details details;
  if (error.details.is(json::Kind::object)) read_object(error.details.raw, kDetails, details);
  Failure failure;
  failure.code = string(error.code);
  failure.message = text_of(error.message);
  if (error.retryable.is(json::Kind::boolean)) {
    failure.recoverable = error.retryable.is_true() ? Recoverable::true_ : Recoverable::false_;
  }
  failure.suggestion = string(details.suggestion);
  failure.reason = string(details.reason);
  if (failure.reason.data() == nullptr && failure.code == "TIMEOUT") failure.reason = "timeout";
  emit_failed_task(failure, string(details.state), error.duration_ms, events);
  events.emit(failure, Channel::system,
              Extras()
                  .add("tool", envelope.tool)
                  .add("details", error.details)
                  .add("duration_ms", error.duration_ms));
}

// An error may be the end of the task that was called for, or about the call alone.
void DelegatorReader::emit_failed_task(const Failure& error, std::string_view state,
                                       const Value& duration_ms, LineEvents& events) {
  const bool timeout = error.code == "TIMEOUT";
  const bool lost = error.code == "NOT_FOUND" && state == "failed";  // its thread was gone
  if (!timeout && !lost && error.code != "TOOL_ERROR") return;
  TurnFinished turn;
  turn.ok = false;
  turn.subtype = timeout ? "timeout" : state == "cancelled" ? state : "failed";
  turn.duration_ms = NumberReader(events).amount(duration_ms);
  events.emit(turn, Channel::system);
}

void DelegatorReader::emit_session(std::string_view thread, LineEvents& events) {
  if (thread.empty() || thread == session_) return;
  session_ = thread;
  SessionStarted started;
  started.session_id = thread;
  events.emit(started, Channel::system);
}

void DelegatorReader::emit_acknowledgment(const DelegatorEnvelope& envelope, LineEvents& events) {
  const DelegatorData data = read_delegator_data(envelope.meta, envelope.data);
  emit_session(string(data.thread_id), events);
  Variants variants;
  Status status;
  status.activity = "execution_ack";
  status.task = string(data.task_id);
  status.status = state_named(string(data.state), variants);
  events.emit(status, Channel::system,
              Extras()
                  .add("accepted", data.accepted)
                  .add("capability", data.capability)
                  .add("expected_duration", data.expected_duration)
                  .add("queue_position", data.queue_position)
                  .add("estimated_start_ms", data.estimated_start_ms)
                  .add("tool", envelope.tool));
  emit_questions(data.pending_questions, events);
}

void DelegatorReader::emit_snapshot(const DelegatorEnvelope& envelope, LineEvents& events) {
  const DelegatorData data = read_delegator_data(envelope.meta, envelope.data);
  bool any = false;
  emit_tasks(data.tasks, "working", events, any);
  emit_tasks(data.queue, "queued", events, any);
  emit_tasks(data.recently_completed, {}, events, any);  // failed ones are in there too
  if (any) return;
  Status status;
  status.activity = "status_snapshot";
  events.emit(status, Channel::system, Extras().add("summary", data.summary));
}

void DelegatorReader::emit_tasks(const Value& list, std::string_view state, LineEvents& events,
                                 bool& any) {
  if (!list.is(json::Kind::array)) return;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const Value entry = cursor.take();
    if (!entry.is(json::Kind::object)) continue;
    const DelegatorData task = read_delegator_data(entry.raw);
    Progress progress;
    if (task.progress.is(json::Kind::object)) read_object(task.progress.raw, kProgress, progress);
    NumberReader numbers(events);
    Variants variants;
    Status status;
    status.activity = "status_snapshot";
    status.task = string(task.task_id);
    status.status = state_of(task, variants);
    if (status.status.data() == nullptr) status.status = state;
    status.message = text_of(progress.current_activity);
    status.progress = percentage(numbers.number(progress.percent), events);
    const auto done = numbers.integer(progress.completed_steps);
    const auto total = numbers.integer(progress.total_steps);
    if (done.value_or(-1) >= 0 && total.value_or(-1) >= 0) status.steps = Steps{*done, *total};
    events.emit(status, Channel::system, Extras().add("position", task.position));
    emit_questions(task.pending_questions, events);
    any = true;
  }
}

void DelegatorReader::emit_result(const DelegatorEnvelope& envelope, DelegatorCategory category,
                                  LineEvents& events) {
  const DelegatorData data = read_delegator_data(envelope.meta, envelope.data);
  Variants variants;
  DelegatorMetadata metadata;
  read_delegator_metadata(data.metadata, metadata, variants, arena_);
  std::string_view state = string(data.state.absent() ? data.status : data.state);
  if (state.data() == nullptr) state = metadata.task_status;
  state = state_named(state, variants);
  emit_session(metadata.thread_id, events);
  emit_output(data.output, events);
  if (!metadata.files.empty()) {
    events.emit(FilesChanged{metadata.files, false}, Channel::system);
  }
  if (metadata.has_tests) events.emit(metadata.tests, Channel::system);
  if (metadata.has_usage) {
    NumberReader numbers(events);
    Usage usage;
    usage.input_tokens = numbers.count(metadata.input_tokens);
    usage.cached_input_tokens = numbers.count(metadata.cached_tokens);
    usage.output_tokens = numbers.count(metadata.output_tokens);
    usage.scope = UsageScope::run;
    usage.final = is_terminal(state);
    events.emit(usage, Channel::system);
  }
  emit_questions(data.pending_questions, events);
  if (is_terminal(state)) {
    emit_end(data, metadata, state, events);
    return;
  }
  Status status;
  status.activity = category_label(category);
  status.task = string(data.task_id);
  status.status = state;
  status.message = text_of(data.summary);
  events.emit(status, Channel::system);
}

void DelegatorReader::emit_end(const DelegatorData& data, const DelegatorMetadata& metadata,
                               std::string_view state, LineEvents& events) {
  NumberReader numbers(events);
  TurnFinished turn;
  turn.ok = state == "completed";
  turn.subtype = state;
  turn.duration_ms = numbers.amount(data.duration_ms);
  if (!turn.duration_ms.has_value()) {
    const std::optional<Number> seconds =
        numbers.amount(data.duration_seconds.absent() ? metadata.duration : data.duration_seconds);
    if (seconds.has_value()) turn.duration_ms = Number::of(seconds->real * 1000);
    if (const auto whole = seconds.has_value() ? seconds->whole() : std::nullopt;
        whole.has_value() && *whole < INT64_MAX / 1000 && *whole > INT64_MIN / 1000) {
      turn.duration_ms = Number::of(*whole * 1000);
    }
  }
  turn.text = text_of(data.summary);
  events.emit(turn, Channel::system,
              Extras().add("task_id", data.task_id).add("exit_code", data.exit_code));
  if (turn.ok || state == "cancelled") return;
  Failure failure;
  failure.code = state == "timeout" ? "TIMEOUT" : "TOOL_ERROR";
  failure.message = metadata.error_message.data() != nullptr ? json::Text(metadata.error_message)
                                                             : text_of(data.summary);
  failure.suggestion = metadata.suggestion;
  failure.reason = state == "timeout" ? "timeout" : "agent_error";
  Extras extra;
  if (const std::string_view type = string(metadata.error_type); is_reason(type)) {
    if (state != "timeout") failure.reason = type;
    failure.recoverable = recoverable_by(failure.reason);
  } else if (!type.empty() && type != failure.reason) {
    extra.add("error_type", metadata.error_type);
  }
  events.emit(failure, Channel::system, extra);
}

// What the task printed is shown; it is the delegator that speaks here, so no marker in it counts.
void DelegatorReader::emit_output(const Value& output, LineEvents& events) {
  if (!output.is(json::Kind::object)) return;
  Output parts;
  read_object(output.raw, kOutput, parts);
  for (const Value& part : {parts.standard_output, parts.standard_error}) {
    const json::Text text = text_of(part);
    if (!text.bytes.empty()) events.emit(DisplayText{text, blocks_++}, Channel::tool_result);
  }
}

void DelegatorReader::emit_questions(const Value& list, LineEvents& events) {
  if (!list.is(json::Kind::array)) return;
  QuestionPayload payload;
  read_recorded_questions(list.raw, arena_, payload);
  for (std::size_t i = 0; i < payload.questions.size(); ++i) {
    Question question = payload.questions[i];
    question.id = payload.own_ids[i];
    if (question.id.data() == nullptr) question.id = question.text;
    events.emit(question, Channel::system, payload.extras[i]);
  }
  if (payload.dropped_entry) {
    events.form_finding("question_shape", "an entry that asks nothing was left out");
  }
}

void DelegatorReader::emit_registry(const DelegatorEnvelope& envelope, LineEvents& events) {
  const DelegatorData data = read_delegator_data(envelope.meta, envelope.data);
  Variants variants;
  Status status;
  status.activity = "registry_info";
  status.task = string(data.task_id);
  status.status = state_named(string(data.state), variants);
  status.message = text_of(data.summary.is(json::Kind::string) ? data.summary : data.operation);
  events.emit(
      status, Channel::system,
      Extras().add("tool", envelope.tool).add("meta", envelope.meta).add("data", envelope.data));
}

}  // namespace dragoman
