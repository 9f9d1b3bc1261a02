// SPDX-License-Identifier: Apache-2.0
// A question as it was asked, kept beyond the event that asked it. Everything that waits for an
// answer has one of these: the agent's conversation, the record in the log, every surface.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/payloads.hpp"
#include "dragoman/event/permission.hpp"

namespace dragoman {

struct Choice {
  std::string label = {};
  std::string description = {};
  std::optional<Grant> grants = {};
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct KeptQuestion {
  std::string id = {};
  QuestionKind kind = QuestionKind::question;
  QuestionSource source = QuestionSource::comment;
  std::string header = {};
  std::string text = {};
  std::vector<Choice> options = {};
  bool multi_select = false;
  bool free_text = false;  // of a permission: it may be denied with a reason
  std::vector<std::string> context = {};
  bool blocking = false;
  bool secret = false;
  KeptWants wants = {};  // of a permission: what for

  // Of a permission: what each option grants, also where an agent of old did not say it. Empty: it
  // is none.
  [[nodiscard]] std::vector<std::optional<Grant>> grants() const;
  // Whether it is one: y and n are answers.
  [[nodiscard]] bool permission() const { return !grants().empty(); }

  friend bool operator==(const KeptQuestion&, const KeptQuestion&) = default;
};

[[nodiscard]] KeptQuestion keep_question(const Question& question);

// What stands in the place of an answer to a secret question wherever something is kept or shown.
inline constexpr std::string_view kHidden = "[hidden]";

// Calls `use` with the question as the payload of an event. `decision`: of an answered permission.
void with_payload(const KeptQuestion& question, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use,
                  std::optional<Grant> decision = std::nullopt);

}  // namespace dragoman
