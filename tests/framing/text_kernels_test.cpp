// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/text_kernels.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::framing {
namespace {

std::ptrdiff_t candidate_in(const std::string& text) {
  return find_candidate(text.data(), text.data() + text.size()).candidate - text.data();
}

TEST(FindCandidate, StopsWhereSomethingMayStart) {
  const std::string filler(100, 'x');
  for (const std::string start :
       {"<!", "``", "~~", "[B", "[C", "[D", "[F", "[G", "[L", "[N", "[P", "[Q", "[T", "[W"}) {
    EXPECT_EQ(candidate_in(filler + start + filler), 100) << start;
  }
}

TEST(FindCandidate, PassesOverWhatCannotStartAnything) {
  for (const std::string text : {"<a", "[a", "[A", "[ ", "[1", "`x", "~x", "!<", "P[x"}) {
    const std::string padded = std::string(70, ' ') + text + std::string(70, ' ');
    EXPECT_EQ(candidate_in(padded), std::ssize(padded)) << text;
  }
}

TEST(FindCandidate, StopsAtALastByteThatMayGoOn) {
  for (const char last : {'<', '[', '`', '~'})
    EXPECT_EQ(candidate_in(std::string(77, 'x') + last), 77) << last;
  EXPECT_EQ(candidate_in(std::string(77, 'x')), 77);
  EXPECT_EQ(candidate_in(""), 0);
}

#if defined(__x86_64__)
TEST(TextKernels, FastAndPlainGiveTheSameAnswers) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no AVX2 on this machine";
  std::mt19937 random(7);
  const std::string alphabet = "<![`~ABCDEFGHIJKLMNOPQRSTUVWXYZ]\n xyz\x80\xE2";
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) {
      c = random() % 4 == 0 ? alphabet[random() % alphabet.size()]
                            : static_cast<char>(random() % (round % 2 ? 256 : 90));
    }
    const std::size_t skip = text.empty() ? 0 : random() % text.size();
    const char* const from = text.data() + skip;
    const char* const end = text.data() + text.size();
    const Look fast = kernels::find_candidate_avx2(from, end);
    const Look plain = kernels::find_candidate_scalar(from, end);
    ASSERT_EQ(fast.candidate - from, plain.candidate - from) << text;
    ASSERT_EQ(fast.newlines, plain.newlines) << text;
    ASSERT_TRUE(fast.clean || !plain.clean) << text;
    if (fast.clean) {
      ASSERT_TRUE(utf8::valid({from, static_cast<std::size_t>(fast.candidate - from)})) << text;
    }
    const std::string_view rest(from, text.size() - skip);
    ASSERT_EQ(kernels::survey_avx2(rest).newlines, kernels::survey_scalar(rest).newlines);
    ASSERT_EQ(kernels::survey_avx2(rest).non_ascii, kernels::survey_scalar(rest).non_ascii);
  }
}

TEST(FindCandidate, KnowsCleanTextWithAccentsFromBrokenText) {
  const std::string accents = "größere ação — ✓ 日本語, ";
  for (std::size_t before = 0; before < 70; ++before) {
    const std::string filler(before, 'x');
    const std::string rest(200, 'y');
    const auto clean = [&](const std::string& middle) {
      const std::string text = filler + middle + rest;
      return find_candidate(text.data(), text.data() + text.size()).clean;
    };
    EXPECT_TRUE(clean(accents + accents)) << before;
    for (const std::string broken : {"\xC3", "\xE2\x9C", "\x93", "\xFF", "\xC3\xA9\xA9"}) {
      EXPECT_FALSE(clean(accents + broken + accents)) << before;
    }
  }
}

TEST(Survey, CountsMoreNewlinesThanAByteCounterHolds) {
  const std::string text(100000, '\n');
  EXPECT_EQ(survey(text).newlines, 100000U);
  EXPECT_FALSE(survey(text).non_ascii);
  EXPECT_TRUE(survey(text + "é").non_ascii);
}
#endif

}  // namespace
}  // namespace dragoman::framing
