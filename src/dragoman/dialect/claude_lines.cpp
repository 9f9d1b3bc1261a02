// SPDX-License-Identifier: Apache-2.0
// The lines that carry tools, turns and figures.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/claude_writer.hpp"
#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

// Which line reports an activity, and under which key its message stands.
struct ActivityLine {
  string_view activity;
  string_view type;
  string_view key;
};
constexpr std::array<ActivityLine, 26> kActivityLines = {{
    {"status", "system", "content"},
    {"compact_boundary", "system", "content"},
    {"session_state_changed", "system", "content"},
    {"hook_started", "system", "content"},
    {"hook_progress", "system", "content"},
    {"hook_response", "system", "content"},
    {"informational", "system", "content"},
    {"model_fallback", "system", "content"},
    {"model_refusal_no_fallback", "system", "content"},
    {"thinking_tokens", "system", "content"},
    {"ui_invalidate", "system", "content"},
    {"local_command", "system", "content"},
    {"api_retry", "system", "error"},
    {"permission_denied", "system", "message"},
    {"task_started", "system", "description"},
    {"task_progress", "system", "description"},
    {"task_updated", "system", "description"},
    {"task_notification", "system", "description"},
    {"background_tasks_changed", "system", "content"},
    {"tool_progress", "tool_progress", "tool_name"},
    {"tool_use_summary", "tool_use_summary", "summary"},
    {"prompt_suggestion", "prompt_suggestion", "suggestion"},
    {"command_lifecycle", "command_lifecycle", "state"},
    {"keep_alive", "keep_alive", "content"},
    {"auth_status", "auth_status", "content"},
    {"conversation_reset", "conversation_reset", "trigger"},
}};

void put_count(json::Writer& w, string_view key, const std::optional<std::int64_t>& value) {
  if (value) w.key(key).integer(*value);
}

std::string usage_json(const Usage& usage) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  put_count(w, "input_tokens", usage.input_tokens);
  put_count(w, "cache_creation_input_tokens", usage.cache_write_tokens);
  put_count(w, "cache_read_input_tokens", usage.cached_input_tokens);
  put_count(w, "output_tokens", usage.output_tokens);
  if (usage.reasoning_tokens) {
    w.key("output_tokens_details").begin_object();
    w.key("thinking_tokens").integer(*usage.reasoning_tokens).end_object();
  }
  w.end_object();
  return out;
}

// Without arguments of its own a tool was only told of, and not in the words of Claude's tools.
std::string tool_input(const ToolStarted& tool) {
  std::string out;
  json::Writer w(out);
  if (!tool.input.absent()) {
    w.raw(tool.input);
    return out;
  }
  w.begin_object();
  if (!tool.command.absent()) w.key("command").text(tool.command);
  if (tool.description.data() != nullptr) w.key("description").string(tool.description);
  if (tool.file.data() != nullptr) w.key("file").string(tool.file);
  if (tool.mcp_tool.data() != nullptr && tool.mcp_tool != tool.tool) {
    w.key("mcp_tool").string(tool.mcp_tool);
  }
  w.end_object();
  return out;
}

bool is_valid_status(const Status& status) {
  return std::ranges::find(status_values(), status.status) != status_values().end();
}

}  // namespace

Result<Written> ClaudeWriter::write_tool(const ToolStarted& tool, const Event& event,
                                         std::string& out) {
  if (tool.tool.empty()) return Error{ErrorCode::validation, "tool_use: the tool is empty"};
  const std::string id =
      tool.id.empty() ? fmt::format("toolu_{}", ++unnamed_tools_) : std::string(tool.id);
  std::string block;
  json::Writer w(block);
  w.begin_object().key("type").string("tool_use").key("id").string(id);
  w.key("name").string(tool.tool).key("input").raw(Raw{tool_input(tool)}).end_object();
  reply(std::move(block), event, out);
  open_tools_.insert_or_assign(id, std::string(event.origin.parent));
  return Written::yes;
}

// Only the call names the tool. One that was not seen to begin is written as if it had; what a
// question asks nobody knows any more.
void ClaudeWriter::begin_unseen(const ToolFinished& end, const Event& event, std::string& out) {
  if (end.id.empty() || end.tool.empty() || end.tool == "AskUserQuestion") return;
  if (open_tools_.contains(end.id)) return;
  ToolStarted started;
  started.id = end.id;
  started.tool = end.tool;
  (void)write_tool(started, event, out);
}

