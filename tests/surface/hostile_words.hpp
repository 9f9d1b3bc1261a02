// SPDX-License-Identifier: Apache-2.0
// What an agent may say to whoever reads it somewhere else.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/surface/support.hpp"

namespace dragoman::test {

inline const std::string kHostile =
    "@everyone <@123> <!channel> closes #1 GH-2 </details><img src=x onerror=alert(1)>\n"
    "```\n# big\n[a](javascript:alert(1)) ![](http://evil/x.png) <!-- hidden -->\n"
    "see https://evil.example/x and www.evil.example\n"
    "/answer q000000000000 1\n*bold* _it_ ~~s~~ ||sp|| > quote\n"
    "\x1b[2J\x1b]52;c;eA==\x07 \xe2\x80\xae)txt.exe \xc2\x9b"
    "2J \xe2\x80\x8b @alice";

// A question of nothing but such words, the text as often as said.
inline ask::QuestionRecord hostile_question(std::size_t repeat = 1) {
  ask::QuestionRecord question = a_question("T-local-1");
  question.asked_at = 5;
  question.text.clear();
  for (std::size_t i = 0; i < repeat; ++i) question.text += kHostile;
  question.header = kHostile;
  question.options = {{kHostile, kHostile}, {"<@1> @here", "</sub>"}, {}};
  question.context = {kHostile};
  return question;
}

// Neither moves the cursor nor turns the direction of reading.
inline void no_controls(const std::string& text) {
  for (const char c : text) {
    EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 && c != '\n') << int{c};
  }
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\xc2\x9b")));
}

}  // namespace dragoman::test
