// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/failure_reason.hpp"
#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

struct TokenDetails {
  json::Value thinking_tokens;
};
constexpr FieldTable kTokenDetails({
    Slot<TokenDetails>{"thinking_tokens", &TokenDetails::thinking_tokens},
});

struct ResultError {
  json::Value type;
  json::Value message;
};
constexpr FieldTable kResultError({
    Slot<ResultError>{"type", &ResultError::type},
    {"message", &ResultError::message},
});

Usage usage_of(const ClaudeUsage& raw, LineEvents& events) {
  NumberReader numbers(events);
  Usage usage;
  usage.input_tokens = numbers.count(raw.input_tokens);
  usage.cached_input_tokens = numbers.count(raw.cache_read_input_tokens);
  usage.cache_write_tokens = numbers.count(raw.cache_creation_input_tokens);
  usage.output_tokens = numbers.count(raw.output_tokens);
  if (raw.output_tokens_details.is(json::Kind::object)) {
    TokenDetails details;
    read_object(raw.output_tokens_details.raw, kTokenDetails, details);
    usage.reasoning_tokens = numbers.count(details.thinking_tokens);
  }
  return usage;
}

bool same_figures(const Usage& a, const Usage& b) {
  return a.input_tokens == b.input_tokens && a.cached_input_tokens == b.cached_input_tokens &&
         a.cache_write_tokens == b.cache_write_tokens && a.output_tokens == b.output_tokens &&
         a.reasoning_tokens == b.reasoning_tokens;
}

bool is_empty_list(const json::Value& value) {
  if (!value.is(json::Kind::array)) return value.absent();
  json::Cursor cursor(value.raw);
  json::Elements elements(cursor);
  return !elements.next();
}

// Unknown is not success: the line has to say that it is no error. A subtype, where there is one,
// has to agree; the documented line has none.
bool is_good(const ClaudeLine& line, LineEvents& events) {
  const auto doubt = [&events](std::string_view rule, std::string_view why) {
    events.finding(rule, Level::warning, why, Channel::result);
  };
  if (line.is_error.absent()) {
    doubt("missing_field",
          "the result does not say whether it is an error (is_error); it is taken for no success");
  } else if (!line.is_error.is(json::Kind::boolean)) {
    doubt("field_type", "is_error is no boolean; the result is taken for no success");
  }
  if (!line.subtype.absent() && !line.subtype.is(json::Kind::string)) {
    doubt("field_type", "the result's subtype is no string; it is taken for no success");
  }
  return line.is_error.is(json::Kind::boolean) && !line.is_error.is_true() &&
         (line.subtype.absent() || line.subtype.raw == R"("success")");
}

}  // namespace

// Every block of a reply repeats the figures; they are given out once, and again when they change.
void ClaudeReader::message_usage(LineEvents& events, Channel channel) {
  if (!line_.message.has_usage || channel == Channel::synthetic_text) return;
  Usage usage = usage_of(line_.message.usage, events);
  const std::string_view id = string(line_.message.id);
  if (last_usage_.has_value() && usage_id_ == id && same_figures(*last_usage_, usage)) return;
  usage_id_ = id;
  last_usage_ = usage;
  usage.scope = UsageScope::message;
  usage.message_id = id;
  events.emit(usage, channel);
}

void ClaudeReader::turn_usage(LineEvents& events) {
  if (!line_.has_usage && line_.total_cost_usd.absent()) return;
  Usage usage = usage_of(line_.usage, events);
  const std::optional<Number> cost = NumberReader(events).amount(line_.total_cost_usd);
  if (cost.has_value()) usage.cost_usd = cost->real;
  usage.scope = UsageScope::turn;
  usage.final = true;
  events.emit(usage, Channel::result);
}

