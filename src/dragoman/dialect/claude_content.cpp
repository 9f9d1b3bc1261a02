// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/failure_reason.hpp"

namespace dragoman {

// The trust rule: markers count only in what the agent itself said on its main thread. Whatever is
// named as a parent, it is not the main thread.
Channel ClaudeReader::speech_channel() {
  if (line_.parent_tool_use_id.given() || line_.is_sidechain.is_true()) {
    return Channel::subagent_text;
  }
  const bool made_up = line_.is_api_error_message.is_true() ||
                       line_.is_api_error_message_camel.is_true() ||
                       string(line_.message.model) == "<synthetic>";
  return made_up ? Channel::synthetic_text : Channel::assistant_text;
}

void ClaudeReader::read_assistant(LineEvents& events) {
  const Channel channel = speech_channel();
  if (channel != Channel::subagent_text) {
    drop_fragments();
    const std::string_view id = string(line_.message.id);
    if (id.empty() || answer_id_ != id) {  // without ids each line is a message
      answer_id_ = id;
      answer_.clear();
      answer_known_ = answer_lost_ = false;
    }
  }
  if (line_.message.content.is(json::Kind::string)) {
    read_text(line_.message.content, channel, events);
  }
  for (const ClaudeBlock& block : line_.blocks) read_block(block, channel, events);
  message_usage(events, channel);
  if (line_.aborted.is_true()) {
    activity("aborted", {}, events, {}, channel);
  }
  if (line_.error.given() || line_.is_api_error_message.is_true() ||
      line_.is_api_error_message_camel.is_true()) {
    read_api_error(events);
  }
}

void ClaudeReader::read_user(LineEvents& events) {
  const bool by_user =
      !line_.is_meta.is_true() && !line_.is_synthetic.is_true() &&
      !line_.is_compact_summary.is_true() && speech_channel() != Channel::subagent_text &&
      std::ranges::all_of(line_.blocks,
                          [](const ClaudeBlock& block) { return block.tool_use_id.absent(); });
  const auto read_words = [&](const Value& words) {
    echoed_text(words, events);
    if (!by_user || (spoken_.empty() && questions_.empty())) return;
    const std::string_view answer = answer_in(string(words));
    if (answer.empty()) return;
    spoken_.answer_in_words(answer, events);
    questions_.answer_in_words(answer, events, arena_);
  };
  if (line_.message.content.is(json::Kind::string)) read_words(line_.message.content);
  for (const ClaudeBlock& block : line_.blocks) {
    if (block.type.raw == R"("text")" && block.text.is(json::Kind::string)) {
      read_words(block.text);
    } else {
      read_block(block, Channel::user, events);
    }
  }
}

void ClaudeReader::read_block(const ClaudeBlock& block, Channel channel, LineEvents& events) {
  const std::string_view type = string(block.type);
  if (type == "text" && block.text.is(json::Kind::string)) {
    read_text(block.text, channel, events);
  } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
    start_tool(block, events);
  } else if (type == "tool_result" || type == "web_search_tool_result" ||
             (type.size() > 12 && type.substr(type.size() - 12) == "_tool_result")) {
    finish_tool(block, events);
  } else if (type == "thinking" && block.thinking.is(json::Kind::string)) {
    Thinking thinking;
    thinking.text = text_of(block.thinking);
    events.emit(thinking, Channel::thinking);
  } else if (type == "redacted_thinking") {
    Thinking thinking;
    thinking.redacted = true;
    events.emit(thinking, Channel::thinking, Extras().add("data", block.data));
  } else {
    // A kind of block nobody knew, or one without its words: the message is readable all the same.
    // Nothing of it was looked at closely before, and what is passed on as raw JSON is always well
    // formed.
    json::Cursor cursor(block.raw, json::Cursor::Scalars::exact);
    const Value whole = cursor.take();
    if (cursor.finish()) {
      events.emit(Unknown{type, Raw{whole.raw}}, channel);
    } else {
      events.emit(Malformed{block.raw, "bad_json", "a content block that is no JSON", type},
                  channel);
    }
  }
}

void ClaudeReader::read_text(const Value& text, Channel channel, LineEvents& events) {
  if (!text.is(json::Kind::string)) return;
  if (channel == Channel::synthetic_text) {
    plain_text(text, channel, events);
    remember_answer(json::decode(text.text(), arena_));
    return;
  }
  if (channel != Channel::assistant_text && channel != Channel::subagent_text) {
    plain_text(text, channel, events);
    return;
  }
  const std::string_view decoded = json::decode(text.text(), arena_);
  CarriedBlock block;
  block.origin = events.origin_in(channel);
  block.block = blocks_++;
  block.report_only = channel == Channel::subagent_text;
  scanner_.read(decoded, block, spoken_.on_the_way_to(events.sink()));
  if (channel == Channel::assistant_text) remember_answer(decoded);
}

// Words that are shown and never searched.
void ClaudeReader::plain_text(const Value& text, Channel channel, LineEvents& events) {
  if (!text.is(json::Kind::string)) return;
  events.emit(DisplayText{text.text(), blocks_++}, channel);
}

// What was said to it, repeated: the uuid tells which message it was.
void ClaudeReader::echoed_text(const Value& text, LineEvents& events) {
  if (!line_.is_replay.is_true()) return plain_text(text, Channel::user, events);
  events.emit(DisplayText{text.text(), blocks_++}, Channel::user,
              Extras().add("replay", line_.uuid));
}

void ClaudeReader::read_api_error(LineEvents& events) {
  FailureSigns signs;
  signs.http_status = NumberReader(events).integer(line_.api_error_status);
  signs.error = string(line_.error);
  std::string_view words;
  for (const ClaudeBlock& block : line_.blocks) {
    if (words.empty()) words = string(block.text);
  }
  signs.message = words;
  Failure failure;
  failure.code = signs.error.data() != nullptr ? signs.error : "api_error";
  failure.message = words;
  failure.reason = failure_reason(signs);
  if (failure.reason == "agent_error" && !line_.api_error.absent()) {
    signs.error = string(line_.api_error);
    failure.reason = failure_reason(signs);
  }
  failure.recoverable = recoverable_by(failure.reason);
  events.emit(failure, Channel::synthetic_text,
              Extras().add("api_error_status", line_.api_error_status));
}

}  // namespace dragoman
