// SPDX-License-Identifier: Apache-2.0
// The laws of ARCHITECTURE.md over every reader, in every mode, on every recorded input.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/hostile_inputs.hpp"
#include "tests/support/laws.hpp"
#include "tests/support/random.hpp"
#include "tests/support/readers.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr std::size_t kSmall = 4096;

class ReaderLaws : public testing::TestWithParam<ReaderCase> {
 protected:
  [[nodiscard]] static Transcript whole(std::string_view input) {
    return transcribe(GetParam().maker(), input, {}, Scrutiny::full);
  }
  [[nodiscard]] static std::string compare(const Transcript& expected, std::string_view input,
                                           const std::vector<std::size_t>& cuts) {
    return difference(expected, transcribe(GetParam().maker(), input, cuts, Scrutiny::tiling_only));
  }
};

std::vector<std::size_t> random_cuts(Random& random, std::size_t size) {
  std::vector<std::size_t> cuts(1 + random.below(8));
  for (std::size_t& cut : cuts) cut = random.below(size + 1);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// Whether this reader is meant for that input; other pairs are tried too, but less often.
bool is_at_home(const ReaderCase& reader, const Input& input) {
  if (!reader.dialect.has_value()) return true;
  const std::string_view dialect = name(*reader.dialect);
  return input.name.find("/" + std::string(dialect) + "/") != input.name.npos;
}

TEST_P(ReaderLaws, HoldOnEveryRecordedInput) {
  ASSERT_FALSE(recorded_inputs().empty());
  for (const Input& input : recorded_inputs())
    ASSERT_EQ(whole(input.bytes).broken, "") << input.name;
}

TEST_P(ReaderLaws, AnyTwoWaySplitOfASmallInputGivesTheSameEvents) {
  Random random(1);
  for (const Input& input : recorded_inputs()) {
    if (input.bytes.size() > kSmall) continue;
    const bool home = is_at_home(GetParam(), input);
    if (!home && !random.one_in(4)) continue;
    const Transcript expected = whole(input.bytes);
    const std::size_t step = home ? step_with_sanitizers(16) : 1 + random.below(16);
    for (std::size_t cut = 1 + random.below(step); cut < input.bytes.size(); cut += step) {
      ASSERT_EQ(compare(expected, input.bytes, {cut}), "") << input.name << " cut at " << cut;
    }
  }
}

TEST_P(ReaderLaws, ByteByByteGivesTheSameEvents) {
  Random random(6);
  for (const Input& input : recorded_inputs()) {
    if (!is_at_home(GetParam(), input) && !random.one_in(step_with_sanitizers(4))) continue;
    ASSERT_EQ(compare(whole(input.bytes), input.bytes, every_byte(input.bytes.size())), "")
        << input.name;
  }
}

TEST_P(ReaderLaws, RandomSplitsOfALargeInputGiveTheSameEvents) {
  Random random(2);
  for (const Input& input : recorded_inputs()) {
    if (input.bytes.size() <= kSmall || !is_at_home(GetParam(), input)) continue;
    const Transcript expected = whole(input.bytes);
    for (std::size_t i = 0; i < scaled_twice(10'000); ++i) {
      const auto cuts = random_cuts(random, input.bytes.size());
      ASSERT_EQ(compare(expected, input.bytes, cuts), "")
          << input.name << " cut at " << testing::PrintToString(cuts);
    }
  }
}

TEST_P(ReaderLaws, HoldOnMutatedInputs) {
  Random random(3);
  const std::vector<Input>& inputs = recorded_inputs();
  for (std::size_t i = 0; i < scaled(2000); ++i) {
    const Input& input = random.pick(inputs);
    // A stretch of the input, so that a mutation has something to do with what follows.
    const std::size_t from = random.below(input.bytes.size() + 1);
    const std::string bytes = mutated(input.bytes.substr(random.one_in(2) ? 0 : from, 3000), random,
                                      "<!-- WXCODE:[]{}\",:\\n`~>\n\n\r\t ");
    const Transcript expected = whole(bytes);
    ASSERT_EQ(expected.broken, "") << input.name << "\n" << bytes;
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(compare(expected, bytes, random_cuts(random, bytes.size())), "")
          << input.name << "\n"
          << bytes;
    }
  }
}

TEST_P(ReaderLaws, HoldOnHostileInputs) {
  Random random(4);
  for (const HostileInput& input : hostile_inputs(2000 / step_with_sanitizers(4))) {
    const Transcript expected = whole(input.bytes);
    ASSERT_EQ(expected.broken, "") << input.name;
    ASSERT_EQ(compare(expected, input.bytes, every_byte(input.bytes.size())), "") << input.name;
    for (int k = 0; k < 8; ++k) {
      const auto cuts = random_cuts(random, input.bytes.size());
      ASSERT_EQ(compare(expected, input.bytes, cuts), "")
          << input.name << " cut at " << testing::PrintToString(cuts);
    }
  }
}

TEST_P(ReaderLaws, HoldOnRandomBytes) {
  Random random(5);
  constexpr std::string_view kAlphabet =
      "<!-- WXCODE:QUESTION[PROGRESS]{}\"\"::,,\\nu00 ``~~>--\n\n\r\t\xEF\xBB\xBF\xC3\xA9";
  for (std::size_t i = 0; i < scaled(4000); ++i) {
    std::string bytes;
    for (std::size_t n = random.below(200); n > 0; --n)
      bytes += random.one_in(20) ? random.byte() : random.pick(kAlphabet);
    const Transcript expected = whole(bytes);
    ASSERT_EQ(expected.broken, "") << testing::PrintToString(bytes);
    ASSERT_EQ(compare(expected, bytes, every_byte(bytes.size())), "")
        << testing::PrintToString(bytes);
  }
}

TEST_P(ReaderLaws, AnEmptyStreamGivesNoText) {
  const Transcript nothing = whole("");
  EXPECT_EQ(nothing.broken, "");
  EXPECT_EQ(nothing.lines.find("\"kind\":\"text\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Every, ReaderLaws, testing::ValuesIn(all_readers()),
                         [](const auto& reader) { return reader.param.name; });

}  // namespace
}  // namespace dragoman::test
