// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/columns.hpp"

#include <gtest/gtest.h>

namespace dragoman::show {
namespace {

TEST(Columns, CountsWhatAPersonSees) {
  const struct {
    std::string_view text;
    std::size_t columns;
  } kRows[] = {
      {"", 0},
      {"plain", 5},
      {"日本語", 6},
      {"한국어", 6},
      {"Grüße", 5},
      {"e\u0301", 1},                                     // e with a combining acute
      {"\U0001F468\u200D\U0001F469\u200D\U0001F467", 2},  // a family of three
      {"\U0001F44D\U0001F3FD", 2},                        // with a skin tone
      {"\U0001F1E9\U0001F1EA", 2},                        // a flag
      {"\u2764\uFE0F", 2},                                // a heart as a picture
      {"\u2764\uFE0E", 1},                                // and as a sign
      {"עברית", 5},
      {"\u0915\u094D\u0937", 2},  // devanagari letters with a virama
  };
  for (const auto& row : kRows) EXPECT_EQ(columns(row.text), row.columns) << row.text;
}

TEST(Columns, NeverCutsAGrapheme) {
  EXPECT_EQ(fit("日本語", 5), "日本");
  EXPECT_EQ(fit("a\u0301b", 1), "a\u0301");
  EXPECT_EQ(fit("\U0001F468\u200D\U0001F469x", 1), "");
  std::string out;
  append_elided(out, "日本語です", 5);
  EXPECT_EQ(out, "日本\u2026");
  out.clear();
  append_elided(out, "fits", 4);
  EXPECT_EQ(out, "fits");
}

TEST(Columns, KnowsWhatRunsFromRightToLeft) {
  EXPECT_TRUE(has_right_to_left("to עברית"));
  EXPECT_TRUE(has_right_to_left("العربية"));
  EXPECT_FALSE(has_right_to_left("日本語 and Grüße"));
}

}  // namespace
}  // namespace dragoman::show
