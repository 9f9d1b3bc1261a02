// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/prng.hpp"

namespace dragoman::bench {

// What an agent writes around its markers: a pool of Markdown and source lines,
// made once and then quoted in random order, so that a gigabyte costs little
// more than copying it.
class Prose {
 public:
  explicit Prose(std::uint64_t seed);

  // A few words without a newline, quote, backslash or bracket: safe inside
  // JSON and markers.
  std::string_view phrase(Prng& random) const { return pick(phrases_, random); }
  // A line of Markdown or a small fenced block, newline included. Never a
  // marker.
  std::string_view markdown(Prng& random) const { return pick(markdown_, random); }
  // One line of program text or tool output, newline included.
  std::string_view source_line(Prng& random) const { return pick(source_, random); }
  // The same two as they stand inside a JSON string.
  std::string_view escaped_markdown(Prng& random) const { return pick(escaped_markdown_, random); }
  std::string_view escaped_source_line(Prng& random) const { return pick(escaped_source_, random); }

 private:
  static std::string_view pick(const std::vector<std::string>& pool, Prng& random) {
    return pool[random.below(pool.size())];
  }

  std::vector<std::string> phrases_;
  std::vector<std::string> markdown_;
  std::vector<std::string> source_;
  std::vector<std::string> escaped_markdown_;
  std::vector<std::string> escaped_source_;
};

}  // namespace dragoman::bench
