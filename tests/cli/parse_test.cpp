// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

const std::string kNotes =
    "Reading the plan.\n"
    "[PROGRESS] Created src/a.ts\n"
    "one two\n"
    "three";

Ended parse(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), "parse");
  return dragoman({.arguments = std::move(arguments), .input = input});
}

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(json::parse(line));
  return out;
}

TEST(Parse, PrintsOneEventALineAndCutsTextAtLineEnds) {
  const Ended ended = parse({}, kNotes);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(
      ended.out,
      R"({"seq":1,"kind":"text","data":{"text":"Reading the plan.\n"},"origin":{"dialect":"text","stream":"stdout","offset":0,"length":18,"line":1,"channel":"stdout"}})"
      "\n"
      R"({"seq":2,"kind":"status","data":{"status":"in_progress","message":"Created src/a.ts"},"origin":{"dialect":"markers","stream":"stdout","offset":18,"length":28,"line":2,"channel":"stdout"}})"
      "\n"
      R"({"seq":3,"kind":"text","data":{"text":"one two\n"},"origin":{"dialect":"text","stream":"stdout","offset":46,"length":8,"line":3,"channel":"stdout"}})"
      "\n"
      R"({"seq":4,"kind":"text","data":{"text":"three"},"origin":{"dialect":"text","stream":"stdout","offset":54,"length":5,"line":4,"channel":"stdout"}})"
      "\n");
}

TEST(Parse, ADashIsStdin) { EXPECT_EQ(parse({"-"}, kNotes).out, parse({}, kNotes).out); }

TEST(Parse, ALargeFileIsReadLikeAPipe) {
  const TempDir dir;
  std::string text;
  for (int i = 0; text.size() < (std::size_t{5} << 18U); ++i) {
    text += fmt::format("Line {} of many, some of them *marked*.\n", i);
    if (i % 50 == 0) text += fmt::format("[PROGRESS] {} lines\n", i);
  }
  const std::string path = (dir.path() / "large.txt").string();
  write_file(path, text);
  EXPECT_EQ(parse({path}, "").out, parse({}, text).out);
}

TEST(Parse, NumbersDoNotDependOnWhatIsShown) {
  const auto shown = lines_of(parse({"--kinds", "status"}, kNotes).out);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0]["seq"], 2);
  EXPECT_EQ(lines_of(parse({"--kinds", " status , question "}, kNotes).out), shown);
  const auto texts = lines_of(parse({"--kinds=text"}, kNotes).out);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[2]["seq"], 4);
}

TEST(Parse, CountsWhatItWouldPrint) {
  const Ended counted = parse({"--count"}, kNotes);
  EXPECT_EQ(counted.exit_code, 0);
  EXPECT_EQ(counted.out,
            R"({"dialect":"markers","bytes":59,"lines":4,"records":3,"events":4,"unknown":0,)"
            R"("malformed":0,"quoted":0,"oversize":0,"truncated_tail":0,"lost":0,)"
            R"("kinds":{"text":3,"status":1}})"
            "\n");
}

TEST(Parse, StatsGoToStderrAndSayWhatIsLost) {
  const Ended ended = parse({"--stats", "--kinds", "status"}, kNotes);
  EXPECT_EQ(ended.err, "stdin (markers): 59 bytes, 4 lines, 4 events; 0 lost\n");
  EXPECT_EQ(lines_of(ended.out).size(), 1u);
}

TEST(Parse, SeveralFilesAreStreamsOfTheirOwn) {
  const TempDir dir;
  write_file(dir.path() / "a", "[PROGRESS] a\n");
  write_file(dir.path() / "b", "[PROGRESS] b\nx");
  const Ended both = dragoman({.arguments = {"parse", "a", "b"}, .directory = dir.path()});
  EXPECT_EQ(both.out, parse({}, "[PROGRESS] a\n").out + parse({}, "[PROGRESS] b\nx").out);

  const json count = json::parse(
      dragoman({.arguments = {"parse", "--count", "a", "b"}, .directory = dir.path()}).out);
  EXPECT_EQ(count["bytes"], 27);
  EXPECT_EQ(count["events"], 3);
  EXPECT_EQ(count["files"][0]["file"], "a");
  EXPECT_EQ(count["files"][1]["events"], 2);
}

TEST(Parse, AnEmptyInputIsNoError) {
  EXPECT_EQ(parse({}, "").exit_code, 0);
  EXPECT_EQ(parse({}, "").out, "");
  EXPECT_EQ(json::parse(parse({"--count"}, "").out)["events"], 0);
}

TEST(Parse, BinaryInputIsReadLikeAnyOther) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes.push_back(static_cast<char>(i * 7919 >> 3));
  bytes += "\n[PROGRESS] after\n";
  const Ended ended = parse({"--stats"}, bytes);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("; 0 lost\n"), std::string::npos) << ended.err;
  std::size_t statuses = 0;
  for (const json& event : lines_of(ended.out)) statuses += event["kind"] == "status" ? 1 : 0;
  EXPECT_EQ(statuses, 1u);
}

TEST(Parse, WhatTheInputSaysDoesNotChangeTheExitCode) {
  EXPECT_EQ(parse({}, "<!-- WXCODE:STATUS:{\"a\":} -->\n").exit_code, 0);
  EXPECT_EQ(parse({"--mode", "strict"}, "  [PROGRESS] x\n").exit_code, 0);
}

TEST(Parse, ModesAreHeeded) {
  const std::string indented = "    [CODEX_COMPLETE] Task completed in 8 iterations\n";
  EXPECT_EQ(lines_of(parse({"--kinds", "completion_claimed"}, indented).out).size(), 0u);
  EXPECT_EQ(
      lines_of(parse({"--kinds", "completion_claimed", "--mode", "compat"}, indented).out).size(),
      1u);
}

TEST(Parse, VerboseSaysWhatTheInputIs) {
  EXPECT_EQ(parse({"-v", "--kinds", "status"}, kNotes).err,
            "dragoman: stdin: markers, 59 bytes, 4 lines\n");
}

TEST(Parse, ALongLineWithoutEndIsCutAndAccountedFor) {
  const std::string line(300'000, 'x');
  const Ended ended = parse({"--stats"}, line);
  EXPECT_EQ(lines_of(ended.out).size(), 5u);
  EXPECT_EQ(ended.err, "stdin (text): 300000 bytes, 1 line, 5 events; 0 lost\n");
  EXPECT_EQ(json::parse(parse({"--count"}, line).out)["events"], 5);
}

}  // namespace
}  // namespace dragoman::test
