// SPDX-License-Identifier: Apache-2.0
// One line of Claude Code's stream, taken apart in a single pass.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dragoman/json/cursor.hpp"

namespace dragoman {

struct ClaudeUsage {
  json::Value input_tokens;
  json::Value cache_creation_input_tokens;
  json::Value cache_read_input_tokens;
  json::Value output_tokens;
  json::Value output_tokens_details;
};

// One element of message.content[].
struct ClaudeBlock {
  json::Value type;
  json::Value id;
  json::Value name;
  json::Value text;
  json::Value thinking;
  json::Value data;  // of redacted thinking
  json::Value tool_use_id;
  json::Value content;
  json::Value is_error;
  json::Value input;
  // The element as it was written, where its type is none of the common ones, or promises words
  // that are not there.
  std::string_view raw;
};

struct ClaudeMessage {
  json::Value id;
  json::Value model;
  json::Value content;  // when it is no array: a string
  bool has_usage = false;
  ClaudeUsage usage;
};

// The `event` of a stream_event line.
struct ClaudeFragment {
  json::Value type;
  json::Value index;
  json::Value delta_type;
  json::Value text;
  json::Value thinking;
};

// The `request` of a control_request line.
struct ClaudeRequest {
  json::Value subtype;
  json::Value tool_name;
  json::Value input;
  json::Value tool_use_id;
  json::Value blocked_path;
  json::Value permission_suggestions;
};

// Everything a line of any type may say at its top level that we read. A value that is not in the
// line is absent; what we do not read is passed over and checked on the way.
struct ClaudeFields {
  json::Value type;
  json::Value subtype;
  json::Value session_id;
  json::Value session_id_camel;  // only in transcript files
  json::Value uuid;
  json::Value parent_tool_use_id;
  json::Value is_sidechain;  // transcript files: a subagent's line
  // A user's line that no user wrote.
  json::Value is_replay;
  json::Value is_meta;
  json::Value is_synthetic;
  json::Value is_compact_summary;
  json::Value cwd;
  json::Value version;
  json::Value message_text;  // `message` when it is no object
  json::Value event;
  json::Value request;
  json::Value response;
  json::Value request_id;
  json::Value api_message_id;
  json::Value abandoned_blocks;

  json::Value tool_use_result;
  json::Value tool_use_result_camel;
  json::Value tool_result_meta;
  json::Value aborted;
  json::Value error;
  json::Value api_error;
  json::Value api_error_type;
  json::Value api_error_status;
  json::Value is_api_error_message;
  json::Value is_api_error_message_camel;

  json::Value is_error;
  json::Value result;
  json::Value errors;
  json::Value stop_reason;
  json::Value terminal_reason;
  json::Value num_turns;
  json::Value duration_ms;
  json::Value total_cost_usd;
  json::Value model_usage;
  json::Value permission_denials;
  json::Value structured_output;
  json::Value result_index;
  json::Value origin;

  json::Value model;
  json::Value tools;
  json::Value mcp_servers;
  json::Value mcp_server_errors;

  json::Value attempt;
  json::Value max_retries;
  json::Value retry_delay_ms;
  json::Value retry_after_ms;
  json::Value error_status;
  json::Value rate_limit_info;

  json::Value tool_use_id;
  json::Value tool_name;
  json::Value task_id;
  json::Value task_type;
  json::Value is_backgrounded;
  json::Value patch;
  json::Value tasks;
  json::Value status;
  json::Value state;
  json::Value summary;
  json::Value leaf_uuid;
  json::Value description;
  json::Value content;
  json::Value suggestion;
  json::Value hook_name;
  json::Value hook_event;
  json::Value outcome;
  json::Value compact_result;
  json::Value exit_code;
  json::Value elapsed_time_seconds;
  json::Value estimated_tokens;
  json::Value compact_metadata;
  json::Value new_conversation_id;
  json::Value trigger;

  bool has_message = false;  // `message` is an object
  bool has_usage = false;
  bool duplicate_key = false;  // among the members we read
  ClaudeMessage message;
  ClaudeUsage usage;
  ClaudeFragment fragment;
  ClaudeRequest can_use;
};

struct ClaudeLine : ClaudeFields {
  static constexpr std::size_t kMostSet = 80;
  std::array<json::Value*, kMostSet> set;  // which of the fields above are not absent
  std::size_t set_count = 0;
  bool message_set = false;         // something of the message is
  std::vector<ClaudeBlock> blocks;  // message.content[]
  std::size_t shape = 0;  // 1 + the shape it was filled by (claude_shapes.hpp); 0: taken apart
};

// Makes everything absent and keeps the memory.
void clear(ClaudeLine& line);

// Reads the object at the cursor. When the cursor is not ok afterwards, the contents mean nothing.
void read_claude_line(json::Cursor& cursor, ClaudeLine& line);

}  // namespace dragoman
