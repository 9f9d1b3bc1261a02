// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/live_view.hpp"

#include <gtest/gtest.h>

#include "dragoman/show/status_area.hpp"

namespace dragoman::show {
namespace {

using std::chrono::milliseconds;

Event from_claude(Payload payload) {
  Event event;
  event.payload = payload;
  event.origin.dialect = Dialect::claude;
  event.origin.channel = Channel::assistant_text;
  return event;
}

// A view with a clock that is moved by hand.
struct Watched {
  explicit Watched(LiveView::StatusArea area, std::size_t width = 80)
      : view(
            {.width = width}, area,
            [this](std::string_view bytes) {
              written.append(bytes);
              ++writes;
              return true;
            },
            now) {
    view.begin(0, {});
  }
  void pass(milliseconds time) {
    now += time;
    view.tick(now);
  }

  LiveView::Clock::time_point now{};
  std::string written;
  int writes = 0;
  LiveView view;
};

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(LiveView, RepaintsAtMostThirtyTimesASecond) {
  Watched watched(LiveView::StatusArea::yes);
  for (int i = 0; i < 10000; ++i) {
    watched.view.event(0, from_claude(ToolStarted{.id = "1", .tool = "Bash"}));
    watched.view.event(0, from_claude(ToolFinished{.id = "1", .tool = "Bash"}));
    watched.now += std::chrono::microseconds(100);
    watched.view.tick(watched.now);
  }
  EXPECT_LE(watched.view.repaints(), 30U);
  EXPECT_GE(watched.view.repaints(), 25U);
  watched.view.end(0);
  watched.view.close();
  EXPECT_EQ(count(watched.written, "\u2713 Bash"), 10000U);
}

TEST(LiveView, WritesNoEscapeSequenceWithoutAStatusArea) {
  Watched watched(LiveView::StatusArea::no);
  watched.view.event(0, from_claude(DisplayText{{"Hello."}, 0}));
  watched.view.event(0, from_claude(ToolStarted{.id = "1", .tool = "Bash"}));
  watched.pass(milliseconds(500));
  watched.view.end(0);
  watched.view.close();
  EXPECT_EQ(watched.written.find('\x1b'), std::string::npos);
  EXPECT_NE(watched.written.find("Hello."), std::string::npos);
}

TEST(LiveView, HidesTheCursorAndGivesItBack) {
  Watched watched(LiveView::StatusArea::yes);
  watched.pass(milliseconds(40));
  EXPECT_EQ(count(watched.written, "\x1b[?25l"), 1U);
  watched.view.suspend();
  EXPECT_EQ(count(watched.written, "\x1b[?25h"), 1U);
  watched.pass(milliseconds(40));
  EXPECT_EQ(count(watched.written, "\x1b[?25l"), 2U);
  watched.view.close();
  EXPECT_EQ(count(watched.written, "\x1b[?25h"), 2U);
  EXPECT_TRUE(watched.written.ends_with("\x1b[?25h"));
}

TEST(LiveView, StaysStillWhereNothingChanges) {
  Watched watched(LiveView::StatusArea::no);
  watched.pass(milliseconds(1000));
  watched.pass(milliseconds(1000));
  EXPECT_EQ(watched.writes, 0);
  EXPECT_EQ(watched.view.until_next(watched.now), std::nullopt);
}

TEST(LiveView, ErasesAllRowsThatANarrowerTerminalMadeOfTheArea) {
  Watched watched(LiveView::StatusArea::yes, 80);
  watched.view.event(
      0, from_claude(ToolStarted{
             .id = "1",
             .tool = "Bash",
             .description = std::string_view(
                 "a description that is quite long and fills the line up to the end")}));
  watched.pass(milliseconds(40));
  watched.written.clear();
  watched.view.resize(30);
  watched.pass(milliseconds(40));
  EXPECT_EQ(count(watched.written, "\x1b[1A"), 2U) << watched.written;
}

TEST(StatusLines, SayWhatIsGoingOn) {
  Story story;
  story.add(from_claude(Status{.status = "in_progress",
                               .message = {"Executing wave 1 of 3"},
                               .progress = Number::of(std::int64_t{33})}));
  story.add(from_claude(ToolStarted{.id = "1", .tool = "Bash", .command = {"npm test"}}));
  story.add(from_claude(Question{.id = "q", .text = "Which method?"}));
  story.add(from_claude(Usage{.input_tokens = 1200, .output_tokens = 130, .cost_usd = 0.0041}));
  const Palette none(ColorDepth::none);
  const std::vector<RunStatus> runs = {{"", &story, milliseconds(62000), milliseconds(5000)}};
  EXPECT_EQ(status_lines(runs, 0, 100, none),
            (std::vector<std::string>{
                "[██████░░░░░░░░░░░░░░]  33% Executing wave 1 of 3",
                "❓ Which method?",
                "⠋ 1m 02s · Bash npm test 5s · 1.2k in · 130 out · $0.0041",
            }));
  EXPECT_EQ(status_lines(runs, 1, 30, none), (std::vector<std::string>{
                                                 "[███░░░░░░░]  33% Executing w…",
                                                 "❓ Which method?",
                                                 "⠙ 1m 02s · Bash npm test 5s ·…",
                                             }));
}

}  // namespace
}  // namespace dragoman::show
