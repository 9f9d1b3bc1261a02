// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/bits128.hpp"

#include <bitset>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"

namespace dragoman::json {
namespace {

// The same, kept bit by bit.
struct Model {
  std::bitset<Bits128::kBits> bits;

  [[nodiscard]] std::size_t first() const {
    std::size_t place = 0;
    while (place < bits.size() && !bits[place]) ++place;
    return place;
  }
  [[nodiscard]] std::uint64_t behind(std::size_t place) const {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < 64 && place + i < bits.size(); ++i) {
      found |= static_cast<std::uint64_t>(bits[place + i]) << i;
    }
    return found;
  }
};

Bits128 of(const Model& model) { return {model.behind(0), model.behind(64)}; }

Model some_bits(test::Random& random) {
  Model model;
  for (std::size_t i = random.below(6); i > 0; --i) model.bits.set(random.below(128));
  return model;
}

TEST(Bits128, AnswerLikeASetOfPlaces) {
  test::Random random(11);
  for (int round = 0; round < 2000; ++round) {
    const Model model = some_bits(random);
    const Bits128 bits = of(model);
    ASSERT_EQ(bits.any(), model.bits.any());
    ASSERT_EQ(bits.first(), model.first());
    for (const std::size_t place : {0U, 1U, 63U, 64U, 65U, 127U, 128U}) {
      ASSERT_EQ(bits.behind(place), model.behind(place)) << place;
      Model before = model;
      for (std::size_t i = place; i < Bits128::kBits; ++i) before.bits.reset(i);
      ASSERT_EQ(bits.before(place), of(before)) << place;
    }
    ASSERT_EQ(bits.behind(200), 0U);
  }
}

TEST(Bits128, DropTheirFirstUntilNoneIsLeft) {
  test::Random random(12);
  for (int round = 0; round < 2000; ++round) {
    Model model = some_bits(random);
    Bits128 bits = of(model);
    for (; model.bits.any(); bits.drop_first()) {
      ASSERT_EQ(bits.first(), model.first());
      model.bits.reset(model.first());
    }
    ASSERT_FALSE(bits.any());
  }
}

}  // namespace
}  // namespace dragoman::json