void ClaudeReader::read_result(LineEvents& events) {
  compare_with_answer(events);
  abandon_tools(true, events.origin_behind(Channel::tool_result), events);
  NumberReader numbers(events);
  TurnFinished turn;
  turn.subtype = string(line_.subtype);
  turn.ok = is_good(line_, events);
  turn.terminal_reason = string(line_.terminal_reason);
  turn.num_turns = numbers.count(line_.num_turns);
  turn.duration_ms = numbers.amount(line_.duration_ms);
  turn.text = text_of(line_.result);
  Extras extra;
  extra.add("session_id", line_.session_id)
      .add("stop_reason", line_.stop_reason)
      .add("result_index", line_.result_index)
      .add("error", line_.error)
      .add("api_error_status", line_.api_error_status)
      .add("retry_after_ms", line_.retry_after_ms)
      .add("structured_output", line_.structured_output)
      .add("modelUsage", line_.model_usage)
      .add("origin", line_.origin);
  if (!is_empty_list(line_.errors)) extra.add("errors", line_.errors);
  if (!is_empty_list(line_.permission_denials)) {
    extra.add("permission_denials", line_.permission_denials);
  }
  events.emit(turn, Channel::result, extra);
  turn_usage(events);
  if (line_.is_error.is_true() || turn.subtype.substr(0, 6) == "error_") report_failure(events);
}

void ClaudeReader::report_failure(LineEvents& events) {
  std::string_view words = string(line_.result);
  if (line_.errors.is(json::Kind::array)) {
    json::Cursor cursor(line_.errors.raw);
    json::Elements elements(cursor);
    if (elements.next()) {
      const std::string_view first = string(cursor.take());
      if (first.data() != nullptr) words = first;
    }
  }
  // Lines of some versions have one `error`, a text or an object, and no words beside it.
  ResultError error;
  if (line_.error.is(json::Kind::object)) read_object(line_.error.raw, kResultError, error);
  if (words.empty()) words = string(error.message.absent() ? line_.error : error.message);
  FailureSigns signs;
  signs.http_status = NumberReader(events).integer(line_.api_error_status);
  signs.terminal = string(line_.terminal_reason);
  signs.message = words;
  Failure failure;
  for (const Value* name :
       {&line_.api_error, &line_.api_error_type, &error.type, &line_.error, &line_.subtype}) {
    signs.error = string(*name);
    failure.reason = failure_reason(signs);
    if (failure.reason != "agent_error") break;
  }
  if (failure.reason == "agent_error" && line_.stop_reason.raw == R"("refusal")") {
    failure.reason = "refusal";
  }
  failure.code = failure_code(failure.reason, string(error.type));
  failure.message = words;
  failure.recoverable = recoverable_by(failure.reason);
  events.emit(failure, Channel::result);
}

// The agent's own name for what went wrong. A failed call of the API comes as subtype "success",
// which is no name for it.
std::string_view ClaudeReader::failure_code(std::string_view reason, std::string_view error_type) {
  for (const std::string_view code :
       {string(line_.api_error), string(line_.api_error_type), error_type, string(line_.subtype),
        string(line_.terminal_reason)}) {
    if (!code.empty() && code != "success") return code;
  }
  return reason;
}

void ClaudeReader::remember_answer(std::string_view text) {
  if (answer_.size() + text.size() > options_.line_cap) answer_lost_ = true;
  answer_known_ = !answer_lost_;
  if (answer_lost_) {
    answer_.clear();
  } else {
    answer_.append(text);
  }
}

// The result may repeat or cut the last words; the words themselves are the answer. A result that
// comes late, after another turn has begun, repeats the words of its own turn.
void ClaudeReader::compare_with_answer(LineEvents& events) {
  if (!answer_known_ || !line_.result.is(json::Kind::string)) return;
  const std::string_view result = string(line_.result);
  if (result == answer_ || (earlier_answer_known_ && result == earlier_answer_)) return;
  events.finding("result_mismatch", Level::warning,
                 "the result does not repeat the text of the last message", Channel::result);
}

}  // namespace dragoman
