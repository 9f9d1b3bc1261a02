// SPDX-License-Identifier: Apache-2.0
// What every reader of JSON lines does with lines that are not what they should be.
#include <gtest/gtest.h>

#include "structured.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

const std::string kTurn =
    R"({"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"})"
    "\n";

TEST(JsonLines, ABlankLineIsARecordWithoutEvents) {
  const Heard heard = claude("\n  \t\r\n");
  EXPECT_TRUE(heard.events().empty());
  EXPECT_EQ(heard.records().size(), 2u);
}

TEST(JsonLines, ALineThatIsNoJsonIsNoiseAndIsKept) {
  for (const std::string line : {"npm WARN deprecated x", "[WARN] disk", "123", "null", "\"text\"",
                                 "[1,2]", "<!-- WXCODE:STATUS:{\"status\":\"completed\"} -->",
                                 "[CODEX_COMPLETE] Task completed in 3 iterations"}) {
    const Heard heard = claude(line + "\n");
    EXPECT_EQ(outline(heard), (Lines{"text " + line, "diagnostic noise"}));
    EXPECT_EQ(heard.events()[0].origin.channel, Channel::noise);
    EXPECT_EQ(heard.all<Diagnostic>()[0]->level, Level::info);
  }
}

struct Broken {
  std::string line;
  std::string reason;
};

TEST(JsonLines, BrokenJsonIsMalformedAndTheNextLineIsRead) {
  const std::string deep(600, '[');
  const std::vector<Broken> rows = {
      {R"({"type":"result",})", "bad_json"},
      {R"({"type":"system" "subtype":"init"})", "bad_json"},
      {R"({"type":"result"} trailing)", "bad_json"},
      {"{\"type\":\"a\tb\"}", "bad_json"},
      {R"({"type":"\x"})", "bad_json"},
      {R"({"type":"result","num_turns":01})", "bad_json"},
      {R"({"type":"result","is_error":NaN})", "bad_json"},
      {R"({"type":"result")", "bad_json"},
      {R"({"x":)" + deep + std::string(600, ']') + "}", "too_deep"},
      {"{\"x\":1,/* comment */\"y\":2}", "bad_json"},
      {"{\xC3\x28}", "bad_json"},
      {"[{\"type\":\"result\"},]", "bad_json"},
  };
  for (const Broken& row : rows) {
    const Heard heard = claude(row.line + "\n" + kTurn);
    ASSERT_EQ(heard.count<Malformed>(), 1u) << row.line;
    EXPECT_EQ(heard.all<Malformed>()[0]->reason, row.reason) << row.line;
    EXPECT_EQ(heard.all<Malformed>()[0]->raw, row.line);
    EXPECT_EQ(heard.count<TurnFinished>(), 1u) << row.line;
  }
}

TEST(JsonLines, IncompleteJsonAtTheEndIsATruncatedTail) {
  const Heard heard = claude(kTurn + R"({"type":"assistant","mess)");
  EXPECT_EQ(heard.all<Malformed>().at(0)->reason, "truncated_tail");
  EXPECT_EQ(claude(R"({"type":"assistant",,)").all<Malformed>().at(0)->reason, "bad_json");
}

TEST(JsonLines, TheLastLineNeedsNoNewline) {
  EXPECT_EQ(claude(kTurn.substr(0, kTurn.size() - 1)).count<TurnFinished>(), 1u);
}

TEST(JsonLines, AByteOrderMarkIsPassedOverAndReported) {
  const Heard heard = claude("\xEF\xBB\xBF" + kTurn);
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
  EXPECT_EQ(heard.rules(), Lines{"bom"});
  EXPECT_EQ(heard.all<Diagnostic>()[0]->level, Level::warning);
  ReaderOptions strict;
  strict.mode = Mode::strict;
  const Heard strictly = claude("\xEF\xBB\xBF" + kTurn, strict);
  EXPECT_EQ(strictly.all<Diagnostic>().at(0)->level, Level::error);
  EXPECT_EQ(strictly.count<TurnFinished>(), 1u);
}

