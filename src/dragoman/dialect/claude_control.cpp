// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/claude_suggestions.hpp"
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

// What permission is asked for: a command, else a path, and what would become of the file.
struct Subject {
  json::Value command;
  json::Value file_path;
  json::Value notebook_path;
  json::Value path;
  json::Value url;
  json::Value old_string;
  json::Value new_string;
  json::Value content;     // of a whole file
  json::Value new_source;  // of a notebook's cell
  json::Value edits;
};
constexpr FieldTable kSubject({
    Slot<Subject>{"command", &Subject::command},
    {"file_path", &Subject::file_path},
    {"notebook_path", &Subject::notebook_path},
    {"path", &Subject::path},
    {"url", &Subject::url},
    {"old_string", &Subject::old_string},
    {"new_string", &Subject::new_string},
    {"content", &Subject::content},
    {"new_source", &Subject::new_source},
    {"edits", &Subject::edits},
});

// One place of a file that is changed in several.
struct Edit {
  json::Value old_string;
  json::Value new_string;
};
constexpr FieldTable kEdit({
    Slot<Edit>{"old_string", &Edit::old_string},
    {"new_string", &Edit::new_string},
});

std::vector<WantedFile> files_of(const Subject& subject, Arena& arena) {
  WantedFile file;
  for (const json::Value* value : {&subject.file_path, &subject.notebook_path, &subject.path}) {
    if (file.path.data() == nullptr) file.path = string_of(*value, arena);
  }
  if (file.path.empty()) return {};
  std::vector<WantedFile> files;
  json::Cursor cursor(subject.edits.is(json::Kind::array) ? subject.edits.raw : "[]");
  for (json::Elements edits(cursor); edits.next();) {
    Edit edit;
    bool duplicate = false;
    pass_object(cursor, kEdit, edit, duplicate);
    file.old_text = string_of(edit.old_string, arena);
    file.new_text = string_of(edit.new_string, arena);
    if (files.size() <= kMostWantedFiles) files.push_back(file);  // one more: some are left out
  }
  if (!files.empty()) return files;
  file.old_text = string_of(subject.old_string, arena);
  for (const json::Value* value : {&subject.new_string, &subject.content, &subject.new_source}) {
    if (file.new_text.data() == nullptr) file.new_text = string_of(*value, arena);
  }
  files.push_back(file);
  return files;
}

// The numbers of Allow and Deny are the same whatever else is offered: a habit must not grant more.
std::vector<Option> options_for(std::string_view suggestions, Arena& arena) {
  std::vector<Option> options = {{"Allow", {}, Grant::allow_once}, {"Deny", {}, Grant::deny}};
  for (const auto& [label, grant] :
       {std::pair(std::string_view("Allow for this session"), Grant::allow_session),
        std::pair(std::string_view("Always allow"), Grant::allow_always)}) {
    const std::string updates = permission_updates(suggestions, grant);
    if (updates.empty()) continue;
    options.push_back({label, arena.copy(permission_words(updates)), grant});
  }
  return options;
}

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
      questions_.settle_permission(*question, QuestionState::withdrawn, {}, events);
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
  const std::vector<WantedFile> files = files_of(subject, arena_);
  const std::vector<Option> options = options_for(request.permission_suggestions.raw, arena_);
  Wants wants;
  wants.command = string(subject.command);
  wants.files = files;
  questions_.ask_permission({key, {}, line_.request_id.raw, tool, words, wants, options}, events);
}

}  // namespace dragoman
