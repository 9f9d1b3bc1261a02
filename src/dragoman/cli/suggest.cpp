// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/suggest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/edit_distance.hpp"

namespace dragoman::cli {

std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    // A word that was only begun is meant as well.
    const bool begun = word.size() >= 3 && std::string_view(candidate).starts_with(word);
    const std::size_t d = begun ? 1 : edit_distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto meant = closest(word, candidates);
  return meant.has_value() ? fmt::format("did you mean '{}'?", *meant) : std::string();
}

}  // namespace dragoman::cli
