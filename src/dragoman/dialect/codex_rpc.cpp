// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/codex_reader.hpp"

namespace dragoman {
namespace {

// What the notifications and requests of the app-server carry, together.
struct Params {
  json::Value msg;
  json::Value thread_id;
  json::Value thread;
  json::Value turn;
  json::Value item;
  json::Value item_id;
  json::Value approval_id;
  json::Value token_usage;
  json::Value error;
  json::Value delta;
  json::Value plan;
  json::Value request_id;
  json::Value questions;
  json::Value command;
  json::Value file_changes;
  json::Value reason;
  json::Value grant_root;
  json::Value will_retry;
};
using P = Params;
constexpr FieldTable kParams({
    Slot<P>{"msg", &P::msg},
    {"threadId", &P::thread_id},
    {"conversationId", &P::thread_id},
    {"thread", &P::thread},
    {"turn", &P::turn},
    {"item", &P::item},
    {"itemId", &P::item_id},
    {"callId", &P::item_id},
    {"approvalId", &P::approval_id},
    {"tokenUsage", &P::token_usage},
    {"error", &P::error},
    {"delta", &P::delta},
    {"plan", &P::plan},
    {"requestId", &P::request_id},
    {"questions", &P::questions},
    {"command", &P::command},
    {"fileChanges", &P::file_changes},
    {"reason", &P::reason},
    {"grantRoot", &P::grant_root},
    {"willRetry", &P::will_retry},
});

struct Thread {
  json::Value id;
  json::Value cwd;
  json::Value model;
  json::Value thread_id;
  json::Value parent_thread_id;
  json::Value source;
};
constexpr FieldTable kThread({
    Slot<Thread>{"id", &Thread::id},
    {"cwd", &Thread::cwd},
    {"model", &Thread::model},
    {"threadId", &Thread::thread_id},
    {"parentThreadId", &Thread::parent_thread_id},
    {"source", &Thread::source},
});

// Who asked for a thread: a word, or an object for the threads of subagents.
struct Source {
  json::Value subagent;
};
constexpr FieldTable kSource({
    Slot<Source>{"subAgent", &Source::subagent},
    {"subagent", &Source::subagent},
    {"sub_agent", &Source::subagent},
});

struct Turn {
  json::Value status;
  json::Value error;
};
constexpr FieldTable kTurn({
    Slot<Turn>{"status", &Turn::status},
    {"error", &Turn::error},
});

struct TokenUsage {
  json::Value total;
};
constexpr FieldTable kTokenUsage({Slot<TokenUsage>{"total", &TokenUsage::total}});

struct Response {
  json::Value user_agent;  // in the first answer of a server
  json::Value thread;
  json::Value structured_content;
};
constexpr FieldTable kResponse({
    Slot<Response>{"userAgent", &Response::user_agent},
    {"thread", &Response::thread},
    {"structuredContent", &Response::structured_content},
});

Params params_of(const json::Value& value) {
  Params params;
  if (value.is(json::Kind::object)) read_object(value.raw, kParams, params);
  return params;
}

bool says_subagent(const Thread& thread) {
  Source source;
  if (thread.source.is(json::Kind::object)) read_object(thread.source.raw, kSource, source);
  return thread.parent_thread_id.is(json::Kind::string) || !source.subagent.absent();
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Families whose notifications only tell what goes on.
bool tells_activity(std::string_view method) {
  for (const std::string_view family :
       {"thread/", "turn/", "item/", "account/", "mcpServer/", "hook/", "model/", "skills/"}) {
    if (method.substr(0, family.size()) == family) return true;
  }
  return method == "configWarning" || method == "deprecationNotice" || method == "initialized";
}

}  // namespace

bool CodexReader::read_rpc(LineEvents& events) {
  const std::string_view method = string(line_.method);
  if (method.empty()) {
    read_response(events);
    return true;
  }
  if (!line_.id.absent()) return read_request(method, events);
  return read_notification(method, events);
}

bool CodexReader::read_notification(std::string_view method, LineEvents& events) {
  const Params params = params_of(line_.params);
  attribute(params.thread_id, events);
  if (method == "codex/event" || method.substr(0, 12) == "codex/event/") {
    return params.msg.is(json::Kind::object) && read_message(params.msg, events);
  }
  if (method == "item/started") return read_item(params.item, Phase::started, events);
  if (method == "item/completed") return read_item(params.item, Phase::completed, events);
  if (method == "thread/started") {
    Thread thread;
    if (params.thread.is(json::Kind::object)) read_object(params.thread.raw, kThread, thread);
    const std::string_view id = string(thread.id);
    if (id.empty()) return false;
    const bool spawned = says_subagent(thread) && !thread_.empty() && id != thread_;
    if (!spawned && is_session(id)) {
      start_session(id, thread.model, thread.cwd, events);
    } else {
      begin_subagent(id, method, events);
    }
  } else if (method == "turn/started") {
    start_turn(events);
  } else if (method == "turn/completed") {
    Turn turn;
    if (params.turn.is(json::Kind::object)) read_object(params.turn.raw, kTurn, turn);
    if (is_subagents(events)) {
      end_subagents_turn(method, turn.status, turn.error, events);
    } else {
      end_turn_as(turn.status, turn.error, events);
    }
  } else {
    return read_progress(method, events);
  }
  return true;
}

bool CodexReader::read_progress(std::string_view method, LineEvents& events) {
  const Params params = params_of(line_.params);
  if (method == "thread/tokenUsage/updated") {
    TokenUsage usage;
    if (params.token_usage.is(json::Kind::object)) {
      read_object(params.token_usage.raw, kTokenUsage, usage);
    }
    return report_usage(usage.total, false, events);
  } else if (method == "item/agentMessage/delta") {
    read_delta(params.delta, events);
  } else if (method == "error") {
    return read_error(params.error, events);
  } else if (method == "turn/plan/updated") {
    steps_item("plan", params.plan, events);
  } else if (method == "serverRequest/resolved") {
    OpenQuestion* const asked = questions_.find_request(params.request_id.raw);
    if (asked == nullptr) {
      activity(method, {}, events, Extras().add("request_id", params.request_id));
    } else if (asked->source == QuestionSource::permission) {
      questions_.settle_permission(*asked, QuestionState::withdrawn, {}, events);
    } else {
      questions_.settle(*asked, QuestionState::withdrawn, {}, events, arena_);
    }
  } else if (ends_with(method, "Delta") || ends_with(method, "/delta")) {
    if (options_.partial) activity(method, {}, events);
  } else if (tells_activity(method)) {
    activity(method, {}, events);
  } else {
    return false;
  }
  return true;
}

// Requests of the server wait for an answer, which somebody else gives.
bool CodexReader::read_request(std::string_view method, LineEvents& events) {
  const Params params = params_of(line_.params);
  attribute(params.thread_id, events);
  std::string_view key = id_of(params.item_id);
  if (key.data() == nullptr) key = line_.id.raw;
  if (method == "item/tool/requestUserInput") {
    questions_.ask(key, line_.id.raw, line_.params.raw, QuestionSource::request_user_input, events,
                   arena_);
    return true;
  }
  PermissionRequest asked{key, string(params.approval_id), line_.id.raw, {}, {}};
  asked.subject = string(params.reason);
  if (method == "item/commandExecution/requestApproval" || method == "execCommandApproval") {
    ask_for_command(asked, command_line(params.command), events);
  } else if (method == "item/fileChange/requestApproval" || method == "applyPatchApproval") {
    begin_patch(key, params.file_changes);
    if (const std::string_view root = string(params.grant_root); !root.empty())
      asked.subject = root;
    ask_for_patch(asked, events);
  } else if (method == "item/permissions/requestApproval") {
    asked.tool = "permissions";
    questions_.ask_permission(asked, events);
  } else {
    return false;
  }
  return true;
}

void CodexReader::read_response(LineEvents& events) {
  if (line_.error.is(json::Kind::object)) {
    activity("response", {}, events, Extras().add("id", line_.id).add("error", line_.error));
    return;
  }
  Response response;
  if (line_.result.is(json::Kind::object)) read_object(line_.result.raw, kResponse, response);
  if (!response.user_agent.absent()) {
    begin_run(events);
    thread_.clear();
  }
  Thread thread;
  if (response.thread.is(json::Kind::object)) read_object(response.thread.raw, kThread, thread);
  if (response.structured_content.is(json::Kind::object)) {
    Thread content;
    read_object(response.structured_content.raw, kThread, content);
    thread.id = content.thread_id;
  }
  const std::string_view id = string(thread.id);
  if (is_session(id)) start_session(id, thread.model, thread.cwd, events);
  activity("response", {}, events, Extras().add("id", line_.id));
}

void CodexReader::read_delta(const Value& delta, LineEvents& events) {
  if (!delta.is(json::Kind::string)) return;
  const json::Text text = delta.text();
  const bool own = !is_subagents(events);
  if (own && fragment_text_.size() + text.bytes.size() <= options_.line_cap) {
    json::decode_to(fragment_text_, text);
  }
  if (options_.partial) events.emit_partial(DisplayText{text, blocks_}, Channel::partial);
}

}  // namespace dragoman
