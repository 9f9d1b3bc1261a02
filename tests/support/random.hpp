// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

// SplitMix64: the same seed gives the same test on every machine and library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  // Less than `limit`, which must not be 0.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  char byte() { return static_cast<char>(next() & 0xFFU); }
  template <typename Items>
  const auto& pick(const Items& items) {
    return items[below(std::size(items))];
  }
  std::string bytes(std::size_t length) {
    std::string out;
    for (std::size_t i = 0; i < length; ++i) out.push_back(byte());
    return out;
  }

 private:
  std::uint64_t state_;
};

// `text` with a few bytes changed, put in, taken out or doubled; never the same length for sure.
inline std::string mutated(std::string text, Random& random, std::string_view alphabet) {
  const std::size_t edits = 1 + random.below(3);
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const char c = random.one_in(8) ? random.byte() : random.pick(alphabet);
    switch (random.below(4)) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1 + random.below(3));
        break;
      case 2:
        if (at < text.size()) text[at] = c;
        break;
      default:
        text.insert(at, text.substr(random.below(text.size() + 1), random.below(9)));
        break;
    }
  }
  return text;
}

}  // namespace dragoman::test