Written ClaudeWriter::write_tool_end(const ToolFinished& end, const Event& event,
                                     std::string& out) {
  begin_unseen(end, event, out);
  const auto open = open_tools_.find(end.id);
  // A tool without a result is one that was abandoned; the end of its turn says so. One that left
  // words has a result, and as nobody knows that it is a good one, it is none.
  const bool left_words = !end.output.absent() || !end.error.absent();
  if (end.outcome == Outcome::abandoned && !left_words) {
    return open != open_tools_.end() ? Written::yes : Written::no;
  }
  settle(out);
  ClaudeToolResult& held = tool_result_.emplace();
  held.id = end.id.empty() ? fmt::format("toolu_{}", ++unnamed_tools_) : std::string(end.id);
  held.tool = end.tool;
  held.parent = event.origin.parent;
  held.outcome = end.outcome;
  const json::Text& words =
      end.outcome == Outcome::ok || end.error.absent() ? end.output : end.error;
  if (!words.absent()) held.content = words.str();
  if (end.exit_code && end.outcome == Outcome::failed) {
    const std::string prefix = fmt::format("Exit code {}", *end.exit_code);
    if (!held.content) held.content = "";
    if (!held.content->starts_with(prefix)) held.content->insert(0, prefix + "\n");
  }
  if (open != open_tools_.end()) open_tools_.erase(open);
  return Written::yes;
}

// A changed file is told by the result of the tool that changed it.
Written ClaudeWriter::write_files(const FilesChanged& files) {
  constexpr std::array<string_view, 4> kWriters = {"Write", "Edit", "MultiEdit", "NotebookEdit"};
  const bool belongs = tool_result_ && tool_result_->outcome == Outcome::ok &&
                       tool_result_->details.empty() && files.files.size() == 1 &&
                       std::ranges::find(kWriters, tool_result_->tool) != kWriters.end();
  if (!belongs) return Written::no;
  const bool created = files.files[0].action == FileAction::created;
  if (created && tool_result_->tool != "Write") return Written::no;
  json::Writer w(tool_result_->details);
  w.begin_object().key("type").string(created ? "create" : "update");
  w.key("filePath").string(files.files[0].path).end_object();
  return Written::yes;
}

Written ClaudeWriter::write_usage(const Usage& usage, std::string& out) {
  if (usage.scope == UsageScope::turn && turn_ && turn_->usage.empty()) {
    turn_->usage = ",\"usage\":" + usage_json(usage);
    if (usage.cost_usd) {
      turn_->usage += ",\"total_cost_usd\":";
      json::append_number(turn_->usage, Number::of(*usage.cost_usd));
    }
    return Written::yes;
  }
  if (usage.scope != UsageScope::message) return Written::no;
  end_text(out);
  if (!reply_ || !reply_->usage.empty() || reply_->synthetic) return Written::no;
  reply_->usage = usage_json(usage);
  if (reply_->message_id.empty()) reply_->message_id = usage.message_id;
  return Written::yes;
}

Written ClaudeWriter::write_turn(const TurnFinished& turn, const Event& event, std::string& out) {
  settle(out);
  // Those of subagents may go on, as readers see it too.
  std::erase_if(open_tools_, [](const auto& tool) { return tool.second.empty(); });
  ClaudeTurn& held = turn_.emplace();
  held.ok = turn.ok;
  // Other agents have other words for a good end; here there is one.
  held.subtype = turn.ok ? "success" : turn.subtype.data() != nullptr ? turn.subtype : "error";
  json::Writer w(held.fields);
  w.begin_object().key("type").string("result").key("subtype").string(held.subtype);
  w.key("is_error").boolean(!turn.ok);
  if (turn.duration_ms) w.key("duration_ms").number(*turn.duration_ms);
  if (turn.num_turns) w.key("num_turns").integer(*turn.num_turns);
  if (!turn.text.absent()) put_result(w.key("result"), turn.text);
  if (turn.terminal_reason.data() != nullptr) {
    w.key("terminal_reason").string(turn.terminal_reason);
  }
  if (event.origin.dialect == Dialect::claude) {
    // The session is written with every line, the errors with the failure that follows.
    for (const Extra& extra : event.extra) {
      if (extra.key != "session_id" && extra.key != "errors") w.key(extra.key).raw(extra.value);
    }
  }
  return Written::yes;
}

// A result that repeats the last message does so in the words which that message has here.
void ClaudeWriter::put_result(json::Writer& w, const json::Text& text) const {
  const std::string words = text.str();
  const bool respelled = words != last_words_ && !last_words_.empty();
  if (respelled && as_written(words) == last_words_) {
    w.string(last_words_);
  } else {
    w.text(text);
  }
}

Result<Written> ClaudeWriter::write_status(const Status& status, const Event& event,
                                           std::string& out) {
  const bool spoken = status.activity.data() == nullptr && is_valid_status(status);
  if (spoken && !status.message.absent()) return write_marker(event, out);
  if (event.origin.dialect == Dialect::markers) return write_marker(event, out);
  const auto* const known =
      std::ranges::find(kActivityLines, status.activity, &ActivityLine::activity);
  const bool native = known != kActivityLines.end();
  if (!native && status.message.absent()) return Written::no;
  const ActivityLine line = native ? *known : ActivityLine{"informational", "system", "content"};
  settle(out);
  json::Writer w(out);
  w.begin_object().key("type").string(line.type);
  if (line.type == "system") w.key("subtype").string(line.activity);
  if (!status.message.absent()) w.key(line.key).text(status.message);
  if (status.task.data() != nullptr) w.key("task_id").string(status.task);
  if (native && status.status.data() != nullptr) w.key("status").string(status.status);
  put_session(out);
  out += "}\n";
  return Written::yes;
}

