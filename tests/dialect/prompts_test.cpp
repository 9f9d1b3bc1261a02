// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/prompts.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "tests/support/comparing.hpp"

namespace dragoman {
namespace {

// What stands between two lines of three backticks.
std::vector<std::string> examples_in(std::string_view text) {
  constexpr std::string_view kFence = "```\n";
  std::vector<std::string> out;
  for (std::size_t at = text.find(kFence); at != std::string_view::npos;
       at = text.find(kFence, at)) {
    const std::size_t begin = at + kFence.size();
    const std::size_t end = text.find("```", begin);
    out.emplace_back(text.substr(begin, end - begin));
    at = end + kFence.size();
  }
  return out;
}

struct Read {
  std::set<Kind> markers;
  std::vector<std::string> findings;
};

Read read_example(std::string_view example, Mode mode) {
  ReaderOptions options;
  options.mode = mode;
  const auto reader = make_reader(Dialect::text, options);
  EventList list;
  reader->push(example, list);
  reader->finish(list);
  Read read;
  for (const Event& event : list.events()) {
    switch (event.kind()) {
      case Kind::quoted_marker:
      case Kind::malformed:
      case Kind::unknown:
      case Kind::diagnostic:
        read.findings.push_back(test::data_of(event));
        break;
      default:
        if (event.kind() != Kind::text) read.markers.insert(event.kind());
    }
  }
  return read;
}

TEST(Prompts, HoldExamplesThatReadWithoutAFinding) {
  for (const DialectPrompt& prompt : dialect_prompts()) {
    const auto examples = examples_in(prompt.text);
    EXPECT_GE(examples.size(), 3U) << prompt.dialect;
    for (const std::string& example : examples) {
      for (const Mode mode : {Mode::standard, Mode::strict, Mode::compat}) {
        const Read read = read_example(example, mode);
        EXPECT_THAT(read.findings, testing::IsEmpty()) << name(mode) << "\n" << example;
        EXPECT_THAT(read.markers, testing::Not(testing::IsEmpty())) << example;
      }
    }
  }
}

TEST(Prompts, ShowEveryMarkerOfTheirDialect) {
  const auto shown = [](std::string_view dialect) {
    std::set<Kind> kinds;
    for (const std::string& example : examples_in(prompt_for(dialect))) {
      kinds.merge(read_example(example, Mode::standard).markers);
    }
    return kinds;
  };
  EXPECT_EQ(shown("wxcode"),
            (std::set<Kind>{Kind::command_started, Kind::tool_started, Kind::tool_finished,
                            Kind::status, Kind::next_action, Kind::failure, Kind::artifact_updated,
                            Kind::server_ready}));
  EXPECT_EQ(shown("question"),
            (std::set<Kind>{Kind::question, Kind::completion_claimed, Kind::go_to}));
  EXPECT_EQ(
      shown("markers"),
      (std::set<Kind>{Kind::status, Kind::question, Kind::blocked, Kind::files_changed,
                      Kind::completion_claimed, Kind::context_request, Kind::test_results,
                      Kind::lint_warnings, Kind::dependency_needed, Kind::commit_suggestion}));
}

TEST(Prompts, AreThereForTheDialectsThatAnAgentWrites) {
  EXPECT_TRUE(prompt_for("markers").starts_with("# "));
  EXPECT_EQ(prompt_for("claude"), "");
}

}  // namespace
}  // namespace dragoman
