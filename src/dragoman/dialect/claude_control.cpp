// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

struct Reply {
  json::Value subtype;
  json::Value request_id;
  json::Value error;
};
constexpr FieldTable kReply({
    Slot<Reply>{"subtype", &Reply::subtype},
    {"request_id", &Reply::request_id},
    {"error", &Reply::error},
});

// What permission is asked for: a command, else a path.
struct Subject {
  json::Value command;
  json::Value file_path;
  json::Value notebook_path;
  json::Value path;
  json::Value url;
};
constexpr FieldTable kSubject({
    Slot<Subject>{"command", &Subject::command},
    {"file_path", &Subject::file_path},
    {"notebook_path", &Subject::notebook_path},
    {"path", &Subject::path},
    {"url", &Subject::url},
});

}  // namespace

bool ClaudeReader::read_control(std::string_view type, LineEvents& events) {
  if (type == "control_response") {
    Reply reply;
    if (line_.response.is(json::Kind::object)) read_object(line_.response.raw, kReply, reply);
    activity(type, reply.error, events,
             Extras().add("request_id", reply.request_id).add("subtype", reply.subtype),
             Channel::control);
    return true;
  }
  if (type == "control_cancel_request") {
    OpenQuestion* const question = questions_.find_request(line_.request_id.raw);
    if (question == nullptr) {
      activity(type, {}, events, Extras().add("request_id", line_.request_id), Channel::control);
    } else if (question->source == QuestionSource::permission) {
      questions_.settle_permission(*question, QuestionState::withdrawn, {}, events, arena_);
    } else {
      questions_.settle(*question, QuestionState::withdrawn, {}, events, arena_);
    }
    return true;
  }
  if (type == "control_request" && line_.can_use.subtype.raw == R"("can_use_tool")") {
    can_use_tool(events);
    return true;
  }
  return false;
}

void ClaudeReader::can_use_tool(LineEvents& events) {
  ClaudeRequest& request = line_.can_use;
  const std::string_view tool = string(request.tool_name);
  std::string_view key = string(request.tool_use_id);
  if (key.data() == nullptr) key = string(line_.request_id);
  if (tool == "AskUserQuestion" && request.input.is(json::Kind::object)) {
    questions_.ask(key, line_.request_id.raw, request.input.raw, QuestionSource::ask_user_question,
                   events, arena_);
    return;
  }
  Subject subject;
  if (request.input.is(json::Kind::object)) read_object(request.input.raw, kSubject, subject);
  std::string_view words;
  for (Value* value : {&subject.command, &subject.file_path, &subject.notebook_path, &subject.path,
                       &subject.url, &request.blocked_path}) {
    if (words.data() == nullptr) words = string(*value);
  }
  questions_.ask_permission({key, {}, line_.request_id.raw, tool, words}, events, arena_);
}

}  // namespace dragoman
