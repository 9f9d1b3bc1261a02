// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/otlp_writer.hpp"

#include <fmt/format.h>

#include "dragoman/base/saturating.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

constexpr std::uint64_t kTick = 1'000'000;  // between events that carry no time
constexpr int kInternal = 1;                // SPAN_KIND_INTERNAL
constexpr int kFailed = 2;                  // STATUS_CODE_ERROR

void open_attribute(std::string& out, string_view key) {
  if (!out.empty()) out.push_back(',');
  out += "{\"key\":";
  json::append_string(out, key);
  out += ",\"value\":{";
}

void put(std::string& out, string_view key, string_view value) {
  if (value.empty()) return;
  open_attribute(out, key);
  out += "\"stringValue\":";
  json::append_string(out, value);
  out += "}}";
}

// 64-bit numbers are strings in OTLP/JSON.
void put(std::string& out, string_view key, std::int64_t value) {
  open_attribute(out, key);
  out += fmt::format("\"intValue\":\"{}\"}}}}", value);
}

void put(std::string& out, string_view key, double value) {
  open_attribute(out, key);
  out += "\"doubleValue\":";
  json::append_number(out, Number::of(value));
  out += "}}";
}

void put_text(std::string& out, string_view key, const json::Text& value) {
  if (!value.bytes.empty()) put(out, key, string_view(value.str()));
}

std::string status_attributes(const Status& p) {
  std::string out;
  put(out, "dragoman.status", p.status);
  put_text(out, "dragoman.message", p.message);
  put(out, "dragoman.activity", p.activity);
  if (p.progress) put(out, "dragoman.progress", p.progress->real);
  return out;
}

std::string question_attributes(const Question& p) {
  std::string out;
  put(out, "dragoman.question.id", p.id);
  put(out, "dragoman.question.kind", name(p.kind));
  put(out, "dragoman.question.state", name(p.state));
  put(out, "dragoman.question.options", static_cast<std::int64_t>(p.options.size()));
  return out;
}

std::string failure_attributes(const Failure& p) {
  std::string out;
  put(out, "error.type", p.reason.empty() ? p.code : p.reason);
  put(out, "dragoman.failure.code", p.code);
  put_text(out, "exception.message", p.message);
  return out;
}

std::string limit_attributes(const RateLimited& p) {
  std::string out;
  put(out, "dragoman.limit.status", p.status);
  put(out, "dragoman.limit.type", p.limit);
  if (p.attempt) put(out, "dragoman.limit.attempt", *p.attempt);
  return out;
}

string_view provider_of(Dialect dialect) {
  if (dialect == Dialect::claude) return "anthropic";
  return dialect == Dialect::codex || dialect == Dialect::delegator ? "openai" : string_view();
}

}  // namespace

std::uint64_t OtlpWriter::time_of(const Event& event) {
  std::uint64_t at = last_ + kTick;
  if (event.ts && event.ts->time_since_epoch().count() > 0) {
    at = static_cast<std::uint64_t>(event.ts->time_since_epoch().count()) * 1'000'000;
    if (at < last_) at = last_;  // clocks are set back; spans do not run backwards
  }
  if (count_++ == 0) first_ = at;
  last_ = at;
  return at;
}

Result<Written> OtlpWriter::write(const Event& event, std::string& /*out*/) {
  const std::uint64_t at = time_of(event);
  if (seed_.empty()) append_data(seed_, event);
  const Dialect carrier = event.origin.via.value_or(event.origin.dialect);
  if (agent_ == "agent" && carrier != Dialect::text) agent_ = name(carrier);
  if (provider_.empty()) provider_ = provider_of(carrier);
  switch (event.kind()) {
    case Kind::session_started:
      note_session(*event.as<SessionStarted>());
      return Written::yes;
    case Kind::tool_started:
      start_tool(*event.as<ToolStarted>(), at);
      return Written::yes;
    case Kind::tool_finished:
      return end_tool(*event.as<ToolFinished>(), at);
    case Kind::usage:
      if (event.as<Usage>()->scope == UsageScope::message) return Written::no;
      note_usage(*event.as<Usage>(), event);
      return Written::yes;
    case Kind::turn_finished:
      note_turn(*event.as<TurnFinished>());
      return Written::yes;
    case Kind::finished:
      if (event.as<Finished>()->verdict != "completed") error_ = event.as<Finished>()->verdict;
      return Written::yes;
    case Kind::command_started:
    case Kind::status:
    case Kind::question:
    case Kind::blocked:
    case Kind::failure:
    case Kind::rate_limited:
    case Kind::completion_claimed:
      add_event(event, at);
      return Written::yes;
    case Kind::text:  // content
    case Kind::thinking:
    case Kind::files_changed:
    case Kind::next_action:
    case Kind::artifact_updated:
    case Kind::server_ready:
    case Kind::go_to:
    case Kind::context_request:
    case Kind::test_results:
    case Kind::lint_warnings:
    case Kind::dependency_needed:
    case Kind::commit_suggestion:
    case Kind::quoted_marker:
    case Kind::malformed:
    case Kind::oversize:
    case Kind::unknown:
    case Kind::diagnostic:
      return Written::no;
  }
  return Written::no;
}

void OtlpWriter::note_session(const SessionStarted& session) {
  if (!session.session_id.empty()) session_ = session.session_id;
  if (!session.model.empty()) model_ = session.model;
}

void OtlpWriter::note_usage(const Usage& usage, const Event& event) {
  std::int64_t input = usage.input_tokens.value_or(0);
  if (event.origin.dialect == Dialect::claude) {  // which counts cached input apart
    input = saturating_add(input, usage.cached_input_tokens.value_or(0));
    input = saturating_add(input, usage.cache_write_tokens.value_or(0));
  }
  const bool adds = usage.scope == UsageScope::turn;
  tokens_ = {true, saturating_add(adds ? tokens_.input : 0, input),
             saturating_add(adds ? tokens_.output : 0, usage.output_tokens.value_or(0))};
}

