// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_reader.hpp"

#include <utility>

#include <fmt/format.h>

namespace dragoman {

ClaudeReader::ClaudeReader(ReaderOptions options)
    : options_(std::move(options)),
      lines_(Dialect::claude, options_),
      scanner_(options_, ids_),
      questions_(Channel::control),
      cwd_(options_.cwd) {}

void ClaudeReader::push(std::string_view chunk, EventSink& out) {
  lines_.push_ahead(chunk, out, *this);
}

void ClaudeReader::finish(EventSink& out) {
  lines_.finish(out, [this](const Line& line, LineEvents& events) { read(line, events); });
  arena_.reset();
  read_unfinished_text(out);
  LineEvents events = lines_.behind_the_end(out);
  if (!last_session_.empty() && last_session_ != session_) {
    clear(line_);
    announce_session(last_session_, events);
  }
  abandon_tools(false, events.origin_in(Channel::tool_result), events);
}

std::size_t ClaudeReader::read_known(std::string_view text) {
  arena_.reset();
  return shapes_.read(text);
}

void ClaudeReader::read(const Line& line, LineEvents& events) {
  if (read_known(line.content) == line.content.size()) {
    give_out(line, line.content, json::Cursor(line.content), events);
  } else if (line.content[line.content.find_first_not_of(" \t\r")] == '[') {
    read_array(line, events);
  } else {
    read_value(line, line.content, events);
  }
}

// --output-format json --verbose: all lines of the run in one array. Nothing is given out before
// the whole of it is known to be good.
void ClaudeReader::read_array(const Line& line, LineEvents& events) {
  json::Cursor whole(line.content, lines_.scalars());
  whole.skip();
  if (!whole.finish()) {
    JsonLines::report_fault(line, whole, events, arena_);
    return;
  }
  json::Cursor cursor(line.content);
  for (json::Elements elements(cursor); elements.next();) {
    read_value(line, cursor.skip().raw, events);
    events.set_parent({});
  }
}

void ClaudeReader::read_value(const Line& line, std::string_view json, LineEvents& events) {
  json::Cursor cursor(json, lines_.scalars());
  if (extract(cursor)) {
    give_out(line, json, cursor, events);
  } else {
    JsonLines::report_fault(line, cursor, events, arena_);
  }
}

bool ClaudeReader::extract(json::Cursor& cursor) {
  clear(line_);
  if (cursor.next_is(json::Kind::object)) {
    read_claude_line(cursor, line_);
  } else {
    cursor.skip();
  }
  return cursor.finish();
}

void ClaudeReader::give_out(const Line& line, std::string_view json, const json::Cursor& cursor,
                            LineEvents& events) {
  if (line_.uuid.is(json::Kind::string) && !recent_.insert(line_.uuid.text().bytes)) {
    events.form_finding("duplicate_line", "a line with this uuid has been read before");
    return;
  }
  events.string_findings(cursor);
  if (line_.duplicate_key) events.form_finding("duplicate_key", "the last of two equal keys wins");
  const std::string_view type = string(line_.type);
  // The progress of a tool names the tool itself, which need not be an agent with words of its own.
  if (line_.parent_tool_use_id.is(json::Kind::string) && type != "tool_progress") {
    events.set_parent(string(line_.parent_tool_use_id));
  }
  note_session(type, events);
  if (read_conversation(type, events) || read_housekeeping(type, events)) return;
  const Value& named = !line_.request.absent()              ? line_.can_use.subtype
                       : line_.event.is(json::Kind::object) ? line_.fragment.type
                                                            : line_.subtype;
  const std::string_view subtype = string(named);
  const std::string_view label =
      subtype.empty() ? type : arena_.copy(fmt::format("{}/{}", type, subtype));
  JsonLines::report_unknown(line, json, label, events, arena_);
}

bool ClaudeReader::read_conversation(std::string_view type, LineEvents& events) {
  if (type == "stream_event" && line_.event.is(json::Kind::object)) {
    return read_fragment(events);
  } else if (type == "assistant" && line_.has_message) {
    read_assistant(events);
    return has_content() || line_.message.has_usage;
  } else if (type == "user" && line_.has_message) {
    read_user(events);
    return has_content();
  } else if (type == "result") {
    read_result(events);
  } else {
    return false;
  }
  return true;
}

// A message that has none of the shapes we know is told as a whole.
bool ClaudeReader::has_content() const {
  return !line_.blocks.empty() || line_.message.content.is(json::Kind::string);
}

bool ClaudeReader::read_housekeeping(std::string_view type, LineEvents& events) {
  if (type == "system") return read_system(string(line_.subtype), events);
  if (type == "rate_limit_event") {
    read_rate_limit(events);
  } else if (type == "tool_progress") {
    activity(type, line_.tool_name, events,
             Extras()
                 .add("tool_use_id", line_.parent_tool_use_id.given() ? line_.parent_tool_use_id
                                                                      : line_.tool_use_id)
                 .add("elapsed_time_seconds", line_.elapsed_time_seconds));
  } else if (type == "tool_use_summary") {
    activity(type, line_.summary, events);
  } else if (type == "summary" && !line_.leaf_uuid.absent()) {
    activity(type, line_.summary, events);
  } else if (type == "prompt_suggestion") {
    activity(type, line_.suggestion, events);
  } else if (type == "command_lifecycle") {
    activity(type, line_.state, events);
  } else if (type == "keep_alive" || type == "auth_status") {
    activity(type, {}, events);
  } else if (type == "conversation_reset") {
    session_.clear();  // the next init brings the new one
    last_session_.clear();
    activity(type, line_.trigger, events,
             Extras().add("new_conversation_id", line_.new_conversation_id));
  } else {
    return read_control(type, events);
  }
  return true;
}

}  // namespace dragoman
