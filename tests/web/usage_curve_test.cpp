// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/usage_curve.hpp"

#include <gtest/gtest.h>

namespace dragoman::web {
namespace {

std::vector<std::uint64_t> reported(std::uint64_t count) {
  UsageCurve curve;
  for (std::uint64_t seq = 1; seq <= count; ++seq) {
    if (curve.wants_next()) curve.add({.seq = seq, .at = {}, .total = {}});
  }
  std::vector<std::uint64_t> seqs;
  for (const auto& point : curve.points()) seqs.push_back(point.seq);
  return seqs;
}

TEST(UsageCurve, HasEveryReportOfAShortRun) {
  EXPECT_EQ(reported(3), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(reported(0).empty());
}

TEST(UsageCurve, ThinsOutEvenlyAndKeepsItsBeginning) {
  for (const std::uint64_t count : {127U, 128U, 129U, 1000U, 100'000U}) {
    const auto seqs = reported(count);
    ASSERT_GE(seqs.size(), UsageCurve::kMost / 2) << count;
    ASSERT_LT(seqs.size(), UsageCurve::kMost) << count;
    EXPECT_EQ(seqs.front(), 1U);
    const std::uint64_t step = seqs[1] - seqs[0];
    for (std::size_t i = 1; i < seqs.size(); ++i) ASSERT_EQ(seqs[i] - seqs[i - 1], step) << count;
    EXPECT_LE(count - seqs.back(), step);
  }
}

}  // namespace
}  // namespace dragoman::web