void ClaudeWriter::write_limit(const RateLimited& limit, std::string& out) {
  settle(out);
  json::Writer w(out);
  w.begin_object();
  if (limit.attempt || limit.delay_ms) {
    w.key("type").string("system").key("subtype").string("api_retry");
    put_count(w, "attempt", limit.attempt);
    if (limit.delay_ms) w.key("retry_delay_ms").number(*limit.delay_ms);
    w.key("error_status").integer(limit.limit == "overloaded" ? 529 : 429);
    if (limit.limit.data() != nullptr) w.key("error").string(limit.limit);
  } else {
    w.key("type").string("rate_limit_event").key("rate_limit_info").begin_object();
    if (limit.status.data() != nullptr) w.key("status").string(limit.status);
    if (limit.resets_at) w.key("resetsAt").number(*limit.resets_at);
    if (limit.limit.data() != nullptr) w.key("rateLimitType").string(limit.limit);
    if (limit.utilization) w.key("utilization").real(*limit.utilization);
    w.end_object();
  }
  put_session(out);
  out += "}\n";
}

void ClaudeWriter::settle(std::string& out) {
  end_text(out);
  if (reply_) put(*std::exchange(reply_, {}), out);
  if (tool_result_) put(*std::exchange(tool_result_, {}), out);
  if (turn_) put(*std::exchange(turn_, {}), out);
}

void ClaudeWriter::put_session(std::string& line) const {
  if (session_.empty()) return;
  line += ",\"session_id\":";
  json::append_string(line, string_view(session_));
}

void ClaudeWriter::put(const ClaudeReply& held, std::string& out) {
  const std::string id =
      held.message_id.empty() ? fmt::format("msg_{}", ++messages_) : held.message_id;
  remember(held, id);
  const string_view model = held.synthetic ? string_view("<synthetic>") : string_view(model_);
  json::Writer w(out);
  w.begin_object().key("type").string("assistant").key("message").begin_object();
  w.key("id").string(id).key("type").string("message").key("role").string("assistant");
  if (!model.empty()) w.key("model").string(model);
  w.key("content").begin_array().raw(Raw{held.block}).end_array();
  if (!held.usage.empty()) w.key("usage").raw(Raw{held.usage});
  w.end_object().key("parent_tool_use_id");
  held.parent.empty() ? w.null() : w.string(held.parent);
  if (held.error) w.key("error").string(*held.error).key("is_api_error_message").boolean(true);
  put_session(out);
  out += "}\n";
}

void ClaudeWriter::put(const ClaudeToolResult& held, std::string& out) const {
  json::Writer w(out);
  w.begin_object().key("type").string("user").key("message").begin_object();
  w.key("role").string("user").key("content").begin_array().begin_object();
  w.key("tool_use_id").string(held.id).key("type").string("tool_result");
  if (held.content) w.key("content").string(*held.content);
  if (held.outcome != Outcome::ok) w.key("is_error").boolean(true);
  w.end_object().end_array().end_object().key("parent_tool_use_id");
  held.parent.empty() ? w.null() : w.string(held.parent);
  // Readers take a rejection that nobody decided for the end of the program.
  const bool stopped = held.outcome == Outcome::abandoned && !session_.empty();
  if (held.outcome == Outcome::denied || stopped) {
    w.key("tool_result_meta").begin_array().begin_object().key("id").string(held.id);
    w.key("non_execution_kind").string("user-rejected");
    if (!stopped) {
      w.key("permission_decision").begin_object().key("decision").string("reject").end_object();
    }
    w.end_object().end_array();
  }
  if (!held.answers.empty()) {
    w.key("tool_use_result").begin_object().key("answers").begin_object();
    for (const auto& [question, answer] : held.answers) w.key(question).string(answer);
    w.end_object().end_object();
  } else if (!held.details.empty()) {
    w.key("tool_use_result").raw(Raw{held.details});
  }
  put_session(out);
  out += "}\n";
}

void ClaudeWriter::put(const ClaudeTurn& held, std::string& out) const {
  out += held.fields;
  out += held.usage;
  if (held.failure) {
    out += ",\"errors\":[";
    json::append_string(out, string_view(*held.failure));
    out += "]";
    // What readers say when nobody told them a name is no name.
    const bool named = !held.failure_code.empty() && held.failure_code != "agent_error";
    if (named && held.failure_code != held.subtype) {
      out += ",\"api_error\":";
      json::append_string(out, string_view(held.failure_code));
    }
  }
  put_session(out);
  out += "}\n";
}

}  // namespace dragoman
