// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/find_words.hpp"

#include <gtest/gtest.h>

namespace dragoman::web {
namespace {

TEST(TimesSaid, CountsInEveryStringOfTheData) {
  EXPECT_EQ(times_said(R"({"kind":"text","data":{"text":"An error, an ERROR"}})", "error"), 2U);
  EXPECT_EQ(
      times_said(R"({"kind":"lint_warnings","data":{"items":[{"file":"a.c"},{"file":"b.c"}]}})",
                 ".c"),
      2U);
  EXPECT_EQ(times_said(R"({"kind":"text","data":{"text":"aaaa"}})", "aa"), 2U);
}

TEST(TimesSaid, LeavesOutWhatNoPageShows) {
  for (const char* event : {R"({"kind":"text","data":{"text":"x"},"origin":{"stream":"word"}})",
                            R"({"kind":"text","data":{"text":"word"},"partial":true})",
                            R"({"kind":"usage","data":{"scope":"word"}})",
                            R"({"kind":"tool_started","data":{"id":"word","tool":"Bash"}})",
                            R"({"kind":"text","data":{"word":5}})"})
    EXPECT_EQ(times_said(event, "word"), 0U) << event;
  EXPECT_EQ(
      times_said(R"({"kind":"tool_started","data":{"command":"ls","input":{"command":"ls"}}})",
                 "ls"),
      1U);
}

TEST(TimesSaid, ColoursDoNotComeBetweenLetters) {
  const char* const event =
      R"({"kind":"text","data":{"text":"\u001b[1;31mer\u001b[0mror: \u001b[38:5:9mno\u001b[m"}})";
  EXPECT_EQ(times_said(event, "error: no"), 1U);
  EXPECT_EQ(times_said(event, "31m"), 0U);
  EXPECT_EQ(times_said(R"({"data":{"text":"\u001b[31\u001b[\u001b"}})", "31"), 1U);
}

TEST(TimesSaid, BrokenLinesHaveNothing) {
  for (const char* event : {"", "{", "[]", "word", R"({"kind":)", R"({"data":"word"})"})
    EXPECT_EQ(times_said(event, "word"), 0U) << event;
}

}  // namespace
}  // namespace dragoman::web
