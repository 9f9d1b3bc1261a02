// SPDX-License-Identifier: Apache-2.0
// The JSON in which agents ask: {"questions":[{"question":…,"header":…,"options":[…]}]}.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

struct QuestionPayload {
  std::vector<Question> questions;  // ids, context and state are the caller's to set
  std::vector<std::string_view>
      own_ids;  // one for each question; absent where the payload gave none
  std::vector<std::span<const Extra>> extras;  // one for each question: what it says besides
  bool dropped_entry = false;                  // something that asks nothing was left out
  bool odd_shape = false;       // a bare question or array instead of {"questions":[…]}
  bool dropped_option = false;  // an option without a label was left out
  // What is of another type and was left out, each once: "header is not a string".
  std::vector<std::string_view> mistyped;
};

// Reads `json` (a complete, well-formed value). Views point into `json` and `arena`. No questions
// at all: the value does not ask anything.
void read_questions(std::string_view json, QuestionSource source, Arena& arena,
                    QuestionPayload& out);

// The same for the questions of an envelope, which may be written as an event has them: what such
// an entry says about its kind, source, state, context and importance is kept too.
void read_recorded_questions(std::string_view json, Arena& arena, QuestionPayload& out);

// What a block asks: somebody has to answer before the agent goes on. Views point into both.
[[nodiscard]] Question question_of(const Blocked& blocked, std::string_view id);

// As given, else the first 12 code points of the text, cut at a word.
[[nodiscard]] std::string_view question_header(std::string_view given, std::string_view text);

}  // namespace dragoman
