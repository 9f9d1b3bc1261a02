// SPDX-License-Identifier: Apache-2.0
// The marker protocol: a program that is called with a task id, a description and perhaps a plan,
// prints markers, ends, and is called again with the answer added to the description. It keeps its
// own session under the id.
#include <array>

#include <fmt/format.h>

#include "dragoman/agent/agent.hpp"

namespace dragoman::agent {
namespace {

std::string answer_of(const Answered& answered) {
  const Answer& answer = answered.answer;
  if (answer.options.size() != 1) {
    return fmt::format(" Answer: {}", answer_words(answered.asked, answer));
  }
  return fmt::format(" Answer: Use option {} ({})", answer.options[0],
                     answer_words(answered.asked, answer));
}

class ExecutorAgent final : public Agent {
 public:
  [[nodiscard]] std::string_view name() const override { return "executor"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    static constexpr std::array<std::string_view, 1> kTaken = {"resume"};
    DRAGOMAN_CHECK(check_options(name(), request, kTaken));
    if (request.words.size() < 3 || request.words.size() > 4) {
      return Error{ErrorCode::validation,
                   "the executor is called as -- PROGRAM TASK_ID DESCRIPTION [PLAN]"};
    }
    return {};
  }

  [[nodiscard]] Result<Launch> start(const Request& request, const Locate& locate) const override {
    return go_on(request, {}, {}, locate);
  }

  [[nodiscard]] Result<Launch> go_on(const Request& request, std::string_view /*session*/,
                                     std::span<const Answered> answers,
                                     const Locate& locate) const override {
    Launch out{request.words, {}, Launch::Stdin::closed};
    DRAGOMAN_TRY(out.argv[0], locate(out.argv[0]));
    for (const Answered& answered : answers) out.argv[2] += answer_of(answered);
    return out;
  }

  [[nodiscard]] GoesOn goes_on() const override { return GoesOn::by_invocation; }
  [[nodiscard]] std::optional<Dialect> dialect() const override { return Dialect::markers; }
  [[nodiscard]] bool is_session_id(std::string_view id) const override { return !id.empty(); }

  [[nodiscard]] std::span<const std::string_view> variables() const override {
    static constexpr std::array<std::string_view, 3> kNames = {"OPENAI_", "CODEX_", "ANTHROPIC_"};
    return kNames;
  }
};

}  // namespace

std::unique_ptr<Agent> make_executor_agent() { return std::make_unique<ExecutorAgent>(); }

}  // namespace dragoman::agent
