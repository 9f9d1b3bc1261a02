// SPDX-License-Identifier: Apache-2.0
// Answers between the desk and the engine.
#pragma once

#include "dragoman/agent/conversation.hpp"
#include "dragoman/ask/question_record.hpp"

namespace dragoman::task {

// The answer of a question that has one, for the run that asked it.
[[nodiscard]] inline agent::Reply reply_of(const ask::QuestionRecord& question) {
  Answer answer = ask::answer_of(question);
  agent::Reply reply{.id = question.id};
  if (answer.options.empty() || !answer.text.empty()) reply.text = std::move(answer.text);
  if (!answer.options.empty()) reply.options = std::move(answer.options);
  return reply;
}

}  // namespace dragoman::task