TEST(JsonLines, NumbersBeyondTheMachineAreKeptAsText) {
  const Heard heard = claude(
      R"({"type":"result","subtype":"success","is_error":false,"num_turns":99999999999999999999,"duration_ms":1e400,)"
      R"("total_cost_usd":0.5})"
      "\n");
  EXPECT_EQ(heard.rules(), (Lines{"number_range", "number_range"}));
  EXPECT_EQ(heard.all<Diagnostic>()[0]->message, "99999999999999999999 is out of range");
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
  EXPECT_EQ(heard.all<TurnFinished>()[0]->num_turns, std::nullopt);
  EXPECT_EQ(heard.all<Usage>().at(0)->cost_usd, 0.5);
}

TEST(JsonLines, OfTwoEqualKeysTheLastWins) {
  const Heard heard =
      claude(R"({"type":"result","is_error":true,"is_error":false,"subtype":"success"})"
             "\n");
  EXPECT_EQ(heard.rules(), Lines{"duplicate_key"});
  EXPECT_TRUE(heard.all<TurnFinished>().at(0)->ok);
}

TEST(JsonLines, HalfASurrogatePairAndBrokenUtf8AreReadAndReported) {
  const Heard surrogate =
      claude(R"({"type":"result","subtype":"success","is_error":false,"result":"a\ud800b"})"
             "\n");
  EXPECT_EQ(surrogate.rules(), Lines{"lone_surrogate"});
  EXPECT_EQ(surrogate.all<TurnFinished>().at(0)->text.str(),
            "a\xEF\xBF\xBD"
            "b");
  const Heard bytes = claude(
      "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"a\xFF\"}\n");
  EXPECT_EQ(bytes.rules(), Lines{"invalid_utf8"});
  EXPECT_NE(bytes.data(Kind::turn_finished).at(0).find("a\xEF\xBF\xBD"), std::string::npos);
}

TEST(JsonLines, ANulInAStringIsNoTerminator) {
  const Heard heard = claude(R"({"type":"result","subtype":"success","result":"a\u0000b"})"
                             "\n");
  EXPECT_EQ(heard.all<TurnFinished>().at(0)->text.str(), std::string("a\0b", 3));
}

TEST(JsonLines, ReadsAToolResultOf15MiB) {
  std::string line =
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",)"
      R"("content":")";
  line.append(std::size_t{15} << 20U, 'x');
  line += R"("}]},"session_id":"s"})";
  const Heard heard = claude(line + "\n" + kTurn);
  ASSERT_EQ(heard.count<ToolFinished>(), 1u);
  EXPECT_EQ(heard.all<ToolFinished>()[0]->output.bytes.size(), std::size_t{15} << 20U);
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
}

TEST(JsonLines, ALineOverTheCapIsOneOversizeAndTheResultBehindItIsRead) {
  const std::uint64_t size = scaled(std::size_t{1} << 30U);  // 1 GiB in full
  const std::string piece(1 << 20, 'x');
  ReaderOptions options;
  options.line_cap = 1 << 20;
  const auto reader = make_reader(Dialect::claude, options);
  EventList list;
  for (std::uint64_t sent = 0; sent < size; sent += piece.size()) {
    reader->push(std::string_view(piece).substr(0, size - sent), list);
  }
  reader->push("\n" + kTurn, list);
  reader->finish(list);
  ASSERT_FALSE(list.events().empty());
  const auto* oversize = list.events()[0].as<Oversize>();
  ASSERT_NE(oversize, nullptr);
  EXPECT_EQ(oversize->bytes, size);
  EXPECT_EQ(oversize->head, std::string(4096, 'x'));
  EXPECT_EQ(list.events().back().kind(), Kind::turn_finished);
  EXPECT_TRUE(tiles(list.records(), size + 1 + kTurn.size()));
}

TEST(JsonLines, DeepNestingCostsNoStack) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[');
  const Heard heard = claude(deep + "\n" + kTurn);
  EXPECT_EQ(heard.all<Malformed>().at(0)->reason, "too_deep");
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
}

TEST(JsonLines, AnUnknownTypeIsKeptWholeAndIsValidJson) {
  const Heard heard = claude(R"({"type":"hologram","n":12,"deep":{"a":[true]}})"
                             "\n"
                             R"({"type":"hologram","n":tru})"
                             "\n");
  EXPECT_EQ(outline(heard), (Lines{"unknown hologram", "malformed bad_json"}));
  EXPECT_EQ(heard.all<Unknown>()[0]->raw.json, R"({"type":"hologram","n":12,"deep":{"a":[true]}})");
}

}  // namespace
}  // namespace dragoman::test
