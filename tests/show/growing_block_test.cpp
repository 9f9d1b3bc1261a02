// SPDX-License-Identifier: Apache-2.0
// A reader gives an open block out in a pause, and in whole again when more of it has come.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/terminal_renderer.hpp"

namespace dragoman::show {
namespace {

// The versions of one block, each longer than the one before.
std::vector<Event> versions(const std::vector<Payload>& payloads) {
  std::vector<Event> events;
  for (const Payload& payload : payloads) {
    Event event;
    event.payload = payload;
    event.origin.dialect = Dialect::markers;
    event.origin.offset = 100;
    event.origin.length = 10 + events.size();
    events.push_back(event);
  }
  return events;
}

std::string show_with_pauses(Renderer& renderer, const std::vector<Event>& events) {
  std::string out;
  renderer.begin(0, {}, out);
  for (const Event& event : events) {
    renderer.event(0, event, out);
    renderer.idle(out);
  }
  renderer.end(0, out);
  renderer.finish(out);
  return out + renderer.summary();
}

std::string on_terminal(const std::vector<Payload>& payloads) {
  TerminalRenderer renderer({.width = 40});
  return show_with_pauses(renderer, versions(payloads));
}

constexpr std::array<Option, 2> kOptions = {Option{.label = "a"}, Option{.label = "b"}};
constexpr std::array<std::string_view, 2> kContext = {"asked twice", "staging is meant"};
constexpr std::array<FileChange, 3> kFiles = {
    FileChange{.path = "a", .action = FileAction::created},
    FileChange{.path = "b", .action = FileAction::modified},
    FileChange{.path = "c", .action = FileAction::deleted}};
constexpr std::array<TestCase, 2> kTests = {TestCase{.name = "a", .status = "failed"},
                                            TestCase{.name = "b", .status = "failed"}};
constexpr std::array<LintItem, 2> kLint = {
    LintItem{.file = "a.ts", .line = 1, .severity = "error", .message = "no"},
    LintItem{.file = "b.ts", .line = 2, .severity = "error", .message = "no"}};
constexpr std::array<Dependency, 2> kNeeded = {Dependency{.name = "zod"}, Dependency{.name = "ky"}};

// The first `count` of a list, as it stood in the block so far.
template <typename List>
auto first(const List& list, std::size_t count) {
  return std::span(list).first(count);
}

Question which(std::size_t options, std::string_view text = "Which?") {
  return {.id = "q-1",
          .source = QuestionSource::marker,
          .text = text,
          .options = first(kOptions, options),
          .free_text = true};
}

TEST(AGrowingQuestion, IsShownAgainWithAllItsOptions) {
  EXPECT_EQ(on_terminal({which(1), which(2)}),
            "┌──────────────────────────────────────┐\n"
            "│  ❓ Which?                           │\n"
            "│                                      │\n"
            "│  1. a                                │\n"
            "│                                      │\n"
            "│  one of these, or free text          │\n"
            "└──────────────────────────────────────┘\n"
            "\n"
            "┌──────────────────────────────────────┐\n"
            "│  ❓ Which? (updated)                 │\n"
            "│                                      │\n"
            "│  1. a                                │\n"
            "│  2. b                                │\n"
            "│                                      │\n"
            "│  one of these, or free text          │\n"
            "└──────────────────────────────────────┘\n");
}

TEST(AGrowingQuestion, IsNotShownAgainForALineThatSaysNothing) {
  EXPECT_EQ(on_terminal({which(0), which(0)}), on_terminal({which(0)}));
}

TEST(AGrowingQuestion, IsWhatTheStatusAreaSays) {
  TerminalRenderer renderer({});
  (void)show_with_pauses(renderer, versions({which(0, "Which"), which(0, "Which one?")}));
  ASSERT_EQ(renderer.story(0).open_questions().size(), 1U);
  EXPECT_EQ(renderer.story(0).open_questions().front().text, "Which one?");
}

TEST(AGrowingReport, ShowsWhatIsNew) {
  EXPECT_EQ(on_terminal({FilesChanged{first(kFiles, 1)}, FilesChanged{first(kFiles, 2)},
                         FilesChanged{first(kFiles, 3)}}),
            "+ a\n~ b\n- c\n");
  EXPECT_EQ(on_terminal({DependencyNeeded{first(kNeeded, 1)}, DependencyNeeded{first(kNeeded, 2)}}),
            "+ needs zod\n+ needs ky\n");
  EXPECT_EQ(
      on_terminal({LintWarnings{.items = first(kLint, 1)}, LintWarnings{.items = first(kLint, 2)}}),
      "▲ lint: 1 findings\n  a.ts:1 error no\n▲ lint: 2 findings\n  b.ts:2 error no\n");
  EXPECT_EQ(
      on_terminal({CommitSuggestion{"fix: it", "one"}, CommitSuggestion{"fix: it", "one\n\ntwo"}}),
      "✎ commit message suggested: fix: it\n  → one\n  → two\n");
}

TEST(AGrowingReport, ShowsCountsAgainWhenTheyChange) {
  EXPECT_EQ(on_terminal({TestResults{.failed = 2, .tests = first(kTests, 1)},
                         TestResults{.failed = 2, .tests = first(kTests, 2)}}),
            "✗ tests: 0 passed, 2 failed\n  ✗ a\n  ✗ b\n");
  EXPECT_EQ(on_terminal({TestResults{.failed = 1, .tests = first(kTests, 1)},
                         TestResults{.failed = 2, .tests = first(kTests, 2)}}),
            "✗ tests: 0 passed, 1 failed\n  ✗ a\n✗ tests: 0 passed, 2 failed\n  ✗ b\n");
}

TEST(AGrowingReport, SaysWhatElseBlocks) {
  EXPECT_EQ(
      on_terminal({Blocked{"no url", first(kContext, 1)}, Blocked{"no url", first(kContext, 2)}}),
      "┌──────────────────────────────────────┐\n"
      "│  ⛔ Blocked: no url                  │\n"
      "│                                      │\n"
      "│  asked twice                         │\n"
      "└──────────────────────────────────────┘\n"
      "\n"
      "┌──────────────────────────────────────┐\n"
      "│  ⛔ Blocked, more: no url            │\n"
      "│                                      │\n"
      "│  staging is meant                    │\n"
      "└──────────────────────────────────────┘\n");
}

TEST(AGrowingBlock, StandsOnPagesOnceAndWhole) {
  const std::vector<std::vector<Payload>> blocks = {
      {which(0), which(1), which(2)},
      {Blocked{"no url", first(kContext, 1)}, Blocked{"no url", first(kContext, 2)}},
      {FilesChanged{first(kFiles, 1)}, FilesChanged{first(kFiles, 3)}},
      {TestResults{.failed = 1}, TestResults{.failed = 1, .tests = first(kTests, 2)}},
      {LintWarnings{.items = first(kLint, 1)}, LintWarnings{.items = first(kLint, 2)}},
      {DependencyNeeded{first(kNeeded, 1)}, DependencyNeeded{first(kNeeded, 2)}},
      {CommitSuggestion{"fix: it", "one"}, CommitSuggestion{"fix: it", "one\ntwo"}},
  };
  const RenderOptions options{.secret = "sixteen random bytes"};
  for (const auto make : {make_html_renderer, make_markdown_renderer, make_github_renderer}) {
    for (const std::vector<Payload>& block : blocks) {
      const std::vector<Event> grown = versions(block);
      EXPECT_EQ(show_with_pauses(*make(options), grown),
                show_with_pauses(*make(options), {grown.back()}));
    }
  }
}

// What follows a block is shown behind it, and an answer does not take its place.
TEST(AGrowingBlock, IsFollowedByWhatComesNextOnAPage) {
  std::vector<Event> events = versions({which(1), which(2)});
  Event answer = events.back();
  answer.payload = Question{.id = "q-1", .state = QuestionState::answered, .answer = "b"};
  events.push_back(answer);
  const std::string page = show_with_pauses(*make_markdown_renderer({}), events);
  const std::size_t asked = page.find("Which?");
  ASSERT_NE(asked, std::string::npos) << page;
  EXPECT_EQ(page.find("Which?", asked + 1), std::string::npos) << page;
  EXPECT_NE(page.find("answered", asked), std::string::npos) << page;
}

}  // namespace
}  // namespace dragoman::show
