// SPDX-License-Identifier: Apache-2.0
// A question that outlives the line it came in, and its answer.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::agent {

struct Choice {
  std::string label;
  std::string description;
  std::optional<Grant> grants = {};
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
  KeptWants wants = {};      // a permission: what for

  friend bool operator==(const Asked&, const Asked&) = default;
};
// The request that an event's question belongs to, as JSON; empty where it belongs to none.
[[nodiscard]] std::string_view request_id_in(std::span<const Extra> extra);
[[nodiscard]] Asked keep_question(const Question& question, std::span<const Extra> extra);

// Calls `use` with the question as the payload of an event. `decision`: of an answered permission.
void with_payload(const Asked& asked, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use,
                  std::optional<Grant> decision = std::nullopt);

// The grammar of run/answer.hpp, for this question.
[[nodiscard]] Result<Answer> read_answer(const Asked& asked, std::string_view typed);
[[nodiscard]] Result<Answer> literal_answer(const Asked& asked, std::string_view text);
[[nodiscard]] Result<Answer> chosen_answer(const Asked& asked, std::vector<std::size_t> options,
                                           std::string_view reason = {});

[[nodiscard]] std::string answer_words(const Asked& asked, const Answer& answer);
[[nodiscard]] std::optional<Grant> decision_of(const Asked& asked, const Answer& answer);
[[nodiscard]] std::string what_would_do(const Asked& asked);
// Whether it is a permission: y and n are answers.
[[nodiscard]] bool decides(const Asked& asked);

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
