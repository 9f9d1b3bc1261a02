// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_line.hpp"

#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

using json::Cursor;
using json::Kind;

using L = ClaudeFields;
constexpr FieldTable kLine({
    Slot<L>{"type", &L::type},
    {"subtype", &L::subtype},
    {"session_id", &L::session_id},
    {"sessionId", &L::session_id_camel},
    {"uuid", &L::uuid},
    {"parent_tool_use_id", &L::parent_tool_use_id},
    {"isSidechain", &L::is_sidechain},
    {"isReplay", &L::is_replay},
    {"isMeta", &L::is_meta},
    {"isSynthetic", &L::is_synthetic},
    {"isCompactSummary", &L::is_compact_summary},
    {"cwd", &L::cwd},
    {"claude_code_version", &L::version},
    {"version", &L::version},
    {"response", &L::response},
    {"request_id", &L::request_id},
    {"api_message_id", &L::api_message_id},
    {"abandoned_blocks", &L::abandoned_blocks},
    {"tool_use_result", &L::tool_use_result},
    {"toolUseResult", &L::tool_use_result_camel},
    {"tool_result_meta", &L::tool_result_meta},
    {"aborted", &L::aborted},
    {"error", &L::error},
    {"api_error", &L::api_error},
    {"api_error_type", &L::api_error_type},
    {"api_error_status", &L::api_error_status},
    {"is_api_error_message", &L::is_api_error_message},
    {"isApiErrorMessage", &L::is_api_error_message_camel},
    {"is_error", &L::is_error},
    {"result", &L::result},
    {"errors", &L::errors},
    {"stop_reason", &L::stop_reason},
    {"terminal_reason", &L::terminal_reason},
    {"num_turns", &L::num_turns},
    {"duration_ms", &L::duration_ms},
    {"total_cost_usd", &L::total_cost_usd},
    {"modelUsage", &L::model_usage},
    {"permission_denials", &L::permission_denials},
    {"structured_output", &L::structured_output},
    {"result_index", &L::result_index},
    {"origin", &L::origin},
    {"model", &L::model},
    {"tools", &L::tools},
    {"mcp_servers", &L::mcp_servers},
    {"mcp_server_errors", &L::mcp_server_errors},
    {"attempt", &L::attempt},
    {"max_retries", &L::max_retries},
    {"retry_delay_ms", &L::retry_delay_ms},
    {"retry_after_ms", &L::retry_after_ms},
    {"error_status", &L::error_status},
    {"rate_limit_info", &L::rate_limit_info},
    {"tool_use_id", &L::tool_use_id},
    {"tool_name", &L::tool_name},
    {"task_id", &L::task_id},
    {"task_type", &L::task_type},
    {"is_backgrounded", &L::is_backgrounded},
    {"patch", &L::patch},
    {"tasks", &L::tasks},
    {"status", &L::status},
    {"state", &L::state},
    {"summary", &L::summary},
    {"leafUuid", &L::leaf_uuid},
    {"description", &L::description},
    {"content", &L::content},
    {"suggestion", &L::suggestion},
    {"hook_name", &L::hook_name},
    {"hook_event", &L::hook_event},
    {"outcome", &L::outcome},
    {"compact_result", &L::compact_result},
    {"exit_code", &L::exit_code},
    {"elapsed_time_seconds", &L::elapsed_time_seconds},
    {"estimated_tokens", &L::estimated_tokens},
    {"compact_metadata", &L::compact_metadata},
    {"new_conversation_id", &L::new_conversation_id},
    {"trigger", &L::trigger},
});

static_assert(kLine.kSize <= ClaudeLine::kMostSet);

using M = ClaudeMessage;
constexpr FieldTable kMessage({
    Slot<M>{"id", &M::id},
    {"model", &M::model},
});

using B = ClaudeBlock;
constexpr FieldTable kBlock({
    Slot<B>{"type", &B::type},
    {"id", &B::id},
    {"name", &B::name},
    {"text", &B::text},
    {"thinking", &B::thinking},
    {"data", &B::data},
    {"tool_use_id", &B::tool_use_id},
    {"content", &B::content},
    {"is_error", &B::is_error},
    {"input", &B::input},
});

using U = ClaudeUsage;
constexpr FieldTable kUsage({
    Slot<U>{"input_tokens", &U::input_tokens},
    {"cache_creation_input_tokens", &U::cache_creation_input_tokens},
    {"cache_read_input_tokens", &U::cache_read_input_tokens},
    {"output_tokens", &U::output_tokens},
    {"output_tokens_details", &U::output_tokens_details},
});

using F = ClaudeFragment;
constexpr FieldTable kFragment({
    Slot<F>{"type", &F::type},
    {"index", &F::index},
});
constexpr FieldTable kDelta({
    Slot<F>{"type", &F::delta_type},
    {"text", &F::text},
    {"thinking", &F::thinking},
});

