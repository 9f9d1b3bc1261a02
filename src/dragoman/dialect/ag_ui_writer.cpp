// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/ag_ui_writer.hpp"

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman {
namespace {

using std::string_view;

std::string data_of(const Event& event) {
  std::string data;
  append_data(data, event);
  return data;
}

// What the tool was called with; the protocol wants it as a string of JSON.
std::string arguments_of(const ToolStarted& tool) {
  std::string out;
  json::Writer w(out);
  if (!tool.input.absent()) {
    w.raw(tool.input);
    return out;
  }
  w.begin_object();
  if (tool.description.data() != nullptr) w.key("description").string(tool.description);
  if (!tool.command.absent()) w.key("command").text(tool.command);
  if (tool.file.data() != nullptr) w.key("file").string(tool.file);
  if (tool.mcp_tool.data() != nullptr) w.key("mcp_tool").string(tool.mcp_tool);
  w.end_object();
  return out;
}

string_view role_of(Channel channel) {
  if (channel == Channel::user) return "user";
  return channel == Channel::system || channel == Channel::noise ? "system" : "assistant";
}

// A question that waits is an interrupt of the run.
std::string interrupt_of(const Question& question, const Event& event) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("id").string(question.id.empty() ? question.text : question.id);
  w.key("reason").string(question.kind == QuestionKind::approval ? "confirmation"
                                                                 : "input_required");
  w.key("message").string(question.text);
  w.key("metadata").begin_object().key("dragoman").raw(Raw{data_of(event)}).end_object();
  w.end_object();
  return out;
}

}  // namespace

json::Writer AgUiWriter::begin(string_view type, std::string& out) const {
  json::Writer w(out);
  w.begin_object().key("type").string(type);
  if (ms_) w.key("timestamp").integer(*ms_);
  return w;
}

void AgUiWriter::end(json::Writer& w, std::string& out) {
  w.end_object();
  out.push_back('\n');
}

Result<Written> AgUiWriter::write(const Event& event, std::string& out) {
  ms_.reset();
  if (event.ts) ms_ = event.ts->time_since_epoch().count();
  if (thread_.empty()) start_run(event, out);
  if (const auto* text = event.as<DisplayText>()) {
    write_text(*text, event, out);
    return Written::yes;
  }
  end_message(out);
  note_end(event);
  if (const auto* thinking = event.as<Thinking>()) {
    write_thinking(*thinking, out);
  } else if (const auto* tool = event.as<ToolStarted>()) {
    write_tool(*tool, out);
  } else if (const auto* done = event.as<ToolFinished>()) {
    write_tool_end(*done, event, out);
  } else if (const auto* command = event.as<CommandStarted>()) {
    write_command(*command, event, out);
  } else if (event.kind() == Kind::status) {
    write_state(event, out);
  } else {
    write_custom(event, out);
  }
  return Written::yes;
}

void AgUiWriter::start_run(const Event& event, std::string& out) {
  const auto* session = event.as<SessionStarted>();
  const std::string data = data_of(event);
  thread_ = session != nullptr && !session->session_id.empty() ? std::string(session->session_id)
                                                               : "thread-" + sha256_hex(data, 16);
  run_ = "run-" + sha256_hex(thread_ + data, 16);
  json::Writer w = begin("RUN_STARTED", out);
  w.key("threadId").string(thread_).key("runId").string(run_);
  end(w, out);
}

void AgUiWriter::write_text(const DisplayText& text, const Event& event, std::string& out) {
  const string_view role = role_of(event.origin.channel);
  if (text.block != block_ || role != role_) end_message(out);
  if (text.text.bytes.empty()) return;  // a delta must not be empty
  if (message_.empty()) {
    message_ = fmt::format("{}-m{}", run_, ++ids_);
    role_ = role;
    block_ = text.block;
    json::Writer w = begin("TEXT_MESSAGE_START", out);
    w.key("messageId").string(message_).key("role").string(role);
    end(w, out);
  }
  json::Writer w = begin("TEXT_MESSAGE_CONTENT", out);
  w.key("messageId").string(message_).key("delta").text(text.text);
  end(w, out);
}

void AgUiWriter::end_message(std::string& out) {
  if (message_.empty()) return;
  json::Writer w = begin("TEXT_MESSAGE_END", out);
  w.key("messageId").string(message_);
  end(w, out);
  message_.clear();
}

void AgUiWriter::write_thinking(const Thinking& thinking, std::string& out) {
  const std::string id = fmt::format("{}-m{}", run_, ++ids_);
  const auto bracket = [&](string_view type) {
    json::Writer w = begin(type, out);
    w.key("messageId").string(id);
    if (type == "REASONING_MESSAGE_START") w.key("role").string("reasoning");
    end(w, out);
  };
  bracket("REASONING_START");
  if (!thinking.text.bytes.empty()) {
    bracket("REASONING_MESSAGE_START");
    json::Writer w = begin("REASONING_MESSAGE_CONTENT", out);
    w.key("messageId").string(id).key("delta").text(thinking.text);
    end(w, out);
    bracket("REASONING_MESSAGE_END");
  }
  bracket("REASONING_END");
}

