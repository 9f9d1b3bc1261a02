// SPDX-License-Identifier: Apache-2.0
// The contract tests rest on this: nobody can use a piece after it was taken back.
#include "tests/support/piece_lender.hpp"

#include <string>

#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // gcc's word, which clang does not say
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
bool usable(const char* place) { return __asan_address_is_poisoned(place) == 0; }
#else
bool usable(const char* place) { return *place != '\xDD'; }
#endif

TEST(PieceLender, LendsEachPieceOnceAndTakesItBack) {
  PieceLender lender(8, 3);
  std::string seen;
  const char* before = nullptr;
  for (const std::string_view piece : {"abcde", "f", "gh"}) {
    lender.lend(piece, [&](std::string_view lent) {
      seen += lent;
      EXPECT_TRUE(usable(lent.data()));
      if (before != nullptr) {
        EXPECT_FALSE(usable(before));
      }
      before = lent.data();
    });
  }
  EXPECT_FALSE(usable(before));
  EXPECT_EQ(seen, "abcdefgh");
}

}  // namespace
}  // namespace dragoman::test
