// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/support/corpus.hpp"

namespace dragoman::bench {

// The contestants, by the names they have in the tables.
namespace contestant {
inline constexpr std::string_view kMemchr = "memchr scan (limit)";
inline constexpr std::string_view kNewlines = "memchr newline count";
inline constexpr std::string_view kMarkersSimdjson = "pair search + simdjson per payload";
inline constexpr std::string_view kTellingSimdjson = "the same, telling fields, text and lines";
inline constexpr std::string_view kTypesSimdjson = "simdjson on-demand, `type` only";
inline constexpr std::string_view kLibrary = "library, one shot";
inline constexpr std::string_view kLibraryChunks = "library, 64 KB pushes";
inline constexpr std::string_view kCat = "`cat >/dev/null`";
inline constexpr std::string_view kWc = "`wc -l`";
inline constexpr std::string_view kRipgrep = "`rg -o` the regex";
inline constexpr std::string_view kJq = "`jq .type`";
inline constexpr std::string_view kNode = "Node parser";
inline constexpr std::string_view kPython = "Python parser";
inline constexpr std::string_view kCount = "`dragoman parse --count`";
inline constexpr std::string_view kMarkersOnly = "`dragoman parse`, markers only";
inline constexpr std::string_view kAllEvents = "`dragoman parse`, all events";
}  // namespace contestant

// A ratio that has to be reached, for each density; none where nothing is
// promised.
struct Target {
  Dialect dialect;
  std::string_view contestant;
  std::string_view rival;
  std::array<std::optional<double>, 3> at_least;  // in the order of kDensities
};

std::span<const Target> targets();

// Bytes per CPU second of every contestant on every corpus, and the two tables
// made of them.
class Scoreboard {
 public:
  void record(std::string_view contestant, Dialect dialect, Density density,
              double bytes_per_second);

  std::string speed_table() const;   // Markdown, MB/s
  std::string target_table() const;  // Markdown, ratios with target and reached
  std::size_t missed() const;        // targets that were measured and not reached

 private:
  using Key = std::tuple<std::string, Dialect, Density>;

  std::optional<double> speed(std::string_view contestant, Dialect dialect, Density density) const;
  std::optional<double> ratio(const Target& target, Density density) const;

  std::vector<std::string> order_;  // contestants as they were first seen
  std::map<Key, double> speeds_;
};

}  // namespace dragoman::bench
