// SPDX-License-Identifier: Apache-2.0
// Runs in which anything may happen at any time, beside a model of them.
#include "tests/engine/run_model.hpp"

#include <gtest/gtest.h>

#include "tests/engine/turns_model.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

TEST(RunModel, WhateverHappensTheRunDoesWhatItsModelSays) {
  const std::size_t steps = scaled(1'000'000);
  std::uint64_t seed = 0;
  for (std::size_t done = 0; done < steps; ++seed) {
    const auto& agents = agent::agents();
    RunModel model(agents[seed % agents.size()], seed);
    for (int i = 0; i < 40 && !model.is_over() && model.broken().empty(); ++i, ++done) model.step();
    model.bring_to_its_end();
    ++done;
    ASSERT_EQ(model.broken(), "") << "seed " << seed << ":\n" << model.story();
  }
}

// Orders of messages, answers, interrupts, crashes, ends of keeping, and kills of the owner with a
// later turn in the same recording.
TEST(RunModel, InEveryOrderOfTurnsEachMessageIsHeardOnceAndEachTurnHasItsVerdict) {
  const std::size_t steps = scaled(1'000'000);
  std::uint64_t seed = 0;
  for (std::size_t done = 0; done < steps; ++seed) {
    TurnsModel model(seed % 4 == 0 ? "codex" : "claude", seed);
    for (int i = 0; i < 100 && model.broken().empty(); ++i, ++done) model.step();
    model.bring_to_its_end();
    ++done;
    ASSERT_EQ(model.broken(), "") << "seed " << seed << ":\n" << model.story();
  }
}

}  // namespace
}  // namespace dragoman::test
