// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/codex_reader.hpp"
#include "dragoman/dialect/tool_output.hpp"

namespace dragoman {
namespace {

// Messages that say nothing a reader of the finished ones would miss.
constexpr std::array<std::string_view, 14> kActivities = {
    "agent_reasoning_section_break",
    "background_event",
    "turn_diff",
    "mcp_startup_update",
    "mcp_startup_complete",
    "web_search_begin",
    "exec_command_output_delta",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content_delta",
    "shutdown_complete",
    "context_compacted",
    "deprecation_notice",
    "warning",
    "mcp_list_tools_response",
};

struct Info {
  json::Value total_token_usage;
};
constexpr FieldTable kInfo({Slot<Info>{"total_token_usage", &Info::total_token_usage}});

struct Outcomes {
  json::Value ok;
  json::Value err;
};
constexpr FieldTable kOutcomes({
    Slot<Outcomes>{"Ok", &Outcomes::ok},
    {"Err", &Outcomes::err},
});

struct McpResult {
  json::Value content;
  json::Value is_error;
};
constexpr FieldTable kMcpResult({
    Slot<McpResult>{"content", &McpResult::content},
    {"isError", &McpResult::is_error},
    {"is_error", &McpResult::is_error},
});

}  // namespace

// ["bash","-lc","ls"] as one line.
std::string CodexReader::command_line(const Value& command) {
  std::string line;
  if (command.is(json::Kind::string)) json::decode_to(line, command.text());
  if (!command.is(json::Kind::array)) return line;
  json::Cursor cursor(command.raw);
  for (json::Elements words(cursor); words.next();) {
    const Value word = cursor.take();
    if (!word.is(json::Kind::string)) continue;
    if (!line.empty()) line += ' ';
    json::decode_to(line, word.text());
  }
  return line;
}

bool CodexReader::read_message(const Value& value, LineEvents& events) {
  CodexItem msg;
  read_object(value.raw, kCodexItem, msg);
  const std::string_view type = string(msg.type);
  if (read_legacy_turn(type, msg, events)) return true;
  if (read_legacy_speech(type, msg, events) || read_legacy_tool(type, msg, events)) {
    count_item(events);
    return true;
  }
  if (std::find(kActivities.begin(), kActivities.end(), type) == kActivities.end()) return false;
  activity(type, text_of(msg.message), events);
  return true;
}

bool CodexReader::read_legacy_turn(std::string_view type, const CodexItem& msg,
                                   LineEvents& events) {
  if (type == "session_configured") {
    const std::string_view id = string(msg.session_id);
    if (id.empty()) return false;
    if (is_subagents(events) && !is_session(id)) {
      activity(type, {}, events);
      return true;
    }
    events.set_parent({});
    start_session(id, msg.model, msg.cwd, events);
  } else if (type == "task_started") {
    start_turn(events);
  } else if (is_subagents(events) && (type == "task_complete" || type == "turn_aborted")) {
    end_subagents_turn(type, {}, msg.reason, events);
  } else if (type == "task_complete") {
    TurnFinished turn;
    turn.ok = true;
    turn.subtype = "completed";
    turn.text = text_of(msg.last_agent_message);
    if (turn.text.absent() && !last_message_.empty()) turn.text = json::Text(last_message_);
    end_turn(turn, events);
  } else if (type == "turn_aborted") {
    fail_turn(msg.reason, "aborted", events);
  } else if (type == "token_count") {
    Info info;
    if (msg.info.is(json::Kind::object)) read_object(msg.info.raw, kInfo, info);
    return report_usage(info.total_token_usage, false, events,
                        Extras().add("rate_limits", msg.rate_limits));
  } else if (type == "error" || type == "stream_error") {
    return read_error(msg.message, events);
  } else {
    return false;
  }
  return true;
}

bool CodexReader::read_legacy_speech(std::string_view type, const CodexItem& msg,
                                     LineEvents& events) {
  if (type == "agent_message" && msg.message.is(json::Kind::string)) {
    say(msg.message, msg.phase, events);
  } else if (type == "agent_message_delta") {
    read_delta(msg.delta, events);
  } else if (type == "agent_reasoning" || type == "agent_reasoning_raw_content") {
    return think(msg, events);
  } else if (type == "user_message" && msg.message.is(json::Kind::string)) {
    hear_user(msg.message.text(), events);
  } else if (type == "plan_update") {
    steps_item("plan", msg.plan, events);
  } else if (type == "request_user_input" && msg.questions.is(json::Kind::array)) {
    questions_.ask(id_of(msg.call_id), line_.id.raw, msg.questions.raw,
                   QuestionSource::request_user_input, events, arena_);
  } else {
    return false;
  }
  return true;
}

bool CodexReader::read_legacy_tool(std::string_view type, const CodexItem& msg,
                                   LineEvents& events) {
  if (type == "exec_command_begin" || type == "exec_command_end") {
    legacy_command(type == "exec_command_begin" ? Phase::started : Phase::completed, msg, events);
  } else if (type == "mcp_tool_call_begin" || type == "mcp_tool_call_end") {
    legacy_mcp(type == "mcp_tool_call_begin" ? Phase::started : Phase::completed, msg, events);
  } else if (type == "web_search_end") {  // what is searched for is not known when it begins
    CodexItem search = msg;
    search.id = msg.call_id;
    search_item(search, Phase::completed, events);
  } else if (type == "patch_apply_begin") {
    const std::string_view id = call_id(msg.call_id, kPatchTool, Phase::started, events);
    begin_patch(id, msg.changes);
    start_patch(id, events);
    activity(type, {}, events);
  } else if (type == "patch_apply_end") {
    end_patch(msg, events);
  } else if (type == "exec_approval_request") {
    ask_for_command({id_of(msg.call_id), string(msg.approval_id), line_.id.raw, {}, {}},
                    command_line(msg.command), events);
  } else if (type == "apply_patch_approval_request") {
    begin_patch(id_of(msg.call_id), msg.changes);
    ask_for_patch({id_of(msg.call_id), {}, line_.id.raw, {}, string(msg.reason)}, events);
  } else {
    return false;
  }
  return true;
}

// aggregated_output has both streams as they were written. Without it the words of one that failed
// are its error, and those of one that did not come last.
void CodexReader::legacy_command(Phase phase, const CodexItem& msg, LineEvents& events) {
  ToolStarted started;
  started.tool = "Bash";
  started.id = call_id(msg.call_id, started.tool, phase, events);
  if (const std::string line = command_line(msg.command); !line.empty()) {
    started.command = json::Text(arena_.copy(line));
  }
  start_tool(started, phase, events);
  if (phase == Phase::started) return;
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  finished.exit_code = NumberReader(events).integer(msg.exit_code);
  finished.outcome = Outcome::abandoned;
  if (finished.exit_code.has_value()) {
    finished.outcome = *finished.exit_code == 0 ? Outcome::ok : Outcome::failed;
  }
  const json::Text errors = text_of(msg.standard_error);
  finished.output = text_of(msg.output);
  if (finished.output.bytes.empty()) {
    if (!msg.standard_output.absent()) finished.output = text_of(msg.standard_output);
    if (!errors.bytes.empty() && finished.outcome == Outcome::failed) {
      finished.error = errors;
    } else if (!errors.bytes.empty()) {
      finished.output = json::Text(arena_.copy(finished.output.str() + errors.str()));
    }
  }
  finish_tool(finished, events);
}

void CodexReader::legacy_mcp(Phase phase, const CodexItem& msg, LineEvents& events) {
  CodexItem call;
  if (msg.invocation.is(json::Kind::object)) read_object(msg.invocation.raw, kCodexItem, call);
  ToolStarted started;
  started.tool = started.mcp_tool =
      arena_.copy(fmt::format("mcp__{}__{}", string(call.server), string(call.tool)));
  started.id = call_id(msg.call_id, started.tool, phase, events);
  started.input = Raw{call.arguments.raw};
  start_tool(started, phase, events);
  if (phase == Phase::started) return;
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  Outcomes outcomes;
  if (msg.result.is(json::Kind::object)) read_object(msg.result.raw, kOutcomes, outcomes);
  McpResult result;
  if (outcomes.ok.is(json::Kind::object)) read_object(outcomes.ok.raw, kMcpResult, result);
  if (!outcomes.err.absent() || result.is_error.is_true()) {
    finished.outcome = Outcome::failed;
  } else if (outcomes.ok.absent()) {
    finished.outcome = Outcome::abandoned;
  }
  json::Text& words = finished.outcome == Outcome::ok ? finished.output : finished.error;
  if (result.content.is(json::Kind::array)) {
    words = output_of_parts(result.content.raw, arena_).text;
  }
  if (outcomes.err.is(json::Kind::string)) words = outcomes.err.text();
  finish_tool(finished, events);
}

}  // namespace dragoman
