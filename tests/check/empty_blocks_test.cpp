// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/empty_blocks.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/check/check.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::check {
namespace {

using List = std::vector<std::string>;

List found_in(std::string_view input, Mode mode = Mode::standard) {
  List found;
  Checker checker({std::nullopt, mode}, [&found](const Finding& f) {
    found.push_back(fmt::format("{}:{} {} {}", f.line, f.column, name(f.level), f.rule));
  });
  checker.push(input);
  checker.finish();
  return found;
}

// As an agent would say it.
std::string said(std::string_view words, std::string_view more = "") {
  std::string line = R"({"type":"assistant","session_id":"s")";
  line.append(more).append(R"(,"message":{"id":"m","content":[{"type":"text","text":)");
  json::Writer(line).string(words);
  return line + "}]}}\n";
}

TEST(EmptyBlocks, AQuestionWhoseOptionsNobodyReads) {
  for (const std::string_view input :
       {"[QUESTION] Which?\nOptions:\n- a\n- b\n", "[QUESTION] Which?\noptions: a, b\n",
        "[QUESTION] Which\nof them?\n\nOptions:\na) x\n", "[QUESTION] Which?\nOptions:\n"}) {
    EXPECT_EQ(found_in(input), List{"1:1 warning option_count"}) << input;
    EXPECT_EQ(found_in(input, Mode::strict), List{"1:1 error option_count"}) << input;
    EXPECT_EQ(found_in(said(input)), List{"1:1 warning option_count"}) << input;
  }
}

TEST(EmptyBlocks, AQuestionWithoutOptionsIsNone) {
  for (const std::string_view input :
       {"[QUESTION] Which?\n", "[QUESTION] Which?\n\nI go on.\nOptions: there are some.\n",
        "[QUESTION] Which?\nOptions:\n1. a\n2. b\n", "[QUESTION] Are there options: a?\n"}) {
    EXPECT_EQ(found_in(input), List{}) << input;
    EXPECT_EQ(found_in(said(input)), List{}) << input;
  }
}

TEST(EmptyBlocks, AListOfFilesThatDoesNotFollowItsMarker) {
  for (const std::string_view input :
       {"[FILES_MODIFIED]\n\n- src/a.ts (created)\n", "[FILES_MODIFIED]\n", "[FILES_MODIFIED]",
        "[FILES_MODIFIED]\nsrc/a.ts (created)\n"}) {
    EXPECT_EQ(found_in(input, Mode::strict), List{"1:1 info file_entry"}) << input;
    EXPECT_EQ(found_in(said(input)), List{"1:1 info file_entry"}) << input;
  }
}

TEST(EmptyBlocks, NoFilesMaySaySo) {
  for (const std::string_view input : {"[FILES_MODIFIED]\n- none\n", "[FILES_MODIFIED]\n* (none)\n",
                                       "[FILES_MODIFIED]\n- src/a.ts (created)\n"}) {
    EXPECT_EQ(found_in(input), List{}) << input;
    EXPECT_EQ(found_in(said(input)), List{}) << input;
  }
}

TEST(QuotedMarkers, OfASubagentCountWhenTheMainAgentSaysThem) {
  std::string hint;
  Checker checker({}, [&hint](const Finding& f) { hint = f.hint; });
  checker.push(said("[PROGRESS] x\n", R"(,"parent_tool_use_id":"t")"));
  checker.finish();
  EXPECT_EQ(hint, "let the main agent say it if it was meant: a subagent's words have no effect");
}

}  // namespace
}  // namespace dragoman::check
