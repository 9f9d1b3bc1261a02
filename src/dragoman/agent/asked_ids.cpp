// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/asked_ids.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dragoman::agent {

std::string_view AskedIds::of(const Question& question) {
  auto known = askings_.find(question.id);
  // The agent has passed it over, perhaps in spite of an answer: it waits again.
  const bool opens =
      question.state == QuestionState::open || question.state == QuestionState::unanswered;
  if (known == askings_.end()) {
    if (!opens || question.id.size() > kLongest || !has_room()) return question.id;
    Asking first = next(question.id, 1);
    known = askings_.emplace(std::string(question.id), std::move(first)).first;
  } else if (opens && known->second.settled) {
    known->second = next(question.id, known->second.times + 1);
  }
  return known->second.id;
}

void AskedIds::settle(std::string_view id) {
  const auto asking =
      std::ranges::find_if(askings_, [id](const auto& known) { return known.second.id == id; });
  if (asking != askings_.end()) {
    asking->second.settled = true;
  } else if (id.size() <= kLongest && has_room()) {
    askings_.emplace(std::string(id), Asking{std::string(id), 1, true});
  }
  some_settled_ = true;
}

bool AskedIds::has_room() {
  if (askings_.size() >= kMost && std::exchange(some_settled_, false)) {
    std::erase_if(askings_, [](const auto& known) { return known.second.settled; });
  }
  return askings_.size() < kMost;
}

// An agent may have given an id that looks like one of ours.
AskedIds::Asking AskedIds::next(std::string_view given, std::uint64_t times) const {
  const auto taken = [this](std::string_view id) {
    return std::ranges::any_of(askings_, [id](const auto& known) { return known.second.id == id; });
  };
  std::string id = times == 1 ? std::string(given) : fmt::format("{}.{}", given, times);
  while (taken(id)) id = fmt::format("{}.{}", given, ++times);
  return {std::move(id), times, false};
}

}  // namespace dragoman::agent
