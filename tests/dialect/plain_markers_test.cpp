// SPDX-License-Identifier: Apache-2.0
// The straight way for plain markers against the general one. A marker that comes byte by byte is
// never all in view, so it goes the general way; the whole text goes the straight one.
#include <array>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr std::array<std::string_view, 36> kMarkers = {
    R"(<!-- WXCODE:HEADER:{"command":"plan-phase","args":"2","title":"WXCODE ▶ PLAN"} -->)",
    R"(<!-- WXCODE:HEADER:{"command":"plan","args":null,"title":"T","phase":3,"plan":"a"} -->)",
    R"(<!-- WXCODE:TOOL:{"tool":"Bash","description":"d","command":"grep \"x\" \\ a\n\t"} -->)",
    R"(<!-- WXCODE:TOOL:{"tool":"Read","description":"d","file":"a.ts","mcp_tool":"m"} -->)",
    R"(<!-- WXCODE:TOOL_RESULT:{"tool":"Bash","success":true,"output":"o","duration_ms":12} -->)",
    R"(<!-- WXCODE:TOOL_RESULT:{"tool":"Read","success":false,"error":"no\u0041"} -->)",
    R"(<!-- WXCODE:STATUS:{"status":"in_progress","message":"größer","progress":100} -->)",
    R"(<!-- WXCODE:STATUS:{"status":"done","message":"{x}","progress":101,"phase":-0} -->)",
    R"(<!-- WXCODE:STATUS:{"message":"b","status":"paused","plan":"p","task":"t","phase":1} -->)",
    R"(<!-- WXCODE:NEXT_ACTION:{"command":"c","args":"1","description":"d","priority":"optional"} -->)",
    R"(<!-- WXCODE:NEXT_ACTION:{"command":"c","description":"d","priority":"soon"} -->)",
    R"(<!-- WXCODE:ERROR:{"code":"TIMEOUT","message":"m","recoverable":true,"suggestion":null} -->)",
    R"(<!-- WXCODE:ERROR:{"code":"X","message":"$ARGUMENTS","recoverable":false} -->)",
    "[PROGRESS] reading the module",
    "[PROGRESS] \t two blanks and a tab \t",
    "[PROGRESS] \r",
    "[PROGRESS]",
    "[CODEX_COMPLETE] Task completed in 8 iterations",
    "[CODEX_COMPLETE] Task completed in  iterations",
    "[CODEX_COMPLETE] done",
    "[QUESTION] Which?\nOptions:\n1. a - b\n2. c\n",
    "[BLOCKED] no url\nmore\n",
    "[FILES_MODIFIED]\n- a.ts (created)\n",
    "[FILES_MODIFIED]\n- a.ts (created)\n* `b.ts` (modified)\n-c (d) (deleted) \n- (created)\n",
    "[FILES_MODIFIED]\n- a.ts (renamed)\n- none\n",
    "[FILES_MODIFIED] x\n- a.ts (modified)\nwords",
    "[FILES_MODIFIED]\n- a.ts (created)\n  - b.ts (created)\n [PROGRESS] x",
    "[QUESTION] Which one of them?\noptions: \n1. a - b - c\n 2) d\n3. e\n\nmore about it\nand "
    "more\n",
    "[QUESTION] Which?\nOptions:\n1. a\n2. b\n\n\nno context\n",
    "[QUESTION] Which?\nOptions:\n1. a\n\n> quoted\n",
    "[QUESTION] Which?\nOptions:\n1. a\n2. b\n  goes on\n",
    "[QUESTION] Which?\nOptions: now\n1. a\n2. b\n\ncontext\n```\ncode\n```\n",
    "[QUESTION] Long?\nvery\n\nOptions:\n1. a\n2. b\n\n",
    "[BLOCKED] no url\n  more\t\nyet more\n\nwords\n",
    "[BLOCKED] no url\nmore\n[INFO] still\n",
    "words, and `code`"};

constexpr std::array<std::string_view, 30> kPieces = {
    "\"",           "\\",    "{", "}", ":",  ",",       "$",    " ",     "\n",
    "\t",           "\r",    "0", "-", "1",  ".",       "e",    "true",  "null",
    "\x80",         "é",     "[", "]", "\\", "\\u00e9", " -->", "\"a\"", "<!-- WXCODE:",
    ",\"phase\":1", "```\n", "> "};

// Words put into the strings of a marker: what it reads at once has an end, in every place.
void stretch(std::string& text, Random& random) {
  constexpr std::array<std::string_view, 4> kWords = {"word ", "größer", R"(\")", "\\\\"};
  for (std::size_t at = text.find(":\""); at != std::string::npos; at = text.find(":\"", at + 2)) {
    if (!random.one_in(3)) continue;
    const std::string_view odd = kWords[random.below(kWords.size())];
    std::string words(random.below(140), 'w');
    if (random.one_in(2)) words.insert(random.below(words.size() + 1), odd);
    text.insert(at + 2, words);
    at += words.size();
  }
}

std::string mutated(std::string_view marker, Random& random) {
  std::string text(marker);
  if (random.one_in(4)) stretch(text, random);
  for (std::size_t i = random.below(3); i > 0; --i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::string_view piece = kPieces[random.below(kPieces.size())];
    text.replace(at, std::min(random.below(3), text.size() - at), piece);
  }
  return text;
}

std::string document(Random& random) {
  std::string text;
  for (std::size_t i = 1 + random.below(6); i > 0; --i) {
    text += mutated(kMarkers[random.below(kMarkers.size())], random);
    if (!random.one_in(10)) text += "\n";
  }
  // Room behind the last marker: the straight way keeps a distance to the end of what it sees.
  return text + std::string(500, 'x');
}

class PlainMarkers : public testing::TestWithParam<Mode> {};

TEST_P(PlainMarkers, AreReadAsTheGeneralWayReadsThem) {
  Random random(20260115);
  const std::size_t count = scaled(200'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = document(random);
    ReaderOptions options;
    options.mode = GetParam();
    const auto straight = make_reader(Dialect::text, options);
    const auto general = make_reader(Dialect::text, options);
    const StreamReading fast = read_whole(*straight, text);
    const StreamReading plain = read_bytewise(*general, text);
    ASSERT_EQ(fast.lines, plain.lines) << text;
    ASSERT_EQ(fast.line_count, plain.line_count) << text;
    ASSERT_TRUE(tiles(fast.records, text.size())) << text;
  }
}

TEST_P(PlainMarkers, KeepTheirPlaceInEveryWindow) {
  Random random(7);
  const std::size_t count = scaled(2'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = document(random);
    ReaderOptions options;
    options.mode = GetParam();
    const auto whole = make_reader(Dialect::text, options);
    const StreamReading expected = read_whole(*whole, text);
    for (const std::size_t size : {63U, 64U, 65U, 97U, 128U, 200U}) {
      const auto reader = make_reader(Dialect::text, options);
      const StreamReading got = read_in_chunks(*reader, text, [&](std::size_t) { return size; });
      ASSERT_EQ(got.lines, expected.lines) << size << "\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PlainMarkers,
                         testing::Values(Mode::standard, Mode::strict, Mode::compat),
                         [](const auto& chosen) {
                           return chosen.param == Mode::standard ? "Default"
                                  : chosen.param == Mode::strict ? "Strict"
                                                                 : "Compat";
                         });

}  // namespace
}  // namespace dragoman::test
