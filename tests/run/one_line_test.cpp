// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/one_line.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(OneLine, HasNothingThatCannotBeSeenAndNothingThatCommands) {
  struct Row {
    std::string text;
    std::string line;
  };
  const Row rows[] = {
      {"  a\tb\r\n\nc  ", "a b c"},
      {"a\x1b[2Jb", "a [2Jb"},
      {"a\u009bb", "a b"},
      {"a\u061cb", "a b"},
      {"a\u202eb\u2066c", "a b c"},
      {"a\U000E0041\U000E007Fb", "a b"},
      {"a\u200bb\u00adc", "a b c"},
      {"a\xff"
       "b",
       "a\uFFFD"
       "b"},
      {"👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f"},
      {"می\u200cخواهم", "می\u200cخواهم"},
      {"a\u200db", "a b"},
  };
  for (const Row& row : rows) EXPECT_EQ(one_line(row.text), row.line) << row.text;
}

}  // namespace
}  // namespace dragoman
