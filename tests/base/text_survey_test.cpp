// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/text_survey.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace dragoman {
namespace {

#if defined(__x86_64__)
TEST(TextSurvey, FastAndPlainGiveTheSameAnswers) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no AVX2 on this machine";
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) {
      c = random() % 8 == 0 ? '\n' : static_cast<char>(random() % (round % 2 != 0 ? 256 : 90));
    }
    const std::string_view rest = std::string_view(text).substr(text.size() / 3);
    ASSERT_EQ(text_kernels::survey_avx2(rest).newlines, text_kernels::survey_scalar(rest).newlines);
    ASSERT_EQ(text_kernels::survey_avx2(rest).non_ascii,
              text_kernels::survey_scalar(rest).non_ascii);
  }
}
#endif

TEST(TextSurvey, CountsMoreNewlinesThanAByteCounterHolds) {
  const std::string text(100000, '\n');
  EXPECT_EQ(survey_text(text).newlines, 100000U);
  EXPECT_FALSE(survey_text(text).non_ascii);
  EXPECT_TRUE(survey_text(text + "é").non_ascii);
}

}  // namespace
}  // namespace dragoman
