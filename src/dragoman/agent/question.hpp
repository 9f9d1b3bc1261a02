// SPDX-License-Identifier: Apache-2.0
// A question that outlives the line it came in, and its answer.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::agent {

struct Choice {
  std::string label;
  std::string description;
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Asked {
  std::string id;
  QuestionKind kind = QuestionKind::question;
  QuestionSource source = QuestionSource::comment;
  std::string header;
  std::string text;
  std::vector<Choice> options;
  bool multi_select = false;
  bool free_text = false;
  std::vector<std::string> context;
  bool blocking = true;
  bool secret = false;
  bool passed_over = false;  // the agent went on without an answer, and said so
  std::string request_id;    // control protocol: whom to answer, as JSON; empty elsewhere

  friend bool operator==(const Asked&, const Asked&) = default;
};
// The request that an event's question belongs to, as JSON; empty where it belongs to none.
[[nodiscard]] std::string_view request_id_in(std::span<const Extra> extra);
[[nodiscard]] Asked keep_question(const Question& question, std::span<const Extra> extra);

// Calls `use` with the question as the payload of an event.
void with_payload(const Asked& asked, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use);

// The grammar of run/answer.hpp, for this question.
[[nodiscard]] Result<Answer> read_answer(const Asked& asked, std::string_view typed);
[[nodiscard]] Result<Answer> literal_answer(const Asked& asked, std::string_view text);
[[nodiscard]] Result<Answer> chosen_answer(const Asked& asked, std::vector<std::size_t> options);

[[nodiscard]] std::string answer_words(const Asked& asked, const Answer& answer);

// An answer together with what it answers.
struct Answered {
  Asked asked;
  Answer answer;
  friend bool operator==(const Answered&, const Answered&) = default;
};

// The answers as the next prompt of a session: one alone is the label or text, several are a line
// each, "{header or text}: {answer}".
[[nodiscard]] std::string answers_as_prompt(std::span<const Answered> answers);
[[nodiscard]] bool any_secret(std::span<const Answered> answers);

}  // namespace dragoman::agent