void OtlpWriter::note_turn(const TurnFinished& turn) {
  error_.clear();
  if (turn.ok) return;
  error_ = !turn.terminal_reason.empty() ? turn.terminal_reason : turn.subtype;
  if (error_.empty()) error_ = "failed";
}

void OtlpWriter::start_tool(const ToolStarted& tool, std::uint64_t at) {
  Span span;
  span.id = sha256_hex(fmt::format("{}\n{}\n{}", seed_, tools_.size(), tool.id), 16);
  span.name = fmt::format("execute_tool {}", tool.tool);
  span.start = span.end = at;
  put(span.attributes, "gen_ai.operation.name", string_view("execute_tool"));
  put(span.attributes, "gen_ai.tool.name", tool.tool);
  put(span.attributes, "gen_ai.tool.call.id", tool.id);
  put(span.attributes, "gen_ai.tool.type",
      string_view(tool.tool.starts_with("mcp__") ? "extension" : "function"));
  by_id_.insert_or_assign(std::string(tool.id), tools_.size());
  tools_.push_back(std::move(span));
}

Written OtlpWriter::end_tool(const ToolFinished& tool, std::uint64_t at) {
  const auto known = by_id_.find(tool.id);
  if (known == by_id_.end() || !tools_[known->second].open) return Written::no;
  Span& span = tools_[known->second];
  span.open = false;
  span.end = at;
  // Without times of their own, a tool lasts as long as it says.
  if (tool.duration_ms && tool.duration_ms->real > 0 && tool.duration_ms->real < 1e9) {
    const auto lasted = static_cast<std::uint64_t>(tool.duration_ms->real * 1e6);
    if (span.start + lasted > span.end) {
      span.end = span.start + lasted;
      last_ = span.end;
    }
  }
  if (tool.exit_code) put(span.attributes, "process.exit.code", *tool.exit_code);
  if (tool.outcome != Outcome::ok) {
    span.error = name(tool.outcome);
    put(span.attributes, "error.type", string_view(span.error));
  }
  return Written::yes;
}

void OtlpWriter::add_event(const Event& event, std::uint64_t at) {
  std::string attributes;
  if (const auto* p = event.as<Status>()) attributes = status_attributes(*p);
  if (const auto* p = event.as<Question>()) attributes = question_attributes(*p);
  if (const auto* p = event.as<Failure>()) attributes = failure_attributes(*p);
  if (const auto* p = event.as<RateLimited>()) attributes = limit_attributes(*p);
  if (const auto* p = event.as<Blocked>()) put(attributes, "dragoman.reason", p->reason);
  if (const auto* p = event.as<CompletionClaimed>()) put(attributes, "dragoman.by", p->by);
  if (const auto* p = event.as<CommandStarted>()) {
    put(attributes, "dragoman.command", p->command);
    put(attributes, "dragoman.args", p->args);
  }
  if (!events_.empty()) events_.push_back(',');
  events_ += fmt::format("{{\"timeUnixNano\":\"{}\",\"name\":\"dragoman.{}\",\"attributes\":[{}]}}",
                         at, name(event.kind()), attributes);
}

void OtlpWriter::put_span(std::string& out, const Span& span, string_view trace,
                          string_view parent) {
  out += fmt::format("{{\"traceId\":\"{}\",\"spanId\":\"{}\",", trace, span.id);
  if (!parent.empty()) out += fmt::format("\"parentSpanId\":\"{}\",", parent);
  out += "\"name\":";
  json::append_string(out, string_view(span.name));
  out += fmt::format(",\"kind\":{},\"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{}\"",
                     kInternal, span.start, span.end);
  out += fmt::format(",\"attributes\":[{}]", span.attributes);
  if (!span.events.empty()) out += fmt::format(",\"events\":[{}]", span.events);
  out += ",\"status\":{";
  if (!span.error.empty()) {
    out += fmt::format("\"code\":{},\"message\":", kFailed);
    json::append_string(out, string_view(span.error));
  }
  out += "}}";
}

void OtlpWriter::finish(std::string& out) {
  if (count_ == 0) return;
  const std::string trace = sha256_hex("trace\n" + seed_, 32);
  Span root;
  root.id = sha256_hex("root\n" + seed_, 16);
  root.name = "invoke_agent " + agent_;
  root.start = first_;
  root.end = last_;
  root.events = events_;
  root.error = error_;
  put(root.attributes, "gen_ai.operation.name", string_view("invoke_agent"));
  put(root.attributes, "gen_ai.provider.name", string_view(provider_));
  put(root.attributes, "gen_ai.agent.name", string_view(agent_));
  put(root.attributes, "gen_ai.conversation.id", string_view(session_));
  put(root.attributes, "gen_ai.request.model", string_view(model_));
  if (tokens_.known) {
    put(root.attributes, "gen_ai.usage.input_tokens", tokens_.input);
    put(root.attributes, "gen_ai.usage.output_tokens", tokens_.output);
  }
  put(root.attributes, "error.type", string_view(error_));
  out +=
      "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
      "{\"stringValue\":\"dragoman\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"dragoman\"},"
      "\"spans\":[";
  put_span(out, root, trace, {});
  for (Span& tool : tools_) {
    if (tool.open) {  // it never ended: it lasts as long as the run
      tool.end = last_;
      tool.error = "abandoned";
      put(tool.attributes, "error.type", string_view("abandoned"));
    }
    out.push_back(',');
    put_span(out, tool, trace, root.id);
  }
  out += "]}]}]}\n";
}

}  // namespace dragoman