void AgUiWriter::write_tool(const ToolStarted& tool, std::string& out) {
  const std::string id =
      tool.id.empty() ? fmt::format("{}-t{}", run_, ++ids_) : std::string(tool.id);
  open_.insert(id);
  (void)announced_.insert(id);
  json::Writer start = begin("TOOL_CALL_START", out);
  start.key("toolCallId").string(id).key("toolCallName").string(tool.tool);
  end(start, out);
  json::Writer args = begin("TOOL_CALL_ARGS", out);
  args.key("toolCallId").string(id).key("delta").string(arguments_of(tool));
  end(args, out);
  json::Writer done = begin("TOOL_CALL_END", out);
  done.key("toolCallId").string(id);
  end(done, out);
}

void AgUiWriter::write_tool_end(const ToolFinished& tool, const Event& event, std::string& out) {
  const std::string id =
      tool.id.empty() ? fmt::format("{}-t{}", run_, ++ids_) : std::string(tool.id);
  if (open_.erase(id) == 0 && announced_.insert(id)) {  // a result belongs to a call
    ToolStarted started;
    started.id = id;
    started.tool = tool.tool.empty() ? "tool" : tool.tool;
    write_tool(started, out);
    open_.erase(id);
  }
  json::Writer w = begin("TOOL_CALL_RESULT", out);
  w.key("messageId").string(fmt::format("{}-m{}", run_, ++ids_));
  w.key("toolCallId").string(id);
  const json::Text& words = tool.output.absent() ? tool.error : tool.output;
  w.key("content").string(words.str()).key("role").string("tool");
  end(w, out);
  // How a tool ended is not in its result.
  if (tool.outcome != Outcome::ok) write_custom(event, out);
}

// The state of a run is what it last said about itself.
void AgUiWriter::write_state(const Event& event, std::string& out) {
  if (!has_state_) {
    json::Writer w = begin("STATE_SNAPSHOT", out);
    w.key("snapshot").begin_object().key("status").raw(Raw{data_of(event)}).end_object();
    end(w, out);
    has_state_ = true;
    return;
  }
  json::Writer w = begin("STATE_DELTA", out);
  w.key("delta").begin_array().begin_object().key("op").string("replace");
  w.key("path").string("/status").key("value").raw(Raw{data_of(event)});
  w.end_object().end_array();
  end(w, out);
}

void AgUiWriter::write_command(const CommandStarted& command, const Event& event,
                               std::string& out) {
  end_step(out);
  string_view called = command.command.empty() ? command.title : command.command;
  if (called.empty()) called = "command";
  step_ = command.args.empty() ? std::string(called) : fmt::format("{} {}", called, command.args);
  json::Writer w = begin("STEP_STARTED", out);
  w.key("stepName").string(step_);
  end(w, out);
  write_custom(event, out);
}

void AgUiWriter::end_step(std::string& out) {
  if (step_.empty()) return;
  json::Writer w = begin("STEP_FINISHED", out);
  w.key("stepName").string(step_);
  end(w, out);
  step_.clear();
}

void AgUiWriter::write_custom(const Event& event, std::string& out) {
  json::Writer w = begin("CUSTOM", out);
  w.key("name").string(name(event.kind())).key("value").raw(Raw{data_of(event)});
  end(w, out);
}

void AgUiWriter::note_end(const Event& event) {
  if (const auto* question = event.as<Question>()) {
    const std::string id(question->id.empty() ? question->text : question->id);
    const bool waits =
        question->state == QuestionState::open || question->state == QuestionState::unanswered;
    if (waits) {
      questions_.insert_or_assign(id, interrupt_of(*question, event));
    } else {
      questions_.erase(id);
    }
  }
  if (const auto* turn = event.as<TurnFinished>()) {
    failure_.reset();
    result_.reset();
    if (!turn->ok) failure_ = turn->text.str();
    if (turn->ok && !turn->text.absent()) result_ = turn->text.str();
  }
  if (const auto* failure = event.as<Failure>(); failure != nullptr && failure_) {
    failure_ = failure->message.str();
    failure_code_ = failure->code;
  }
  if (const auto* finished = event.as<Finished>()) {
    const bool well = finished->verdict == "completed" || finished->verdict == "question";
    if (well) failure_.reset();
    if (!well && !failure_) failure_ = std::string(finished->verdict);
    if (!well && failure_code_.empty()) failure_code_ = finished->verdict;
  }
}

void AgUiWriter::finish(std::string& out) {
  if (thread_.empty()) return;
  end_message(out);
  end_step(out);
  if (failure_) {
    json::Writer w = begin("RUN_ERROR", out);
    w.key("message").string(failure_->empty() ? "the run failed" : *failure_);
    if (!failure_code_.empty()) w.key("code").string(failure_code_);
    end(w, out);
    return;
  }
  json::Writer w = begin("RUN_FINISHED", out);
  w.key("threadId").string(thread_).key("runId").string(run_);
  if (result_) w.key("result").string(*result_);
  if (!questions_.empty()) {
    w.key("outcome").begin_object().key("type").string("interrupt").key("interrupts").begin_array();
    for (const auto& [id, interrupt] : questions_) w.raw(Raw{interrupt});
    w.end_array().end_object();
  }
  end(w, out);
}

}  // namespace dragoman
