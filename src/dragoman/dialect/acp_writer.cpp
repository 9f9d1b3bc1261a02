// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/acp_writer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/line_value.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

string_view tool_kind(string_view tool) {
  constexpr std::array<std::array<string_view, 2>, 15> kToolKinds = {{
      {"Read", "read"},
      {"NotebookRead", "read"},
      {"Edit", "edit"},
      {"Write", "edit"},
      {"MultiEdit", "edit"},
      {"NotebookEdit", "edit"},
      {"Bash", "execute"},
      {"BashOutput", "execute"},
      {"Grep", "search"},
      {"Glob", "search"},
      {"LS", "search"},
      {"WebSearch", "fetch"},
      {"WebFetch", "fetch"},
      {"TodoWrite", "think"},
      {"ExitPlanMode", "switch_mode"},
  }};
  const auto* const found =
      std::ranges::find(kToolKinds, tool, [](const auto& row) { return row[0]; });
  return found != kToolKinds.end() ? (*found)[1] : string_view("other");
}

std::string title_of(const ToolStarted& tool) {
  if (!tool.description.empty()) return on_one_line(tool.description);
  if (!tool.command.bytes.empty()) return shortened(on_one_line(tool.command.str()), 120);
  if (!tool.file.empty()) return fmt::format("{} {}", tool.tool, tool.file);
  return std::string(tool.tool);
}

void put_content(json::Writer& w, const json::Text& text) {
  w.key("content").begin_object().key("type").string("text").key("text").text(text).end_object();
}

}  // namespace

Result<Written> AcpWriter::write(const Event& event, std::string& out) {
  if (const auto* session = event.as<SessionStarted>()) {
    if (session->session_id.empty()) return Written::no;
    // Every notification names it. A name that comes late would make two sessions of one.
    if (session_ != kUnnamed) session_ = session->session_id;
    if (!session->cwd.empty()) cwd_ = session->cwd;
    return Written::yes;
  }
  if (const auto* text = event.as<DisplayText>()) return write_text(*text, event, out);
  if (const auto* thinking = event.as<Thinking>()) {
    if (thinking->text.absent()) return Written::no;
    std::string update;
    json::Writer w(update);
    w.begin_object().key("sessionUpdate").string("agent_thought_chunk");
    put_content(w, thinking->text);
    w.end_object();
    put(update, out);
    return Written::yes;
  }
  if (const auto* tool = event.as<ToolStarted>()) {
    write_tool(*tool, out);
    return Written::yes;
  }
  if (const auto* tool = event.as<ToolFinished>()) {
    write_tool_end(*tool, out);
    return Written::yes;
  }
  if (const auto* status = event.as<Status>()) return write_plan(*status, out);
  return Written::no;
}

Written AcpWriter::write_text(const DisplayText& text, const Event& event, std::string& out) {
  string_view kind;
  switch (event.origin.channel) {
    case Channel::assistant_text:
    case Channel::stdout_:
    case Channel::synthetic_text:
    case Channel::subagent_text:
      kind = "agent_message_chunk";
      break;
    case Channel::user:
      kind = "user_message_chunk";
      break;
    case Channel::stderr_:
    case Channel::thinking:
    case Channel::tool_input:
    case Channel::tool_result:
    case Channel::result:
    case Channel::partial:
    case Channel::system:
    case Channel::control:
    case Channel::noise:
      return Written::no;
  }
  std::string update;
  json::Writer w(update);
  w.begin_object().key("sessionUpdate").string(kind);
  put_content(w, text.text);
  w.end_object();
  put(update, out);
  return Written::yes;
}

// An editor opens what it is told, and every path of the protocol is absolute: a relative one whose
// directory nobody named leads nowhere, and is empty here.
std::string AcpWriter::absolute(string_view path) const {
  const bool has_drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  if (path.starts_with('/') || path.empty() || has_drive) return std::string(path);
  if (!cwd_.starts_with('/')) return {};
  while (path.starts_with("./")) path.remove_prefix(2);
  return fmt::format("{}{}{}", cwd_, cwd_.ends_with('/') ? "" : "/", path);
}

void AcpWriter::write_tool(const ToolStarted& tool, std::string& out) {
  std::string id(tool.id);
  if (id.empty()) {
    id = fmt::format("call_{}", ++calls_);
    unnamed_.push_back(id);
  }
  open_.insert(id);
  (void)announced_.insert(id);
  std::string update;
  json::Writer w(update);
  w.begin_object().key("sessionUpdate").string("tool_call").key("toolCallId").string(id);
  w.key("title").string(title_of(tool)).key("kind").string(tool_kind(tool.tool));
  w.key("status").string("in_progress");
  if (const std::string path = absolute(tool.file); !path.empty()) {
    w.key("locations").begin_array().begin_object().key("path").string(path);
    w.end_object().end_array();
  }
  if (!tool.input.absent()) {
    w.key("rawInput").raw(tool.input);
  } else if (!tool.command.absent()) {
    w.key("rawInput").begin_object().key("command").text(tool.command).end_object();
  }
  w.end_object();
  put(update, out);
}

void AcpWriter::write_tool_end(const ToolFinished& tool, std::string& out) {
  std::string id(tool.id);
  if (id.empty() && !unnamed_.empty()) {
    id = unnamed_.front();
    unnamed_.pop_front();
  }
  if (id.empty()) id = fmt::format("call_{}", ++calls_);
  if (open_.erase(id) == 0 && announced_.insert(id)) {  // a result belongs to a call
    ToolStarted started;
    started.id = id;
    started.tool = tool.tool.empty() ? "tool" : tool.tool;
    write_tool(started, out);
    open_.erase(id);
  }
  std::string update;
  json::Writer w(update);
  w.begin_object().key("sessionUpdate").string("tool_call_update").key("toolCallId").string(id);
  w.key("status").string(tool.outcome == Outcome::ok ? "completed" : "failed");
  const json::Text& words = tool.output.absent() ? tool.error : tool.output;
  if (!words.absent()) {
    w.key("content").begin_array().begin_object().key("type").string("content");
    put_content(w, words);
    w.end_object().end_array();
    w.key("rawOutput").begin_object().key("text").text(words);
    if (tool.exit_code) w.key("exit_code").integer(*tool.exit_code);
    w.end_object();
  }
  w.end_object();
  put(update, out);
}

// A plan replaces the one before it; ours has one entry, what is going on.
Written AcpWriter::write_plan(const Status& status, std::string& out) {
  const bool known =
      status.status == "pending" || status.status == "in_progress" || status.status == "completed";
  if (!known || status.message.bytes.empty()) return Written::no;
  std::string update;
  json::Writer w(update);
  w.begin_object().key("sessionUpdate").string("plan").key("entries").begin_array();
  w.begin_object().key("content").text(status.message).key("priority").string("medium");
  w.key("status").string(status.status).end_object().end_array().end_object();
  put(update, out);
  return Written::yes;
}

void AcpWriter::put(string_view update, std::string& out) {
  if (session_.empty()) session_ = kUnnamed;
  json::Writer w(out);
  w.begin_object().key("jsonrpc").string("2.0").key("method").string("session/update");
  w.key("params").begin_object().key("sessionId").string(session_);
  w.key("update").raw(Raw{update}).end_object().end_object();
  out.push_back('\n');
}

}  // namespace dragoman
