// SPDX-License-Identifier: Apache-2.0
// The marker protocol: a program that is called with a task id, a description and perhaps a plan,
// prints markers, ends, and is called again with the answer added to the description. It keeps its
// own session under the id. And any other program, which is called once and told nothing.
#include <fmt/format.h>

#include "dragoman/agent/wire.hpp"

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

class ExecutorWire final : public Wire {
 public:
  // The next answer comes behind this one, so the description keeps it.
  [[nodiscard]] Launch start(Request& request, const Opening& opening) const override {
    constexpr std::size_t kDescription = 2;
    for (const Answered& answered : opening.answers) {
      request.words[kDescription] += answer_of(answered);
      if (answered.asked.secret)
        request.secrets.push_back(answer_words(answered.asked, answered.answer));
    }
    return {request.words, {}, Launch::Stdin::closed};
  }
};

class CommandWire final : public Wire {
 public:
  [[nodiscard]] Launch start(Request& request, const Opening& opening) const override {
    return {request.words, std::string(opening.text), Launch::Stdin::closed};
  }
};

}  // namespace

std::unique_ptr<Wire> make_executor_wire() { return std::make_unique<ExecutorWire>(); }
std::unique_ptr<Wire> make_command_wire() { return std::make_unique<CommandWire>(); }

}  // namespace dragoman::agent
