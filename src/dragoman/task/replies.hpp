// SPDX-License-Identifier: Apache-2.0
// Answers between the desk and the engine.
#pragma once

#include "dragoman/agent/conversation.hpp"
#include "dragoman/ask/question_record.hpp"

namespace dragoman::task {

// The answer of a question that has one, for the run that asked it.
[[nodiscard]] inline agent::Reply reply_of(const ask::QuestionRecord& question) {
  agent::Reply reply{.id = question.id};
  if (question.chosen.empty()) {
    reply.text = question.answer;
  } else {
    reply.options.emplace(question.chosen.begin(), question.chosen.end());
  }
  return reply;
}

}  // namespace dragoman::task
