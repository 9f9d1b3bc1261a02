// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/question.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dragoman::agent {

std::string_view request_id_in(std::span<const Extra> extra) {
  std::string_view id;
  for (const Extra& field : extra) {
    if (field.key == "request_id") id = field.value.json;
  }
  return id;
}

std::string answers_as_prompt(std::span<const Answered> answers) {
  if (answers.size() == 1) return answer_words(answers[0].asked, answers[0].answer);
  std::string out;
  for (const Answered& answered : answers) {
    const KeptQuestion& asked = answered.asked;
    if (!out.empty()) out.push_back('\n');
    out += fmt::format("{}: {}", asked.header.empty() ? asked.text : asked.header,
                       answer_words(asked, answered.answer));
  }
  return out;
}

bool any_secret(std::span<const Answered> answers) {
  return std::ranges::any_of(answers, [](const Answered& one) { return one.asked.secret; });
}

}  // namespace dragoman::agent
