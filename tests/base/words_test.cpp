// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/words.hpp"

#include <gtest/gtest.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman {
namespace {

TEST(Words, OneIsNotSeveral) {
  EXPECT_EQ(counted(0, "tool"), "0 tools");
  EXPECT_EQ(counted(1U, "tool"), "1 tool");
  EXPECT_EQ(counted(std::size_t{12}, "old task"), "12 old tasks");
}

TEST(Words, AreListedWithAnOr) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a or b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b or c");
}

TEST(Words, OfAShellAreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(shell_word("/usr/bin/dragoman-2.0"), "/usr/bin/dragoman-2.0");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(Ascii, KnowsNoOtherLetters) {
  EXPECT_EQ(ascii::lowered("ÄB-Z_9"), "Äb-z_9");
  EXPECT_TRUE(ascii::same_letters("X-Token", "x-tOKEN"));
  EXPECT_FALSE(ascii::same_letters("a", "ab"));
  EXPECT_EQ(ascii::trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(ascii::trimmed(" \n"), "");
  EXPECT_EQ(ascii::trimmed("\n a ", " "), "\n a");
  EXPECT_EQ(ascii::hex_value('7'), 7);
  EXPECT_EQ(ascii::hex_value('f'), 15);
  EXPECT_EQ(ascii::hex_value('A'), 10);
  EXPECT_EQ(ascii::hex_value('g'), -1);
}

}  // namespace
}  // namespace dragoman
