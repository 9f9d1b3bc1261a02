// SPDX-License-Identifier: Apache-2.0
// What is true of which of 128 bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace dragoman::json {

// Bit i stands for byte i. All of it in line and without branches: where a bit is set cannot be
// guessed.
struct Bits128 {
  static constexpr std::size_t kBits = 128;

  std::uint64_t near = 0;
  std::uint64_t far = 0;

  [[nodiscard]] bool any() const { return (near | far) != 0; }

  // The place of the first one, kBits when there is none.
  [[nodiscard]] std::size_t first() const {
    const auto behind = static_cast<std::size_t>(std::countr_zero(far)) + 64;
    return near != 0 ? static_cast<std::size_t>(std::countr_zero(near)) : behind;
  }
  void drop_first() {
    const std::uint64_t rest = far & (far - 1);
    far = near != 0 ? far : rest;
    near &= near - 1;
  }
  // The 64 bits from `place` on, which may be any number.
  [[nodiscard]] std::uint64_t behind(std::size_t place) const {
    const std::uint64_t low = place < 64 ? near : (place < kBits ? far : 0);
    const std::uint64_t high = place < 64 ? far : 0;
    return low >> place % 64 | high << 1U << (63 - place % 64);
  }
  // Those before `place`, at most kBits.
  [[nodiscard]] Bits128 before(std::size_t place) const {
    const auto below = [](std::size_t count) {
      return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
    };
    return {near & below(place), place < 64 ? 0 : far & below(place - 64)};
  }

  friend bool operator==(const Bits128&, const Bits128&) = default;
};

}  // namespace dragoman::json
