// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/permission.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"

namespace dragoman {
namespace {

constexpr std::array<std::string_view, 2> kOldLabels = {"Allow", "Deny"};
constexpr std::array<Grant, 2> kOldGrants = {Grant::allow_once, Grant::deny};

}  // namespace

KeptWants::KeptWants(const std::optional<Wants>& wants) {
  if (!wants) return;
  auto bytes = std::make_shared<Arena>();
  wants_ = keep(*wants, *bytes);
  bytes_ = std::move(bytes);
}

KeptWants KeptWants::read(std::string_view json) {
  Arena arena;
  return KeptWants(read_wants(json, arena));
}

std::string KeptWants::write() const {
  std::string json;
  if (wants_) append_wants(json, *wants_);
  return json;
}

std::string sentence_of(std::string_view text, const std::optional<Wants>& wants) {
  const bool repeats = wants && !wants->command.empty() &&
                       text == fmt::format("Allow {}: {}?", wants->tool, wants->command);
  return repeats ? fmt::format("Allow {}?", wants->tool) : std::string(text);
}

std::string text_with_command(std::string_view text, const std::optional<Wants>& wants) {
  std::string out = sentence_of(text, wants);
  if (wants && !wants->command.empty()) out.append("\n$ ").append(wants->command);
  if (wants && wants->cut.value_or(false)) out.append("\n").append(kCutNote);
  return out;
}

std::span<const Grant> grants_of_old(std::span<const std::string_view> labels) {
  if (std::ranges::equal(labels, kOldLabels)) return kOldGrants;
  return {};
}

std::optional<Decision> decision_in(const Question& question) {
  if (question.state != QuestionState::answered) return std::nullopt;
  const auto is_answer = [&](const Option& option) { return option.label == question.answer; };
  const auto chosen = std::ranges::find_if(question.options, is_answer);
  std::optional<Grant> grant = question.decision;
  if (!grant && question.source == QuestionSource::permission && !question.answer.empty()) {
    std::vector<std::string_view> labels;
    for (const Option& option : question.options) labels.push_back(option.label);
    if (const auto grants = grants_of_old(labels); !grants.empty()) {
      grant = chosen == question.options.end()
                  ? Grant::deny
                  : grants[static_cast<std::size_t>(chosen - question.options.begin())];
    }
  }
  if (!grant) return std::nullopt;
  const bool says_why = *grant == Grant::deny && chosen == question.options.end();
  return Decision{*grant, says_why ? std::string(question.answer) : std::string()};
}

std::string_view words_for(Grant grant) {
  switch (grant) {
    case Grant::allow_once:
      return "allowed";
    case Grant::allow_session:
      return "allowed for this session";
    case Grant::allow_always:
      return "always allowed";
    case Grant::deny:
      return "denied";
  }
  return "";
}

std::string words_for(const Decision& decision) {
  std::string out(words_for(decision.grant));
  if (!decision.reason.empty()) out.append(": ").append(decision.reason);
  return out;
}

}  // namespace dragoman
