// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/timeline.hpp"
#include "tests/run/make_events.hpp"

namespace dragoman::show {
namespace {

using test::claude;
using test::wxcode;
using ::testing::HasSubstr;
using ::testing::Not;

using Maker = std::unique_ptr<Renderer> (*)(const RenderOptions&);
constexpr std::array<Maker, 3> kMakers = {make_html_renderer, make_markdown_renderer,
                                          make_github_renderer};

RenderOptions options() {
  RenderOptions options;
  options.secret = "sixteen random bytes";
  return options;
}

std::string render(Maker make, const std::vector<Event>& events, Detail detail = Detail::normal) {
  RenderOptions wanted = options();
  wanted.detail = detail;
  const auto renderer = make(wanted);
  std::string out;
  renderer->begin(0, "", out);
  for (const Event& event : events) renderer->event(0, event, out);
  renderer->end(0, out);
  renderer->finish(out);
  return out;
}

Event text(std::string_view words) { return wxcode(DisplayText{words, {}}); }
Event inside(Event event, std::string_view parent) {
  event.origin.parent = parent;
  return event;
}
Event at(Event event, int ms) {
  event.ts = Timestamp(std::chrono::milliseconds(1'000'000 + ms));
  return event;
}

TEST(PagesOfRuns, DoNotCareHowTheTextWasCut) {
  constexpr std::string_view kWords = "# One\n\nsome *words* and `code`\n\n```\na\n\nb\n```\n- é\n";
  for (const Maker make : kMakers) {
    const std::string whole = render(make, {text(kWords)});
    for (std::size_t cut = 1; cut < kWords.size(); ++cut) {
      ASSERT_EQ(render(make, {text(kWords.substr(0, cut)), text(kWords.substr(cut))}), whole)
          << "cut at " << cut;
    }
  }
}

// WXCODE agents write each marker a second time, for people who see no markers.
TEST(PagesOfRuns, LeaveOutTheLineThatSaysAMarkerAgain) {
  Status status;
  status.status = "in_progress";
  status.message = std::string_view("Loading");
  constexpr std::string_view kEcho = "\n\u23F3 Loading...\n\nMore words.\n";
  for (const Maker make : kMakers) {
    const std::string bare = render(make, {wxcode(status), text("\nMore words.\n")});
    EXPECT_EQ(render(make, {wxcode(status), text(kEcho)}), bare);
    EXPECT_EQ(render(make, {wxcode(status), text(kEcho.substr(0, 5)), text(kEcho.substr(5))}),
              bare);
    EXPECT_THAT(render(make, {text(kEcho)}), HasSubstr("Loading..."));
  }
}

TEST(PagesOfRuns, QuietlyLeaveWordsErrorsAndQuestions) {
  ToolStarted agent;
  agent.id = "a";
  agent.tool = "Agent";
  agent.description = "a task for somebody";
  ToolFinished good;
  good.id = "a";
  good.tool = "Agent";
  good.output = std::string_view("the good output");
  ToolFinished bad;
  bad.id = "b";
  bad.tool = "Bash";
  bad.outcome = Outcome::failed;
  bad.error = std::string_view("the bad error");
  TurnFinished turn;
  turn.ok = true;
  turn.text = std::string_view("only the result says this");
  const std::vector<Event> events = {
      claude(CommandStarted{.title = "the title"}),
      claude(Thinking{std::string_view("the thought"), {}}),
      claude(agent),
      inside(claude(DisplayText{std::string_view("words of somebody"), 0}), "a"),
      claude(good),
      claude(bad),
      claude(Status{.status = "in_progress", .message = {"the status"}}),
      claude(NextAction{.command = "the-next-step"}),
      claude(Question{.id = "q", .text = "the question?"}),
      claude(Diagnostic{.rule = "noise", .level = Level::info, .message = "the note"}),
      claude(DisplayText{std::string_view("words of the agent"), 1}),
      claude(turn),
  };
  for (const Maker make : kMakers) {
    const std::string all = render(make, events);
    const std::string quiet = render(make, events, Detail::quiet);
    for (const char* const left_out : {"the title", "the thought", "the good output", "the status",
                                       "the-next-step", "the note"}) {
      EXPECT_THAT(all, HasSubstr(left_out));
      EXPECT_THAT(quiet, Not(HasSubstr(left_out)));
    }
    for (const char* const kept : {"words of somebody", "a task for somebody", "the bad error",
                                   "the question?", "words of the agent", "only the result"}) {
      EXPECT_THAT(quiet, HasSubstr(kept));
    }
  }
}

// Results may follow each other after everything was said, and have the markers in them.
TEST(PagesOfRuns, DoNotRepeatAnAnswerWithTheResult) {
  const auto said = [](std::string_view words, std::int64_t block, std::uint64_t place) {
    Event event = claude(DisplayText{words, block});
    event.origin.at = place;
    return event;
  };
  constexpr std::string_view kMarker = "<!-- WXCODE:STATUS:{} -->";
  const std::string first = fmt::format("One.\n{}\nTwo.", kMarker);
  const std::vector<Event> events = {
      said("One.\n", 0, 0), said("\nTwo.\n", 0, 5 + kMarker.size()), said("Three.", 1, 0),
      claude(TurnFinished{.ok = true, .text = std::string_view(first)}),
      claude(TurnFinished{.ok = true, .text = std::string_view("Three.")})};
  for (const Maker make : kMakers) {
    const std::string page = render(make, events);
    for (const std::string_view words : {"One.", "Two.", "Three."}) {
      EXPECT_EQ(page.find(words), page.rfind(words)) << page;
    }
  }
}

TEST(PagesOfRuns, DoNotRepeatAnAnswerThatIsAMarker) {
  Event marker = test::carried(ServerReady{"http://localhost:1"});
  marker.origin.at = 0;
  constexpr std::string_view kResult = "[WXCODE:SERVER_READY] http://localhost:1";
  for (const Maker make : kMakers) {
    const std::string page =
        render(make, {marker, claude(TurnFinished{.ok = true, .text = kResult})});
    EXPECT_THAT(page, Not(HasSubstr("SERVER")));
  }
}

TEST(PagesOfRuns, DoNotCareHowALongTextWasCut) {
  std::string words;
  for (int i = 0; words.size() < 100'000; ++i) words += fmt::format("paragraph {}\n\n", i);
  for (const Maker make : kMakers) {
    const std::string whole = render(make, {text(words)});
    std::vector<Event> pieces;
    for (std::size_t from = 0; from < words.size(); from += 777) {
      pieces.push_back(text(std::string_view(words).substr(from, 777)));
    }
    ASSERT_EQ(render(make, pieces), whole);
  }
}

TEST(PagesOfRuns, PutASubagentInsideItsTool) {
  const std::string page =
      render(make_html_renderer,
             {claude(ToolStarted{.id = "a", .tool = "Agent", .description = "Look"}),
              inside(claude(DisplayText{json::Text("found it"), {}}), "a"), text("meanwhile"),
              claude(ToolFinished{.id = "a", .tool = "Agent", .output = json::Text("ended")})});
  const std::size_t meanwhile = page.find("meanwhile");
  const std::size_t summary = page.find("</summary>");
  const std::size_t found = page.find("found it");
  const std::size_t ended = page.find("ended");
  EXPECT_LT(meanwhile, summary);
  EXPECT_LT(summary, found);
  EXPECT_LT(found, ended);
}

TEST(PagesOfRuns, DoNotKeepALongSubagentBackUntilItsEnd) {
  const auto renderer = make_html_renderer(options());
  std::string out;
  renderer->begin(0, "", out);
  renderer->event(0, claude(ToolStarted{.id = "a", .tool = "Agent"}), out);
  const std::string words(20'000, 'x');
  const std::size_t before = out.size();
  for (int i = 0; i < 100; ++i) {
    renderer->event(0, inside(claude(DisplayText{json::Text(words), i}), "a"), out);
  }
  EXPECT_GT(out.size(), before + 1'500'000);
}

TEST(PagesOfRuns, KeepRunsApart) {
  const auto renderer = make_html_renderer(options());
  std::string out;
  renderer->begin(0, "first", out);
  renderer->begin(1, "second", out);
  renderer->event(0, wxcode(GoTo{"a"}), out);
  renderer->event(1, wxcode(GoTo{"b"}), out);
  renderer->event(0, wxcode(GoTo{"c"}), out);
  EXPECT_THAT(out, HasSubstr("first</p>"));
  EXPECT_THAT(out, HasSubstr("second</p>"));
  EXPECT_LT(out.rfind("second</p>"), out.rfind("first</p>"));
}

TEST(PagesOfRuns, ShowAFragmentOnlyWhenNothingWholeFollowed) {
  Event fragment = claude(DisplayText{json::Text("Hel"), 0});
  fragment.partial = true;
  EXPECT_THAT(render(make_markdown_renderer, {fragment}), HasSubstr("*Unfinished:*\n\nHel"));
  EXPECT_THAT(
      render(make_markdown_renderer, {fragment, claude(DisplayText{json::Text("Hello"), 0})}),
      Not(HasSubstr("Unfinished")));
}

TEST(PagesOfRuns, NeverShowASecretAnswer) {
  const Event answered = wxcode(Question{.id = "q",
                                         .state = QuestionState::answered,
                                         .text = "Key?",
                                         .secret = true,
                                         .answer = "hunter2"});
  for (const Maker make : kMakers) EXPECT_THAT(render(make, {answered}), Not(HasSubstr("hunter2")));
}

TEST(JobSummary, StaysWithinItsLimitAndKeepsTheVerdict) {
  const auto renderer = make_github_renderer(options());
  std::string out;
  renderer->begin(0, "", out);
  const std::string words(10'000, 'x');
  for (int i = 0; i < 300; ++i) {
    renderer->event(0, claude(DisplayText{json::Text(words), i}), out);
    out.clear();
  }
  renderer->event(0, claude(Finished{.verdict = "failed"}), out);
  renderer->end(0, out);
  renderer->finish(out);
  const std::string summary = renderer->summary();
  EXPECT_LE(summary.size(), 1024U * 1024U);
  EXPECT_GT(summary.size(), 900U * 1024U);
  EXPECT_THAT(summary, HasSubstr("left out here"));
  EXPECT_THAT(summary, HasSubstr("**Verdict: failed**"));
}

TEST(TimelineFold, GivesSubagentsAndWaitingLanesOfTheirOwn) {
  TimelineFold fold;
  const std::vector<Event> events = {
      at(claude(ToolStarted{.id = "a", .tool = "Agent", .description = "Look"}), 0),
      at(inside(claude(ToolStarted{.id = "b", .tool = "Bash"}), "a"), 10),
      at(inside(claude(ToolFinished{.id = "b", .outcome = Outcome::failed}), "a"), 40),
      at(claude(ToolFinished{.id = "a"}), 100),
      at(claude(Question{.id = "q", .text = "Which?"}), 100),
      at(claude(Question{.id = "q", .state = QuestionState::answered}), 350),
  };
  for (const Event& event : events) fold.add(event);
  const Timeline timeline = fold.timeline();
  EXPECT_TRUE(timeline.timed);
  EXPECT_EQ(timeline.length, 350);
  const std::vector<TimelineLane> lanes = {
      {"agent", {{"Agent", "Look", BarKind::ok, 0, 100, 100.0}}},
      {"Look", {{"Bash", "", BarKind::failed, 10, 40, 30.0}}},
      {"waiting", {{"question", "Which?", BarKind::waiting, 100, 350, 250.0}}}};
  EXPECT_EQ(timeline.lanes, lanes);
  const std::vector<TimelineTotal> totals = {
      {"question", 1, 250}, {"Agent", 1, 100}, {"Bash", 1, 30}};
  EXPECT_EQ(timeline.totals, totals);
}

TEST(TimelineFold, ACallThatNobodySawBeginIsAsLongAsItSays) {
  TimelineFold fold;
  fold.add(at(claude(SessionStarted{.session_id = "s"}), 0));
  fold.add(at(claude(ToolStarted{.id = "a", .tool = "Bash"}), 100));
  fold.add(at(claude(ToolFinished{.id = "a", .duration_ms = Number{.real = 30}}), 100));
  const std::vector<TimelineLane> lanes = {{"agent", {{"Bash", "", BarKind::ok, 70, 100, 30.0}}}};
  EXPECT_EQ(fold.timeline().lanes, lanes);
}

TEST(Timelines, LeaveALengthThatNobodyKnowsOut) {
  const std::vector<Event> events = {
      claude(ToolStarted{.id = "a", .tool = "Edit"}),
      claude(ToolFinished{.id = "a"}),
      claude(ToolStarted{.id = "b", .tool = "Bash"}),
      claude(ToolFinished{.id = "b", .duration_ms = Number{.real = 30}}),
      claude(ToolStarted{.id = "c", .tool = "Bash"}),
      claude(ToolFinished{.id = "c"})};
  TimelineFold fold;
  for (const Event& event : events) fold.add(event);
  const std::vector<TimelineTotal> totals = {{"Bash", 2, 30}, {"Edit", 1, {}}};
  EXPECT_EQ(fold.timeline().totals, totals);
  for (const Format format : {Format::terminal, Format::markdown, Format::html}) {
    const auto renderer = make_renderer(format, {.timeline = true});
    std::string out;
    renderer->begin(0, {}, out);
    for (const Event& event : events) renderer->event(0, event, out);
    renderer->end(0, out);
    renderer->finish(out);
    EXPECT_THAT(out, HasSubstr("30 ms"));
    EXPECT_THAT(out, Not(::testing::ContainsRegex("[^0-9]0 ms")));
  }
}

TEST(Timelines, ATerminalIsToldThatWordsAreCutOff) {
  const auto renderer = make_renderer(Format::terminal, {.width = 80, .timeline = true});
  std::string out;
  renderer->begin(0, {}, out);
  renderer->event(
      0,
      claude(ToolStarted{
          .id = "a", .tool = "Bash", .description = "Get the model profile from the settings"}),
      out);
  renderer->event(0, claude(ToolFinished{.id = "a"}), out);
  renderer->end(0, out);
  renderer->finish(out);
  EXPECT_THAT(out, HasSubstr(" Get the model profi…\n"));
}

TEST(TimelineFold, CountsWhatItDoesNotKeep) {
  TimelineFold fold;
  for (std::size_t i = 0; i < TimelineFold::kMaxBars + 10; ++i) {
    const std::string id = std::to_string(i);
    fold.add(claude(ToolStarted{.id = id, .tool = "Bash"}));
    fold.add(claude(
        ToolFinished{.id = id, .tool = "Bash", .duration_ms = json::Number::of(std::int64_t{2})}));
  }
  const Timeline timeline = fold.timeline();
  EXPECT_FALSE(timeline.timed);
  EXPECT_EQ(timeline.totals[0].count, TimelineFold::kMaxBars + 10);
  EXPECT_GE(timeline.left_out, 10U);
  EXPECT_LE(timeline.lanes[0].bars.size(), TimelineFold::kMaxBars);
}

}  // namespace
}  // namespace dragoman::show
