// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/codex_reader.hpp"

#include <utility>

namespace dragoman {

CodexReader::CodexReader(ReaderOptions options)
    : options_(std::move(options)),
      lines_(Dialect::codex, options_),
      scanner_(options_, ids_),
      questions_(Channel::control),
      cwd_(options_.cwd) {}

void CodexReader::push(std::string_view chunk, EventSink& out) {
  lines_.push(chunk, out, [this](const Line& line, LineEvents& events) { read(line, events); });
}

void CodexReader::finish(EventSink& out) {
  lines_.finish(out, [this](const Line& line, LineEvents& events) { read(line, events); });
  LineEvents events = lines_.behind_the_end(out);
  read_fragments(events);
  abandon_tools(Whose::everyones, events.origin_in(Channel::tool_result), events);
}

void CodexReader::read(const Line& line, LineEvents& events) {
  arena_.reset();
  line_ = CodexLine{};
  other_thread_ = {};
  bool duplicate = false;
  json::Cursor cursor(line.content, lines_.scalars());
  pass_object(cursor, kCodexLine, line_, duplicate);
  if (!cursor.finish()) {
    JsonLines::report_fault(line, cursor, events, arena_);
    return;
  }
  events.string_findings(cursor);
  if (line_.item.absent() && line_.data.is(json::Kind::object)) {
    const Value type = line_.type;
    const Value data = line_.data;
    read_object(data.raw, kCodexLine, line_);
    line_.type = type;
    const bool of_item = string(type).substr(0, 5) == "item.";
    if (of_item && line_.item.absent()) line_.item = data;
  }
  if (duplicate) events.form_finding("duplicate_key", "the last of two equal keys wins");
  const std::string_view type = string(line_.type);
  bool known = false;
  if (line_.msg.is(json::Kind::object)) {
    known = read_message(line_.msg, events);
  } else if (!type.empty()) {
    known = read_event(type, events);
  } else if (line_.method.is(json::Kind::string) || !line_.result.absent() ||
             !line_.error.absent()) {
    known = read_rpc(events);
  } else if (line_.session_id.is(json::Kind::string)) {
    start_session(string(line_.session_id), line_.model, line_.cwd, events);
    known = true;
  }
  if (known) return;
  std::string_view label = type.empty() ? string(line_.method) : type;
  if (line_.msg.is(json::Kind::object)) {
    CodexItem message;
    read_object(line_.msg.raw, kCodexItem, message);
    label = string(message.type);
  }
  JsonLines::report_unknown(line, line.content, label, events, arena_);
}

bool CodexReader::read_event(std::string_view type, LineEvents& events) {
  const bool begins = type == "thread.started" || type == "session.created";
  if (!begins) attribute(line_.thread_id, events);
  if (type == "item.completed") return read_item(line_.item, Phase::completed, events);
  if (type == "item.started" || type == "item.added") {
    return read_item(line_.item, Phase::started, events);
  }
  if (type == "item.updated") return read_item(line_.item, Phase::updated, events);
  if (begins) {
    begin_run(events);
    const Value& id = line_.thread_id.absent() ? line_.session_id : line_.thread_id;
    if (string(id).empty()) return false;
    const bool again = !session_.empty();
    start_session(string(id), line_.model, line_.cwd, events);
    if (again) activity("turn_started", {}, events);
  } else if (type == "turn.started") {
    start_turn(events);
  } else if (is_subagents(events) && (type == "turn.completed" || type == "turn.failed")) {
    end_subagents_turn(type, {}, line_.error, events);
  } else if (type == "turn.completed") {
    complete_turn(line_.usage, events);
  } else if (type == "turn.failed") {
    fail_turn(line_.error.absent() ? line_.message : line_.error, "failed", events);
  } else if (type == "error") {
    return read_error(line_.message.given() ? line_.message : line_.error, events);
  } else if (type == "request_user_input" && line_.questions.is(json::Kind::array)) {
    questions_.ask(id_of(line_.call_id), {}, line_.questions.raw,
                   QuestionSource::request_user_input, events, arena_);
  } else if (type == "item.plan.delta") {
    activity(type, {}, events);
  } else {
    return false;
  }
  return true;
}

}  // namespace dragoman
