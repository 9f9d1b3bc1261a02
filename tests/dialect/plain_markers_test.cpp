// SPDX-License-Identifier: Apache-2.0
// The straight way for plain markers against the general one. A marker that comes byte by byte is
// never all in view, so it goes the general way; the whole text goes the straight one.
#include <array>

#include <gtest/gtest.h>

#include "dragoman/dialect/plain_wxcode.hpp"
#include "dragoman/event/json.hpp"
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

constexpr std::array<std::string_view, 30> kMutations = {
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
    const std::string_view piece = kMutations[random.below(kMutations.size())];
    text.replace(at, std::min(random.below(3), text.size() - at), piece);
  }
  return text;
}

std::string mutated_document(Random& random) {
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
  const std::size_t count = scaled(200'000 / step_with_sanitizers(4));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = mutated_document(random);
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
    const std::string text = mutated_document(random);
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

// What one implementation makes of the marker at the start of `text`, and where it says it ends.
struct Answer {
  std::string event;
  std::size_t length = 0;
  std::string id_of_next_result;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_of(PlainWxcode::Read read, std::string_view text) {
  std::array<Event, kKinds> events;
  OpenTools tools;
  Arena arena;
  tools.add("Bash", {5, {}});
  const char* const at = text.data();
  const PlainWxcode::Taken taken = read(at, at + text.size(), {events, 7, tools, arena});
  Answer answer;
  if (taken.event != nullptr) {
    answer.event = to_json(*taken.event);
    answer.length = static_cast<std::size_t>(taken.end - at);
  }
  answer.id_of_next_result = tools.close("Bash", arena);
  return answer;
}

TEST(PlainWxcode, EveryImplementationGivesTheSameAnswer) {
  const std::vector<PlainWxcode::Read> all = PlainWxcode::Kernels::usable();
  Random random(26);
  const std::size_t count = scaled(400'000);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = mutated_document(random);
    const Answer expected = answer_of(PlainWxcode::Kernels::read_portable, text);
    taken += expected.length > 0 ? 1 : 0;
    for (const PlainWxcode::Read read : all) ASSERT_EQ(answer_of(read, text), expected) << text;
  }
  EXPECT_GT(taken, count / 20);
}

// It may look at no byte behind the end, which is why the last markers in view go another way.
TEST(PlainWxcode, MarkersNearTheEndAreLeftToOthers) {
  constexpr std::string_view kMarker = kMarkers[0];
  for (const PlainWxcode::Read read : PlainWxcode::Kernels::usable()) {
    EXPECT_EQ(answer_of(read, kMarker).length, 0U);
    EXPECT_EQ(answer_of(read, std::string(kMarker) + std::string(500, ' ')).length, kMarker.size());
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
