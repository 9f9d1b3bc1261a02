// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::bench {

// splitmix64: the same numbers on every machine and with every standard
// library, which std::uniform_int_distribution does not promise.
class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }

  // A number in [0, bound); the bias of the multiplication is far below what a
  // corpus shows.
  std::size_t below(std::size_t bound) {
    const std::uint64_t high = next() >> 32U;
    return static_cast<std::size_t>((high * bound) >> 32U);
  }

  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace dragoman::bench