using R = ClaudeRequest;
constexpr FieldTable kRequest({
    Slot<R>{"subtype", &R::subtype},
    {"tool_name", &R::tool_name},
    {"input", &R::input},
    {"tool_use_id", &R::tool_use_id},
    {"blocked_path", &R::blocked_path},
    {"permission_suggestions", &R::permission_suggestions},
});

// Of the blocks that come all the time, and have what their type promises, nobody asks for the
// whole.
bool is_common(const ClaudeBlock& block) {
  const std::string_view type = block.type.raw;
  if (type == R"("text")") return block.text.is(Kind::string);
  if (type == R"("thinking")") return block.thinking.is(Kind::string);
  return type == R"("tool_use")" || type == R"("tool_result")";
}

void read_block(Cursor& cursor, ClaudeLine& line) {
  Cursor again = cursor;
  ClaudeBlock& block = line.blocks.emplace_back();
  pass_object(cursor, kBlock, block, line.duplicate_key);
  if (!is_common(block) && cursor.ok()) block.raw = again.skip().raw;
}

// A list of blocks, or a text. It takes the place of what an equal key has brought.
void read_content(Cursor& cursor, ClaudeLine& line) {
  line.blocks.clear();
  line.message.content = {};
  if (!cursor.next_is(Kind::array)) {
    cursor.take_into(line.message.content);
    return;
  }
  for (json::Elements blocks(cursor); blocks.next();) read_block(cursor, line);
}

void read_message(Cursor& cursor, ClaudeLine& line) {
  ClaudeMessage& message = line.message;
  line.has_message = true;
  message.id = message.model = message.content = {};
  line.blocks.clear();
  message.has_usage = false;
  bool has_content = false;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key == "content") {
      line.duplicate_key |= has_content;
      has_content = true;
      read_content(cursor, line);
    } else if (key == "usage" && cursor.next_is(Kind::object)) {
      if (message.has_usage) message.usage = {};
      message.has_usage = true;
      pass_object(cursor, kUsage, message.usage, line.duplicate_key);
    } else {
      pass_member(cursor, key, kMessage, message, line.duplicate_key);
    }
  }
}

void read_fragment(Cursor& cursor, ClaudeLine& line) {
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key == "delta") {
      pass_object(cursor, kDelta, line.fragment, line.duplicate_key);
    } else {
      pass_member(cursor, key, kFragment, line.fragment, line.duplicate_key);
    }
  }
}

// True when the member was one of the objects that are read in place.
bool read_inner(Cursor& cursor, std::string_view key, ClaudeLine& line) {
  if (key == "message") {
    line.duplicate_key |= line.has_message || !line.message_text.absent();
    line.message_set = true;
    line.has_message = false;
    line.message_text = {};
    if (cursor.next_is(Kind::object)) {
      read_message(cursor, line);
    } else {
      line.message_text = cursor.take();
    }
    return true;
  }
  if (key == "usage" && cursor.next_is(Kind::object)) {
    line.duplicate_key |= line.has_usage;
    if (line.has_usage) line.usage = {};
    line.has_usage = true;
    pass_object(cursor, kUsage, line.usage, line.duplicate_key);
    return true;
  }
  if (key == "event") {
    if (!line.event.absent()) line.fragment = {};
    if (cursor.next_is(Kind::object)) {
      line.event = {Kind::object, false, "{}"};
      read_fragment(cursor, line);
    } else {
      line.event = cursor.take();
    }
    return true;
  }
  if (key == "request" && cursor.next_is(Kind::object)) {
    if (!line.request.absent()) line.can_use = {};
    line.request = {Kind::object, false, "{}"};
    pass_object(cursor, kRequest, line.can_use, line.duplicate_key);
    return true;
  }
  return false;
}

}  // namespace

// Done once for each line, of which few have more than ten of the many fields.
void clear(ClaudeLine& line) {
  for (std::size_t i = 0; i < line.set_count; ++i) *line.set[i] = {};
  line.set_count = 0;
  line.shape = 0;
  line.duplicate_key = false;
  if (line.message_set) {
    line.message_set = line.has_message = false;
    line.message_text = {};
    line.message = {};
  }
  if (line.has_usage) {
    line.has_usage = false;
    line.usage = {};
  }
  if (!line.event.absent()) {
    line.event = {};
    line.fragment = {};
  }
  if (!line.request.absent()) {
    line.request = {};
    line.can_use = {};
  }
  line.blocks.clear();
  if (line.blocks.capacity() > 1024) line.blocks.shrink_to_fit();  // one hostile line is forgotten
}

void read_claude_line(Cursor& cursor, ClaudeLine& line) {
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    // "message", "event", "request", "usage": told apart from the many others by their length.
    if (key.size() >= 5 && key.size() <= 7 && read_inner(cursor, key, line)) continue;
    json::Value* const field = kLine.find(key, line);
    if (field == nullptr) {
      cursor.skip();
      continue;
    }
    if (field->absent()) {
      line.set[line.set_count++] = field;
    } else {
      line.duplicate_key = true;
    }
    cursor.take_into(*field);
  }
}

}  // namespace dragoman
