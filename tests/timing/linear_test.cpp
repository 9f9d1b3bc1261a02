// SPDX-License-Identifier: Apache-2.0
// Eight times the input may cost about eight times the time. Something quadratic costs 64 times as
// much, so a bound in between, with second chances, tells them apart on any machine; the exact
// figures are bench/'s to find.
#include <algorithm>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/check/check.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/task/git_safety.hpp"
#include "tests/contract/hostile_inputs.hpp"
#include "tests/support/readers.hpp"

namespace dragoman::test {
namespace {

constexpr std::size_t kSmall = std::size_t{32} << 10U;
constexpr double kFactor = 8;
constexpr double kBound = 40;
constexpr double kNegligible = 0.02;  // seconds: nothing can be told from less
constexpr int kChances = 8;

class Nobody final : public EventSink {
 public:
  void on_event(const Event& event) override {
    line_.clear();
    append_json(line_, event);
  }

 private:
  std::string line_;
};

double seconds_to_read(const ReaderCase& reader_case, std::string_view input, std::size_t chunk) {
  const std::clock_t begin = std::clock();
  const std::unique_ptr<Reader> reader = reader_case.make();
  Nobody nobody;
  for (std::size_t at = 0; at < input.size(); at += chunk)
    reader->push(input.substr(at, chunk), nobody);
  reader->finish(nobody);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double seconds_to_check(std::string_view input) {
  const std::clock_t begin = std::clock();
  std::size_t findings = 0;
  check::Checker checker({}, [&findings](const check::Finding&) { ++findings; });
  checker.push(input);
  checker.finish();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// The growth of the time, at best of a few tries. `seconds` says what an input takes.
template <typename Seconds>
double growth(const Seconds& seconds, std::string_view small, std::string_view large) {
  double best = 1e9;
  for (int chance = 0; chance < kChances && best > kBound; ++chance) {
    const double after = seconds(large);
    if (after < kNegligible) return 0;
    const double before = std::min(seconds(small), seconds(small));
    best = std::min(best, after / std::max(before, kNegligible / kFactor));
  }
  return best;
}

class ReaderTime : public testing::TestWithParam<ReaderCase> {};

TEST_P(ReaderTime, GrowsWithTheInputAndNoFaster) {
  const auto small = hostile_inputs(kSmall);
  const auto large = hostile_inputs(kSmall * static_cast<std::size_t>(kFactor));
  for (std::size_t i = 0; i < small.size(); ++i) {
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{65536}}) {
      const auto seconds = [&](std::string_view input) {
        return seconds_to_read(GetParam(), input, chunk);
      };
      EXPECT_LE(growth(seconds, small[i].bytes, large[i].bytes), kBound)
          << small[i].name << " in chunks of " << chunk;
    }
  }
}

std::vector<ReaderCase> one_of_each() {
  std::vector<ReaderCase> chosen;
  for (const ReaderCase& reader : all_readers()) {
    if (reader.name.find("_default") != reader.name.npos || reader.name == "markers_compat")
      chosen.push_back(reader);
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Every, ReaderTime, testing::ValuesIn(one_of_each()),
                         [](const auto& reader) { return reader.param.name; });

TEST(CheckTime, GrowsWithTheInputAndNoFaster) {
  const auto small = hostile_inputs(kSmall);
  const auto large = hostile_inputs(kSmall * static_cast<std::size_t>(kFactor));
  for (std::size_t i = 0; i < small.size(); ++i)
    EXPECT_LE(growth(seconds_to_check, small[i].bytes, large[i].bytes), kBound) << small[i].name;
}

TEST(ReadEventTime, GrowsWithTheNumberOfKeysAndNoFaster) {
  const auto line_with = [](std::size_t keys) {
    std::string line = "{\"kind\":\"unknown\",\"data\":{\"type\":\"x\"";
    for (std::size_t i = 0; i < keys; ++i) line += ",\"k" + std::to_string(i) + "\":1";
    return line + "},\"origin\":{}}";
  };
  const auto seconds = [](std::string_view line) {
    const std::clock_t begin = std::clock();
    Arena arena;
    EXPECT_TRUE(read_event(line, arena));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  EXPECT_LE(growth(seconds, line_with(4000), line_with(32000)), kBound);
}

// A task of a mebibyte, or a command of sixteen, may be one line.
TEST(GitSafetyTime, GrowsWithTheLineAndNoFaster) {
  const auto seconds = [](std::string_view line) {
    const std::clock_t begin = std::clock();
    (void)task::judge_git(line);
    (void)task::judge_git_command(line);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  for (const std::string unit : {"git ", "rm ", "git -C ", "git -a ", "git reset --hard ",
                                 "x git rebase ", "rm -r .git ", "`git rebase "}) {
    std::string line;
    while (line.size() < kSmall / 8) line += unit;
    const std::string small = line;
    while (line.size() < small.size() * static_cast<std::size_t>(kFactor)) line += unit;
    EXPECT_LE(growth(seconds, small, line), kBound) << unit;
  }
}

}  // namespace
}  // namespace dragoman::test
