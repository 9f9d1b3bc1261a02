// SPDX-License-Identifier: Apache-2.0
// What is read from a line of Codex, whichever of its shapes it has.
#pragma once

#include "dragoman/dialect/field_table.hpp"

namespace dragoman {

// The top level. Fields that came under other spellings (threadId, data.…) are here as well.
struct CodexLine {
  json::Value type;
  json::Value id;
  json::Value msg;     // the oldest shape
  json::Value method;  // app-server and MCP
  json::Value params;
  json::Value result;
  json::Value item;
  json::Value item_id;
  json::Value thread_id;
  json::Value session_id;
  json::Value usage;
  json::Value error;
  json::Value message;
  json::Value data;
  json::Value call_id;
  json::Value questions;
  json::Value model;
  json::Value cwd;
};

using CodexLineSlot = Slot<CodexLine>;
inline constexpr FieldTable kCodexLine({
    CodexLineSlot{"type", &CodexLine::type},
    {"id", &CodexLine::id},
    {"msg", &CodexLine::msg},
    {"method", &CodexLine::method},
    {"params", &CodexLine::params},
    {"result", &CodexLine::result},
    {"item", &CodexLine::item},
    {"itemId", &CodexLine::item_id},
    {"item_id", &CodexLine::item_id},
    {"thread_id", &CodexLine::thread_id},
    {"threadId", &CodexLine::thread_id},
    {"session_id", &CodexLine::session_id},
    {"sessionId", &CodexLine::session_id},
    {"usage", &CodexLine::usage},
    {"error", &CodexLine::error},
    {"message", &CodexLine::message},
    {"data", &CodexLine::data},
    {"call_id", &CodexLine::call_id},
    {"questions", &CodexLine::questions},
    {"model", &CodexLine::model},
    {"cwd", &CodexLine::cwd},
});

// An item of a turn, or a message of the oldest shape: their fields have the same names.
struct CodexItem {
  json::Value id;
  json::Value type;
  json::Value text;
  json::Value phase;
  json::Value message;
  json::Value command;
  json::Value output;
  json::Value standard_output;
  json::Value standard_error;
  json::Value exit_code;
  json::Value status;
  json::Value success;
  json::Value changes;
  json::Value server;
  json::Value tool;
  json::Value arguments;
  json::Value invocation;
  json::Value result;
  json::Value error;
  json::Value query;
  json::Value items;
  json::Value plan;
  json::Value prompt;
  json::Value content;
  json::Value summary;
  json::Value duration_ms;
  json::Value call_id;
  json::Value approval_id;
  json::Value session_id;
  json::Value model;
  json::Value cwd;
  json::Value info;
  json::Value rate_limits;
  json::Value reason;
  json::Value last_agent_message;
  json::Value questions;
  json::Value delta;
  json::Value receivers;
};

using CodexItemSlot = Slot<CodexItem>;
inline constexpr FieldTable kCodexItem({
    CodexItemSlot{"id", &CodexItem::id},
    {"type", &CodexItem::type},
    {"item_type", &CodexItem::type},
    {"text", &CodexItem::text},
    {"phase", &CodexItem::phase},
    {"message", &CodexItem::message},
    {"command", &CodexItem::command},
    {"aggregated_output", &CodexItem::output},
    {"aggregatedOutput", &CodexItem::output},
    {"stdout", &CodexItem::standard_output},
    {"stderr", &CodexItem::standard_error},
    {"exit_code", &CodexItem::exit_code},
    {"exitCode", &CodexItem::exit_code},
    {"status", &CodexItem::status},
    {"success", &CodexItem::success},
    {"changes", &CodexItem::changes},
    {"server", &CodexItem::server},
    {"tool", &CodexItem::tool},
    {"arguments", &CodexItem::arguments},
    {"invocation", &CodexItem::invocation},
    {"result", &CodexItem::result},
    {"error", &CodexItem::error},
    {"query", &CodexItem::query},
    {"items", &CodexItem::items},
    {"plan", &CodexItem::plan},
    {"prompt", &CodexItem::prompt},
    {"content", &CodexItem::content},
    {"summary", &CodexItem::summary},
    {"durationMs", &CodexItem::duration_ms},
    {"duration_ms", &CodexItem::duration_ms},
    {"call_id", &CodexItem::call_id},
    {"approval_id", &CodexItem::approval_id},
    {"session_id", &CodexItem::session_id},
    {"model", &CodexItem::model},
    {"cwd", &CodexItem::cwd},
    {"info", &CodexItem::info},
    {"rate_limits", &CodexItem::rate_limits},
    {"reason", &CodexItem::reason},
    {"last_agent_message", &CodexItem::last_agent_message},
    {"questions", &CodexItem::questions},
    {"delta", &CodexItem::delta},
    {"receiver_thread_ids", &CodexItem::receivers},
    {"receiverThreadIds", &CodexItem::receivers},
});

// Codex itself writes the id of each web search twice, and the last one counts: nothing that the
// reader of a capture could mend. Whether that is all an item has twice.
[[nodiscard]] bool repeats_its_id_alone(std::string_view item);

// The item of a line that does so; empty when there is none.
[[nodiscard]] std::string_view item_with_two_ids(std::string_view line);

}  // namespace dragoman
