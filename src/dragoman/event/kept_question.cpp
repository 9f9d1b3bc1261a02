// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/kept_question.hpp"

#include <algorithm>
#include <array>

namespace dragoman {
std::vector<std::optional<Grant>> KeptQuestion::grants() const {
  std::vector<std::optional<Grant>> out;
  out.reserve(options.size());
  for (const Choice& choice : options) out.push_back(choice.grants);
  if (std::ranges::any_of(out, [](const auto& grant) { return grant.has_value(); })) return out;
  out.clear();
  if (source != QuestionSource::permission || options.size() != 2) return out;
  const std::array<std::string_view, 2> labels = {options[0].label, options[1].label};
  const auto old = grants_of_old(labels);
  out.assign(old.begin(), old.end());
  return out;
}

KeptQuestion keep_question(const Question& question) {
  KeptQuestion kept;
  kept.id = question.id;
  kept.kind = question.kind;
  kept.source = question.source;
  kept.header = question.header;
  kept.text = question.text;
  for (const Option& option : question.options) {
    kept.options.push_back(
        {std::string(option.label), std::string(option.description), option.grants});
  }
  kept.multi_select = question.multi_select;
  kept.free_text = question.free_text;
  kept.context.assign(question.context.begin(), question.context.end());
  kept.blocking = question.blocking;
  kept.secret = question.secret.value_or(false);
  kept.wants = KeptWants(question.wants);
  return kept;
}

void with_payload(const KeptQuestion& question, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use, std::optional<Grant> decision) {
  // A view without bytes is an absent member.
  const auto view = [](const std::string& text) {
    return text.empty() ? std::string_view() : std::string_view(text);
  };
  std::vector<Option> options;
  options.reserve(question.options.size());
  for (const Choice& choice : question.options)
    options.push_back({choice.label, view(choice.description), choice.grants});
  const std::vector<std::string_view> context(question.context.begin(), question.context.end());
  Question payload;
  payload.id = question.id;
  payload.kind = question.kind;
  payload.source = question.source;
  payload.state = state;
  payload.header = view(question.header);
  payload.text = question.text;
  payload.options = options;
  payload.multi_select = question.multi_select;
  payload.free_text = question.free_text;
  payload.context = context;
  payload.blocking = question.blocking;
  if (question.secret) payload.secret = true;
  payload.wants = question.wants.get();
  payload.decision = decision;
  if (state == QuestionState::answered) payload.answer = question.secret ? kHidden : answer;
  use(payload);
}

}  // namespace dragoman
