// SPDX-License-Identifier: Apache-2.0
// The straight way for text deltas against the general one. A line that comes byte by byte is never
// all in view, so it goes the general way; the whole text goes the straight one.
#include "dragoman/dialect/claude_delta.hpp"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr std::string_view kRoom = R"({"type":"keep_alive","session_id":"s","uuid":"last"})";

std::string delta(std::string_view text, std::string_view rest) {
  return R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,)"
         R"("delta":{"type":"text_delta","text":")" +
         std::string(text) + R"("}},"session_id":"0aa3ff00","parent_tool_use_id":)" +
         std::string(rest) + "}\n";
}

TEST(ClaudeDelta, IsReadAsClaudeCodeWritesIt) {
  const std::string text =
      delta("größer\\n\\\"x\\\" and words enough to be no id any more, which is more than 64 bytes",
            R"(null,"uuid":"u-1","api_message_id":"msg_1")");
  ClaudeLine line;
  clear(line);
  const std::string stream = text + std::string(kRoom);
  EXPECT_EQ(read_plain_delta(stream, line), text.size() - 1);
  EXPECT_EQ(line.type.raw, R"("stream_event")");
  EXPECT_EQ(line.fragment.type.raw, R"("content_block_delta")");
  EXPECT_EQ(line.fragment.delta_type.raw, R"("text_delta")");
  EXPECT_EQ(line.fragment.index.raw, "0");
  EXPECT_TRUE(line.fragment.text.escaped);
  EXPECT_EQ(line.session_id.raw, R"("0aa3ff00")");
  EXPECT_EQ(line.parent_tool_use_id.raw, "null");
  EXPECT_EQ(line.uuid.raw, R"("u-1")");
  EXPECT_EQ(line.api_message_id.raw, R"("msg_1")");
  clear(line);
  EXPECT_TRUE(line.type.absent() && line.uuid.absent() && line.fragment.text.absent());
}

std::string document(Random& random) {
  constexpr std::array<std::string_view, 8> kTexts = {
      "words", "", "größer", "a\\nb", "\\ud83d\\ude00", "\\ud800", "\x80", "[PROGRESS] x\\n"};
  constexpr std::array<std::string_view, 6> kRests = {
      R"(null,"uuid":"U","api_message_id":"msg_1")",
      R"(null,"uuid":"U")",
      R"("toolu_1","uuid":"U","api_message_id":"msg_1")",
      R"(null,"uuid":"U","thinking_display":"updates","api_message_id":"msg_1")",
      R"(null,"uuid":"U","abandoned_blocks":{"from_block_index":0})",
      R"(null,"uuid":"U","uuid":"V")"};
  constexpr std::array<std::string_view, 16> kPieces = {"\"", "\\", "{",    "}",       ":", ",",
                                                        " ",  "\n", "null", "\r\n",    "0", "12",
                                                        "é",  "-1", "\t",   "\"a\":1,"};
  std::string text;
  for (std::size_t i = 1 + random.below(4); i > 0; --i) {
    std::string line =
        delta(kTexts[random.below(kTexts.size())], kRests[random.below(kRests.size())]);
    if (const std::size_t at = line.find("\"U\""); at != std::string::npos) {
      line.replace(at + 1, 1, std::to_string(random.below(1000)));  // few come twice
    }
    for (std::size_t changes = random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(line.size() + 1);
      line.replace(at, std::min(random.below(3), line.size() - at),
                   kPieces[random.below(kPieces.size())]);
    }
    text += line;
  }
  return text + std::string(kRoom) + "\n";
}

TEST(ClaudeDelta, IsReadAsTheGeneralWayReadsIt) {
  Random random(20261116);
  const std::size_t count = scaled(200'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = document(random);
    ReaderOptions options;
    options.partial = true;
    const auto straight = make_reader(Dialect::claude, options);
    const auto general = make_reader(Dialect::claude, options);
    const StreamReading fast = read_whole(*straight, text);
    const StreamReading plain = read_bytewise(*general, text);
    ASSERT_EQ(fast.lines, plain.lines) << text;
    ASSERT_TRUE(tiles(fast.records, text.size())) << text;
  }
}

}  // namespace
}  // namespace dragoman::test
