// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/claude_control.hpp"

#include "dragoman/dialect/claude_suggestions.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::agent {
namespace {

// The tool's arguments with the answers added, as AskUserQuestion wants them back.
void put_input_with_answers(json::Writer& w, std::string_view input,
                            std::span<const Answered> answers) {
  w.begin_object();
  json::Cursor c(input);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    if (key == "answers") {
      c.skip();
      continue;
    }
    const std::string kept(key);
    w.key(kept).raw({c.take().raw});
  }
  w.key("answers").begin_object();
  for (const Answered& answered : answers) {
    w.key(answered.asked.text).string(answer_words(answered.asked, answered.answer));
  }
  w.end_object().end_object();
}

std::string command_in(std::string_view input) {
  std::string command;
  json::Cursor c(input);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    const bool is_command = key == "command";
    const json::Value value = c.take();
    if (is_command && value.is(json::Kind::string)) command = value.text().str();
  }
  return c.finish() ? command : std::string();
}

// Whoever allows more than the one call sends back what Claude itself offered for that.
void put_decision(json::Writer& w, const ControlRequest& request, std::string_view input,
                  std::span<const Answered> answers) {
  const auto decision =
      answers.empty() ? std::nullopt : decision_of(answers.front().asked, answers.front().answer);
  if (!decision || *decision == Grant::deny) {
    const std::string why = answers.empty() ? "" : answers.front().answer.text;
    w.key("behavior").string("deny");
    w.key("message").string(why.empty() ? "The user denied this." : std::string_view(why));
    return;
  }
  w.key("behavior").string("allow").key("updatedInput").raw({input});
  const std::string updates = permission_updates(request.suggestions, *decision);
  if (!updates.empty()) w.key("updatedPermissions").raw({updates});
}

}  // namespace

std::optional<ControlRequest> control_request_in(std::string_view line) {
  if (line.find("\"control_request\"") == std::string_view::npos) return std::nullopt;
  ControlRequest request;
  bool is_request = false;
  json::Cursor c(line);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    if (key == "type") {
      is_request = c.take().raw == "\"control_request\"";
    } else if (key == "request_id") {
      request.id = c.take().raw;
    } else if (key == "request" && c.next_is(json::Kind::object)) {
      json::Members inner(c);
      for (std::string_view name; inner.next(name);) {
        const std::string field(name);
        const json::Value value = c.take();
        if (field == "input") request.input = value.raw;
        if (field == "permission_suggestions") request.suggestions = value.raw;
        if (field == "input" && value.is(json::Kind::object))
          request.command = command_in(value.raw);
        if (!value.is(json::Kind::string)) continue;
        // As it stands, which is how the reader of the events takes it.
        if (field == "subtype") request.subtype = value.raw.substr(1, value.raw.size() - 2);
        if (field == "tool_name") request.tool_name = value.text().str();
        if (field == "tool_use_id") request.tool_use_id = value.text().str();
      }
    } else {
      c.skip();
    }
  }
  if (!c.finish() || !is_request || request.id.empty()) return std::nullopt;
  return request;
}

std::string echo_in(std::string_view line) {
  if (line.find("\"isReplay\"") == std::string_view::npos) return {};
  std::string uuid;
  bool is_user = false;
  bool is_replay = false;
  json::Cursor c(line);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    if (key == "type") {
      is_user = c.take().raw == "\"user\"";
    } else if (key == "isReplay") {
      is_replay = c.take().is_true();
    } else if (key == "uuid") {
      const json::Value value = c.take();
      uuid = value.is(json::Kind::string) ? value.text().str() : std::string();
    } else {
      c.skip();
    }
  }
  return c.finish() && is_user && is_replay ? uuid : std::string();
}

void ControlWatch::add(std::string_view piece) {
  if (too_long_) return;
  if (line_.size() + piece.size() > line_cap_) {
    too_long_ = true;
    line_.clear();
    line_.shrink_to_fit();
    return;
  }
  line_.append(piece);
}

std::string user_message(std::string_view text, std::string_view uuid) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("type").string("user").key("message").begin_object();
  w.key("role").string("user").key("content").begin_array().begin_object();
  w.key("type").string("text").key("text").string(text);
  w.end_object().end_array().end_object();
  if (!uuid.empty()) w.key("uuid").string(uuid);
  w.end_object();
  return out + "\n";
}

std::string interrupt_request(std::string_view id) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("type").string("control_request").key("request_id").string(id);
  w.key("request").begin_object().key("subtype").string("interrupt").end_object().end_object();
  return out + "\n";
}

std::string error_response(const ControlRequest& request, std::string_view why) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("type").string("control_response").key("response").begin_object();
  w.key("subtype").string("error").key("request_id").raw({request.id});
  w.key("error").string(why).end_object().end_object();
  return out + "\n";
}

std::string control_response(const ControlRequest& request, std::span<const Answered> answers) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("type").string("control_response").key("response").begin_object();
  w.key("subtype").string("success").key("request_id").raw({request.id});
  w.key("response").begin_object();
  const std::string_view input = request.input.empty() ? "{}" : std::string_view(request.input);
  // One that cannot be read as questions was put as a permission for the tool.
  const bool decides = !answers.empty() && answers.front().asked.kind == QuestionKind::approval;
  if (request.tool_name == "AskUserQuestion" && !decides) {
    w.key("behavior").string("allow").key("updatedInput");
    put_input_with_answers(w, input, answers);
  } else {
    put_decision(w, request, input, answers);
  }
  w.end_object().end_object().end_object();
  return out + "\n";
}

}  // namespace dragoman::agent
