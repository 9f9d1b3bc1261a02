// SPDX-License-Identifier: Apache-2.0
// Comments that were meant as QUESTION, FINISHED or GOTO, and are not spelled so.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "brief.hpp"
#include "tests/support/reading.hpp"

namespace dragoman::test {
namespace {

using Lines = std::vector<std::string>;

TEST(NearMiss, IsSaidOfACommentThatShowsAMarkerWasMeant) {
  for (const std::string input : {
           R"(<!--QUESTION {"questions":[{"question":"q?","options":["a","b"]}]}-->)",
           R"(<!-- QUESTION[{"question":"q?"}] -->)",
           R"(<!-- QUESTION : {"question":"q?"} -->)",
           R"(<!-- WXCODE :STATUS:{"status":"completed"} -->)",
           R"(<!--WXCODE {"status":"completed"}-->)",
           "<!--FINISHED: all of it-->",
           "<!-- FINISHED {} -->",
           "<!--GOTO: a/b-->",
           "<!--GOTO:-->",
           "<!--\nGOTO :a-->",
           "<!-- GOTO {a} -->",
       }) {
    const Reading reading = read_text("x " + input + " y\n");
    EXPECT_EQ(reading.events, Lines{"near_miss warning"}) << input;
    EXPECT_EQ(reading.shown, "x " + input + " y\n");
    EXPECT_EQ(read_text(input, Mode::strict).events, Lines{"near_miss error"}) << input;
    for (std::size_t cut = 1; cut < input.size(); ++cut) {
      EXPECT_EQ(read_text_cut("x " + input + " y\n", {2 + cut}).json, reading.json)
          << "cut at " << cut << " of " << input;
    }
  }
}

TEST(NearMiss, IsNotSaidOfProse) {
  for (const std::string input : {
           "<!-- question for later -->",
           "<!-- QUESTION for later: which? -->",
           "<!-- QUESTIONS: {} -->",
           "<!-- QUESTION -->",
           "<!-- QUESTION",
           "<!--QUESTION\n{}-->",
           "<!-- WXCODE is a dialect: {} -->",
           "<!-- WXCODE",
           "<!-- FINISHED all of it -->",
           "<!-- FINISHED! -->",
           "<!-- FINISHED_LATER: x -->",
           "<!-- GOTO considered harmful -->",
           "<!-- Question: {} -->",
           "<!-- the QUESTION {} -->",
       }) {
    EXPECT_EQ(read_text(input).events, Lines{}) << input;
    EXPECT_EQ(read_text(input).shown, input);
  }
}

TEST(NearMiss, QuotedIsNotMeant) {
  for (const std::string input :
       {"```\n<!--QUESTION {}-->\n```\n", "    <!--GOTO: a/b-->\n", "`<!--FINISHED: x-->`\n"}) {
    EXPECT_EQ(read_text(input).events, Lines{}) << input;
  }
}

// There it is part of the marker's words, and was meant all the same.
TEST(NearMiss, IsSaidInsideTheLinesOfABracketMarkerToo) {
  EXPECT_EQ(read_text("[PROGRESS] see <!--WXCODE:STATUS:{}-->\n").events,
            (Lines{"status in_progress 'see <!--WXCODE:STATUS:{}-->'", "near_miss warning"}));
  const Reading block = read_text("[BLOCKED] no url\nx <!-- WXCODE :STATUS:{} -->\n");
  ASSERT_EQ(block.events.size(), 2U);
  EXPECT_EQ(block.events[1], "near_miss warning");
  EXPECT_EQ(read_text("[BLOCKED] no url\nx `<!-- GOTO: a/b -->`\n").events.size(), 1U);
}

// Two blanks show nothing that a third would change.
TEST(NearMiss, IsLookedForInFewBytes) {
  const auto reader = make_reader(Dialect::text);
  EventList events;
  reader->push("a <!--QUESTION" + std::string(9, ' '), events);
  ASSERT_EQ(events.events().size(), 1U);
  EXPECT_EQ(events.events()[0].as<DisplayText>()->text.str(),
            "a <!--QUESTION" + std::string(9, ' '));
}

}  // namespace
}  // namespace dragoman::test
