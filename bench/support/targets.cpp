// SPDX-License-Identifier: Apache-2.0
#include "bench/support/scoreboard.hpp"

namespace dragoman::bench {

std::span<const Target> targets() {
  using namespace contestant;
  using enum Dialect;
  constexpr auto kNone = std::nullopt;
  static const std::array<Target, 21> all = {{
      {wxcode, kLibrary, kMemchr, {kNone, kNone, 0.70}},
      {wxcode, kLibrary, kMarkersSimdjson, {2.0, 2.2, 0.95}},
      {wxcode, kLibrary, kTellingSimdjson, {}},
      {claude, kLibrary, kTypesSimdjson, {1.1, 0.28, 1.4}},
      {markers, kLibrary, kNewlines, {1.4, 0.38, 2.4}},
      {wxcode, kLibraryChunks, kLibrary, {0.90, 0.90, 0.90}},
      {claude, kLibraryChunks, kLibrary, {0.70, 0.90, 0.60}},
      {markers, kLibraryChunks, kLibrary, {0.90, 0.90, 0.90}},
      {wxcode, kCount, kNode, {15, 8, 18}},
      {claude, kCount, kNode, {15, 8, 18}},
      {markers, kCount, kNode, {15, 8, 18}},
      {wxcode, kCount, kPython, {30, 45, 17}},
      {claude, kCount, kPython, {10, 13, 9}},
      {markers, kCount, kPython, {45, 24, 60}},
      {wxcode, kMarkersOnly, kRipgrep, {3, 4, 1.1}},
      {wxcode, kCount, kCat, {0.3, kNone, 0.65}},
      {claude, kCount, kCat, {0.3, kNone, 0.4}},
      {markers, kCount, kCat, {0.3, kNone, 0.65}},
      {wxcode, kAllEvents, kPython, {4, 4, 4}},
      {claude, kAllEvents, kPython, {4, 4, 4}},
      {markers, kAllEvents, kPython, {4, 4, 4}},
  }};
  return all;
}

}  // namespace dragoman::bench
