// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "bench/support/cpu_time.hpp"
#include "dragoman/dialect/reader.hpp"
#include "tests/timing/adversarial.hpp"

namespace dragoman::test {
namespace {

constexpr double kLongestDoubling = 2.3;
constexpr double kMeasurable = 0.005;  // seconds; below, the clock and the caches decide
constexpr std::size_t kSmallest = std::size_t{1} << 16U;
constexpr std::size_t kLargest = std::size_t{1} << 24U;

enum class Chunks { whole, bytes };

class IgnoringSink final : public EventSink {
 public:
  void on_event(const Event& /*event*/) override {}
};

double seconds_to_read(const Adversary& adversary, Chunks chunks, const std::string& input,
                       int repeats) {
  return bench::best_of(repeats, [&] {
    IgnoringSink sink;
    const auto reader = make_reader(adversary.dialect);
    const std::size_t step = chunks == Chunks::whole ? input.size() : 1;
    for (std::size_t at = 0; at < input.size(); at += step) {
      reader->push(std::string_view(input).substr(at, step), sink);
    }
    reader->finish(sink);
  });
}

// What doubling the input multiplies the time by.
double doubling(const Adversary& adversary, Chunks chunks, std::size_t size, int repeats) {
  const double once = seconds_to_read(adversary, chunks, adversary.make(size), repeats);
  const double twice = seconds_to_read(adversary, chunks, adversary.make(2 * size), repeats);
  return twice / once;
}

class LinearTime : public testing::TestWithParam<std::tuple<std::size_t, Chunks>> {};

// A neighbour on the machine can spoil a measurement, never mend one: the best of a few counts.
double best_doubling(const Adversary& adversary, Chunks chunks, std::size_t size) {
  double ratio = doubling(adversary, chunks, size, 2);
  for (int attempt = 0; attempt < 3 && ratio > kLongestDoubling; ++attempt) {
    ratio = std::min(ratio, doubling(adversary, chunks, size, 4));
  }
  return ratio;
}

TEST_P(LinearTime, DoublingTheInputAtMostDoublesTheTime) {
  const Adversary& adversary = adversaries()[std::get<0>(GetParam())];
  const Chunks chunks = std::get<1>(GetParam());
  std::size_t size = kSmallest;
  while (size < kLargest &&
         seconds_to_read(adversary, chunks, adversary.make(size), 1) < kMeasurable) {
    size *= 2;
  }
  // Where a bounded table fills up or a block reaches its limit, time takes one step. Growth that
  // is not linear goes on behind it.
  double ratio = best_doubling(adversary, chunks, size);
  for (int step = 0; step < 2 && ratio > kLongestDoubling; ++step) {
    size *= 4;
    ratio = best_doubling(adversary, chunks, size);
  }
  EXPECT_LE(ratio, kLongestDoubling) << "from " << size << " bytes";
}

std::string test_name(const testing::TestParamInfo<LinearTime::ParamType>& param) {
  const Adversary& adversary = adversaries()[std::get<0>(param.param)];
  const bool whole = std::get<1>(param.param) == Chunks::whole;
  return std::string(name(adversary.dialect)) + "_" + std::string(adversary.name) +
         (whole ? "_Whole" : "_ByteByByte");
}

INSTANTIATE_TEST_SUITE_P(Adversaries, LinearTime,
                         testing::Combine(testing::Range<std::size_t>(0, adversaries().size()),
                                          testing::Values(Chunks::whole, Chunks::bytes)),
                         test_name);

}  // namespace
}  // namespace dragoman::test
