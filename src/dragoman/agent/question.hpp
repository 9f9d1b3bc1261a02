// SPDX-License-Identifier: Apache-2.0
// A question of a talk that waits for an answer, and its answer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"
#include "dragoman/event/kept_question.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::agent {

// What was asked, and what the talk knows about it.
struct PendingQuestion {
  KeptQuestion asked;
  std::string request_id = {};  // control protocol: whom to answer, as JSON; empty elsewhere
  bool passed_over = false;     // the agent went on without an answer, and said so

  friend bool operator==(const PendingQuestion&, const PendingQuestion&) = default;
};
// The request that an event's question belongs to, as JSON; empty where it belongs to none.
[[nodiscard]] std::string_view request_id_in(std::span<const Extra> extra);

// An answer together with what it answers.
struct Answered {
  KeptQuestion asked;
  Answer answer;
  friend bool operator==(const Answered&, const Answered&) = default;
};

// The answers as the next prompt of a session: one alone is the label or text, several are a line
// each, "{header or text}: {answer}".
[[nodiscard]] std::string answers_as_prompt(std::span<const Answered> answers);
[[nodiscard]] bool any_secret(std::span<const Answered> answers);

}  // namespace dragoman::agent
