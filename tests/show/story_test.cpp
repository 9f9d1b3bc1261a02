// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/story.hpp"

#include <gtest/gtest.h>

namespace dragoman::show {
namespace {

using std::chrono::milliseconds;

Event heard(Payload payload, std::optional<std::int64_t> at_ms = std::nullopt,
            std::string_view parent = {}) {
  Event event;
  event.payload = payload;
  event.origin.dialect = Dialect::claude;
  event.origin.parent = parent;
  if (at_ms.has_value()) event.ts = Timestamp(milliseconds(*at_ms));
  return event;
}

TEST(Story, PairsAResultWithItsCallAndGivesTheTimeBetween) {
  Story story;
  story.add(heard(ToolStarted{.id = "1", .tool = "Bash", .command = {"ls"}}, 1000));
  story.add(heard(ToolStarted{.id = "2", .tool = "Read", .file = "a.txt"}, 1100));
  const auto step = story.add(heard(ToolFinished{.id = "1"}, 1250));
  ASSERT_NE(step.call, nullptr);
  EXPECT_EQ(step.call->tool, "Bash");
  EXPECT_EQ(step.call->detail, "ls");
  EXPECT_EQ(step.duration_ms, 250);
  ASSERT_EQ(story.open_tools().size(), 1U);
  EXPECT_EQ(story.open_tools().front().detail, "a.txt");
}

TEST(Story, OfACallWithoutCommandAndFileTheTellingArgumentIsShown) {
  struct Telling {
    std::string_view input;
    std::string_view detail;
  };
  for (const Telling& row : std::initializer_list<Telling>{
           {R"({"path":"src","pattern":"app.use\\("})", "app.use\\("},
           {R"({"url":"https://example.org/","prompt":"What does it say?"})",
            "https://example.org/"},
           {R"({"query":7,"name":"x"})", "x"},
           {R"({"a":1})", ""},
           {R"(["pattern"])", ""},
           {R"({"pattern":"x")", ""}}) {
    Story story;
    const auto step = story.add(heard(ToolStarted{.id = "1", .tool = "T", .input = {row.input}}));
    EXPECT_EQ(step.call->detail, row.detail) << row.input;
  }
}

TEST(Story, ARunLastsFromItsFirstEventOrFromItsStartWhereThatWasSeen) {
  Story from_a_file;
  from_a_file.add(heard(DisplayText{.text = {"late"}}, 5000));
  EXPECT_EQ(from_a_file.add(heard(Finished{.verdict = "completed"}, 5100)).duration_ms, 100);

  Story seen;
  seen.begin(Timestamp(milliseconds(1000)));
  seen.add(heard(DisplayText{.text = {"late"}}, 5000));
  EXPECT_EQ(seen.add(heard(Finished{.verdict = "completed"}, 5100)).duration_ms, 4100);
}

TEST(Story, AStatedDurationIsBetterThanTheClock) {
  Story story;
  story.add(heard(ToolStarted{.id = "1"}, 0));
  const auto step =
      story.add(heard(ToolFinished{.id = "1", .duration_ms = Number::of(std::int64_t{45})}, 9000));
  EXPECT_EQ(step.duration_ms, 45);
}

TEST(Story, ALineThatTellsOfBothEndsOfACallDoesNotSayHowLongItTook) {
  Story story;
  story.add(heard(ToolStarted{.id = "1"}, 1000));
  EXPECT_EQ(story.add(heard(ToolFinished{.id = "1"}, 1000)).duration_ms, std::nullopt);
}

TEST(Story, AResultWithoutACallHasNone) {
  Story story;
  const auto step = story.add(heard(ToolFinished{.id = "1"}, 10));
  EXPECT_EQ(step.call, nullptr);
  EXPECT_EQ(step.duration_ms, std::nullopt);
}

TEST(Story, SubagentsNestByTheirParent) {
  Story story;
  EXPECT_EQ(story.add(heard(ToolStarted{.id = "a", .tool = "Agent"})).depth, 0U);
  EXPECT_EQ(story.add(heard(ToolStarted{.id = "b", .tool = "Agent"}, {}, "a")).depth, 1U);
  EXPECT_EQ(story.add(heard(DisplayText{{"deep"}, 0}, {}, "b")).depth, 2U);
  EXPECT_EQ(story.add(heard(DisplayText{{"stranger"}, 0}, {}, "?")).depth, 1U);
}

TEST(Story, ASubagentMaySpeakAfterTheCallThatStartedItHasEnded) {
  Story story;
  story.add(heard(ToolStarted{.id = "a", .tool = "Agent", .description = "Look around"}));
  story.add(heard(ToolFinished{.id = "a"}));
  const auto step = story.add(heard(DisplayText{{"hello"}, 0}, {}, "a"));
  EXPECT_EQ(step.depth, 1U);
  ASSERT_NE(step.agent, nullptr);
  EXPECT_EQ(step.agent->description, "Look around");
}

TEST(Story, KeepsTheLastProgress) {
  Story story;
  story.add(heard(Status{
      .status = "in_progress", .message = {"wave 1"}, .progress = Number::of(std::int64_t{25})}));
  story.add(heard(Status{.status = "in_progress", .message = {"wave 2"}}));
  EXPECT_EQ(story.progress(), (Progress{"in_progress", "wave 2", 25}));
  story.add(heard(Status{.activity = "plan", .steps = Steps{3, 4}}));
  EXPECT_EQ(story.progress(), (Progress{"in_progress", "", 75}));
  story.add(heard(Status{.message = {"requesting"}, .activity = "status"}));
  EXPECT_EQ(story.activity(), "requesting");
  EXPECT_EQ(story.progress(), (Progress{"in_progress", "", 75}));
}

TEST(Story, AQuestionIsOpenUntilItIsAnswered) {
  Story story;
  EXPECT_FALSE(story.add(heard(Question{.id = "q", .header = "Auth", .text = "Which?"})).repeats);
  EXPECT_TRUE(story.add(heard(Question{.id = "q", .text = "Which?"})).repeats);
  EXPECT_EQ(story.open_questions(), (std::vector<OpenQuestion>{{"q", "Auth", "Which?"}}));
  story.add(heard(Question{.id = "q", .state = QuestionState::answered}));
  EXPECT_TRUE(story.open_questions().empty());
}

TEST(Story, AQuestionThatIsAskedAgainWithOtherWordsHasChanged) {
  Story story;
  const Option one{.label = "a"};
  EXPECT_FALSE(story.add(heard(Question{.id = "q", .header = "Auth", .text = "Which?"})).changed);
  EXPECT_FALSE(story.add(heard(Question{.id = "q", .text = "Which?"})).changed);
  EXPECT_FALSE(story.add(heard(Question{.id = "q"})).changed);
  EXPECT_TRUE(
      story.add(heard(Question{.id = "q", .text = "Which?", .options = {&one, 1}})).changed);
  EXPECT_TRUE(story.add(heard(Question{.id = "q", .text = "Which one?"})).changed);
  EXPECT_EQ(story.open_questions(), (std::vector<OpenQuestion>{{"q", "Auth", "Which one?"}}));
}

TEST(Story, AddsUpTokensAndCost) {
  Story story;
  story.add(heard(Usage{.input_tokens = 42, .output_tokens = 1, .scope = UsageScope::message}));
  story.add(heard(Usage{.input_tokens = 84,
                        .cached_input_tokens = 16,
                        .output_tokens = 130,
                        .cost_usd = 0.5,
                        .scope = UsageScope::turn,
                        .final = true}));
  EXPECT_EQ(story.usage().tokens.total_input, 100);
  EXPECT_EQ(story.usage().tokens.output, 130);
  EXPECT_EQ(story.usage().cost_usd, 0.5);
}

// Costs are those of the whole run, wherever they are told.
TEST(Story, TellsWhatTheLastTurnTook) {
  Story story;
  const auto turn = [&story](std::int64_t output, double cost) {
    story.add(heard(Usage{.output_tokens = 1, .scope = UsageScope::message}));
    story.add(heard(Usage{.input_tokens = 10,
                          .output_tokens = output,
                          .cost_usd = cost,
                          .scope = UsageScope::turn,
                          .final = true}));
    return story.turn_usage();
  };
  EXPECT_EQ(turn(61, 0.5).tokens.output, 61);
  EXPECT_EQ(story.turn_usage().cost_usd, 0.5);
  EXPECT_EQ(turn(15, 0.75).tokens.output, 15);
  EXPECT_EQ(story.turn_usage().tokens.total_input, 10);
  EXPECT_EQ(story.turn_usage().cost_usd, 0.25);
  EXPECT_EQ(turn(2, 0.75).cost_usd, std::nullopt);  // it was told before
  EXPECT_EQ(turn(2, 0.5).cost_usd, 0.5);            // counted from the start again
  EXPECT_EQ(story.usage().tokens.output, 80);
}

TEST(Story, KeepsTheHeadOfALongCommand) {
  Story story;
  std::string spelled;
  for (int i = 0; i < 5000; ++i) spelled += "\\u00e9";
  const auto step = story.add(heard(ToolStarted{.id = "1", .command = {spelled, true}}));
  EXPECT_EQ(step.call->detail.size(), Story::kKeptText);
  EXPECT_EQ(step.call->detail.substr(0, 2), "\u00e9");
}

}  // namespace
}  // namespace dragoman::show
