// SPDX-License-Identifier: Apache-2.0
// The marker protocol: a program that is called with a task id, a description and perhaps a plan,
// prints markers, ends, and is called again with the answer added to the description. It keeps its
// own session under the id.
#include <fmt/format.h>

#include "dragoman/agent/protocols.hpp"

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

}  // namespace

Result<Launch> launch_executor(const AgentRow& agent, const Request& request,
                               std::string_view /*session*/, std::span<const Answered> answers,
                               const Locate& locate) {
  Launch out{request.words, {}};
  DRAGOMAN_TRY(out.argv[0], locate(out.argv[0]));
  for (const Answered& answered : answers) out.argv[agent.words.task_at] += answer_of(answered);
  return out;
}

}  // namespace dragoman::agent
