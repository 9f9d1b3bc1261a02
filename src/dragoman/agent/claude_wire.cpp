// SPDX-License-Identifier: Apache-2.0
// Claude Code: a conversation in JSON lines on stdin and stdout, so that its questions and its
// requests for permission reach people and wait for the answer.
#include <fmt/format.h>

#include "dragoman/agent/claude_control.hpp"
#include "dragoman/agent/claude_requests.hpp"
#include "dragoman/agent/wire.hpp"
#include "dragoman/dialect/question_payload.hpp"

namespace dragoman::agent {
namespace {

// No event tells of a set of questions without any, so it would wait for ever.
bool asks_nothing(const ControlRequest& request) {
  if (request.tool_name != "AskUserQuestion" || !request.input.starts_with('{')) return false;
  Arena arena;
  QuestionPayload payload;
  read_questions(request.input, QuestionSource::ask_user_question, arena, payload);
  return payload.questions.empty();
}

class ClaudeWire final : public Wire {
 public:
  explicit ClaudeWire(std::string_view program) : program_(program) {}

  [[nodiscard]] Launch start(Request& request, const Opening& opening) const override {
    Launch out{
        {std::string(program_), "-p", "--input-format", "stream-json", "--output-format",
         "stream-json", "--verbose", "--replay-user-messages", "--permission-prompt-tool", "stdio"},
        user_message(opening.answers.empty() ? std::string(opening.text)
                                             : answers_as_prompt(opening.answers),
                     opening.mark),
        Launch::Stdin::conversation,
        any_secret(opening.answers)};
    add_option(out.argv, "--resume", opening.session);
    if (opening.session.empty()) add_option(out.argv, "--session-id", request.session_id);
    add_option(out.argv, "--model", request.model);
    add_option(out.argv, "--permission-mode", request.permission_mode);
    add_option(out.argv, "--max-budget-usd", request.budget_usd);
    // These two take every word up to the next option.
    for (const std::string& tools : request.allowed_tools)
      add_option(out.argv, "--allowedTools", tools);
    for (const std::string& config : request.mcp_configs)
      add_option(out.argv, "--mcp-config", config);
    out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
    return out;
  }

  void restarted() override {
    watch_ = ControlWatch();
    open_.clear();
  }

  [[nodiscard]] Heard hear(std::string_view bytes) override {
    Heard heard;
    watch_.push(bytes, [&](std::string_view line) {
      if (auto request = control_request_in(line)) return take(*std::move(request), heard);
      if (std::string mark = echo_in(line); !mark.empty()) heard.echoes.push_back(std::move(mark));
    });
    return heard;
  }

  [[nodiscard]] const std::string* command_of(std::string_view request) const override {
    const ControlRequest* const open = open_.find(request);
    return open == nullptr ? nullptr : &open->command;
  }
  [[nodiscard]] bool refused_some() const override { return refused_some_ || open_.refused_some(); }

  [[nodiscard]] std::string respond(std::string_view request,
                                    std::span<const Answered> answers) override {
    const auto taken = open_.take(request);
    return taken ? control_response(*taken, answers) : std::string();
  }
  void forget(std::string_view request) override { (void)open_.take(request); }
  [[nodiscard]] std::string refuse(std::string_view request, std::string_view why) override {
    const auto taken = open_.take(request);
    return taken ? error_response(*taken, why) : std::string();
  }

  [[nodiscard]] std::string message(std::string_view text, std::string_view mark) const override {
    return user_message(text, mark);
  }
  [[nodiscard]] std::string interrupt() override {
    return interrupt_request(fmt::format("dragoman-interrupt-{}", ++interrupts_));
  }
  [[nodiscard]] std::string_view mark_in(const Event& event) const override {
    for (const Extra& field : event.extra) {
      if (field.key != "replay" || field.value.json.size() < 2) continue;
      return field.value.json.substr(1, field.value.json.size() - 2);
    }
    return {};
  }
  [[nodiscard]] bool is_receipt(const Event& event) const override {
    const auto* const status = event.as<Status>();
    return status != nullptr && status->activity == "command_lifecycle";
  }

 private:
  void take(ControlRequest request, Heard& heard) {
    if (request.subtype != "can_use_tool") {
      heard.replies.push_back(error_response(request, "unsupported"));
      return;
    }
    if (asks_nothing(request)) {
      heard.replies.push_back(error_response(request, "no question is asked"));
      refused_some_ = true;
      return;
    }
    OpenRequest open{request.id, request.tool_use_id, request.command};
    if (const auto refused = open_.keep(std::move(request))) {
      heard.replies.push_back(error_response(*refused, "too many requests wait for an answer"));
    } else {
      heard.requests.push_back(std::move(open));
    }
  }

  std::string_view program_;
  ControlWatch watch_;
  ClaudeRequests open_;
  bool refused_some_ = false;
  unsigned interrupts_ = 0;
};

}  // namespace

std::unique_ptr<Wire> make_claude_wire(std::string_view program) {
  return std::make_unique<ClaudeWire>(program);
}

}  // namespace dragoman::agent
