// SPDX-License-Identifier: Apache-2.0
// Lines that are compared with earlier ones against lines that are taken apart. Of a stream that
// comes byte by byte no line is ever learned, so it goes the general way; the whole text at once
// goes the straight one from the second line of a kind on.
#include "dragoman/dialect/claude_shapes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

// S is a string, N a number, U an id that seldom comes twice.
constexpr std::array<std::string_view, 17> kLineKinds = {
    R"({"type":"stream_event","event":{"type":"content_block_delta","index":N,"delta":{"type":"text_delta","text":S}},"session_id":"s","parent_tool_use_id":null,"uuid":U,"api_message_id":S})",
    R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":S}},"session_id":"s","parent_tool_use_id":S,"uuid":U})",
    R"({"type":"stream_event","event":{"type":"content_block_start","index":N},"session_id":"s","uuid":U,"abandoned_blocks":{"from_block_index":N}})",
    R"({"type":"system","subtype":"status","status":S,"session_id":"s","uuid":U})",
    R"({"type":"system","subtype":"init","cwd":S,"session_id":S,"tools":["Bash",S],"mcp_servers":[{"name":S,"status":"failed"}],"model":S,"claude_code_version":S,"uuid":U})",
    R"({"type":"assistant","message":{"id":S,"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":S}],"stop_reason":null,"usage":{"input_tokens":N,"cache_read_input_tokens":N,"cache_creation":{"x":N},"output_tokens":N,"service_tier":S}},"parent_tool_use_id":null,"session_id":"s","uuid":U})",
    R"({"type":"assistant","message":{"id":S,"content":[{"type":"thinking","thinking":S,"signature":"x"},{"type":"tool_use","id":"toolu_1","name":S,"input":{"command":S,"file_path":S,"n":N}}],"usage":{"output_tokens":N,"output_tokens_details":{"thinking_tokens":N}}},"parent_tool_use_id":S,"uuid":U})",
    R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":S,"is_error":false}]},"parent_tool_use_id":null,"session_id":"s","uuid":U,"tool_use_result":{"stdout":S,"stderr":S,"filePath":S,"type":"create"}})",
    R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":[{"type":"text","text":S},{"type":"text","text":S}],"is_error":true}]},"uuid":U})",
    R"({"type":"user","message":{"role":"user","content":S},"isSidechain":false,"sessionId":"s","uuid":U})",
    R"({"duration_api_ms":N,"session_id":"s","total_cost_usd":N,"usage":{"input_tokens":N},"modelUsage":{"m":{"costUSD":N}},"permission_denials":[],"is_error":false,"num_turns":N,"subtype":"success","result":S,"type":"result","duration_ms":N,"uuid":U,"result_index":N})",
    R"({"type":"control_request","request_id":S,"request":{"subtype":"can_use_tool","tool_name":S,"input":{"x":S},"tool_use_id":"toolu_1"}})",
    R"({"type":"control_request","request_id":S,"request":{"subtype":"can_use_tool","tool_name":"Edit","input":{"file_path":S,"old_string":S,"new_string":S},"blocked_path":S,"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":S}],"behavior":"allow","destination":"session"}],"tool_use_id":"toolu_1"}})",
    R"({ "type" : "tool_progress" , "tool_name" : S , "elapsed_time_seconds" : N, "uuid":U })",
    R"({"type":"assistant","message":{"id":S,"content":[{"typ\u0065":"text","text":S},{"type":S,"text":S}]},"uuid":U})",
    R"({"type":"nobody_knows","a":[N,{"b":S},[]],"uuid":U,"c":true})",
    R"({"type":"system","subtype":S,"content":S,"x":N,"x":S,"uuid":U})"};

std::string value_of(char hole, Random& random) {
  constexpr std::array<std::string_view, 14> kStrings = {
      R"("words")",
      R"("")",
      R"("größer")",
      R"("a\nb")",
      R"("\ud83d\ude00")",
      R"("\ud800")",
      "\"\x80\"",
      R"("[PROGRESS] x\n")",
      R"("text")",
      R"("tool_use")",
      R"("status")",
      "null",
      R"("<!-- WXCODE:STATUS:{\"status\":\"paused\"} -->")",
      R"("words enough to be no id any more, with an é far behind the first block, and a \" too")"};
  constexpr std::array<std::string_view, 12> kNumbers = {
      "0",    "7",  "42", "2672", "-1", "0.0009824", "1e3", "007", "1.", "99999999999999999999",
      "null", "12x"};
  if (hole == 'S') return std::string(random.pick(kStrings));
  if (hole == 'N') return std::string(random.pick(kNumbers));
  return "\"" + std::to_string(random.below(100'000)) + "\"";
}

// A hole is a capital letter where a value may stand.
std::string filled(std::string_view kind, Random& random) {
  std::string line;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    const bool hole =
        (kind[i] == 'S' || kind[i] == 'N' || kind[i] == 'U') &&
        (kind[i - 1] == ':' || kind[i - 1] == ',' || kind[i - 1] == '[' || kind[i - 1] == ' ');
    if (hole) {
      line += value_of(kind[i], random);
    } else {
      line.push_back(kind[i]);
    }
  }
  return line;
}

void spoil(std::string& line, Random& random) {
  constexpr std::array<std::string_view, 16> kPieces = {"\"", "\\", "{",    "}",       ":", ",",
                                                        " ",  "\n", "null", "\r\n",    "0", "12",
                                                        "é",  "-1", "\t",   "\"a\":1,"};
  const std::size_t at = random.below(line.size() + 1);
  line.replace(at, std::min(random.below(3), line.size() - at), random.pick(kPieces));
}

std::string shaped_document(Random& random) {
  std::string text;
  const std::size_t kinds = 1 + random.below(4);
  std::array<std::string_view, 4> chosen{};
  for (std::string_view& kind : chosen) kind = random.pick(kLineKinds);
  for (std::size_t i = 2 + random.below(12); i > 0; --i) {
    std::string line = filled(chosen[random.below(kinds)], random);
    if (random.one_in(6)) spoil(line, random);
    text += line;
    text += random.one_in(20) ? "\r\n" : "\n";
  }
  if (random.one_in(3)) text += filled(chosen[0], random);
  return text;
}

TEST(ClaudeShapes, AreReadAsTheGeneralWayReadsThem) {
  Random random(20261116);
  const std::size_t count = scaled(200'000 / step_with_sanitizers(4));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = shaped_document(random);
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

// Taken apart, and learned.
void teach(std::string_view text, ClaudeLine& line, ClaudeShapes& shapes) {
  clear(line);
  json::Cursor cursor(text);
  read_claude_line(cursor, line);
  ASSERT_TRUE(cursor.finish());
  shapes.learn(text);
}

TEST(ClaudeShapes, KnowALineByOneThatCameBefore) {
  ClaudeLine line;
  ClaudeShapes shapes(line);
  teach(
      R"({"type":"user","message":{"content":[{"tool_use_id":"a","type":"tool_result","content":"b"}]},"uuid":"c","n":[1,"x"]})",
      line, shapes);
  const std::string text =
      R"({"type":"user","message":{"content":[{"tool_use_id":"größer","type":"tool_result","content":"\n"}]},"uuid":"","n":[-20.5,"yz"]})";
  const std::string stream = text + "\n{}";
  EXPECT_EQ(shapes.read(stream), text.size());
  EXPECT_EQ(line.type.raw, R"("user")");
  EXPECT_EQ(line.uuid.raw, R"("")");
  EXPECT_TRUE(line.has_message);
  ASSERT_EQ(line.blocks.size(), 1U);
  EXPECT_EQ(line.blocks[0].tool_use_id.raw, R"("größer")");
  EXPECT_FALSE(line.blocks[0].tool_use_id.escaped);
  EXPECT_EQ(line.blocks[0].type.raw, R"("tool_result")");
  EXPECT_EQ(line.blocks[0].content.raw, R"("\n")");
  EXPECT_TRUE(line.blocks[0].content.escaped);
  clear(line);
  EXPECT_TRUE(line.type.absent() && line.uuid.absent() && line.blocks.empty());
}

TEST(ClaudeShapes, RefuseALineThatIsNotQuiteTheSame) {
  ClaudeLine line;
  ClaudeShapes shapes(line);
  teach(R"({"type":"system","subtype":"status","status":"a","n":1})", line, shapes);
  for (const std::string_view text :
       {R"({"type":"system","subtype":"init","status":"a","n":1})",
        R"({"type":"system","subtype":"status","status":null,"n":1})",
        R"({"type":"system","subtype":"status","status":"a","n":01})",
        R"({"type":"system","subtype":"status","status":"a","n":1e3})",
        R"({"type":"system","subtype":"status","status":"a","n":1} )",
        R"({"type":"system","subtype":"status","status":"a","n":1)",
        R"({"type":"system","subtype":"status","status":"a)",
        R"({"type":"system","subtype":"status","status":"\ud800","n":1})",
        "{\"type\":\"system\",\"subtype\":\"status\",\"status\":\"\x80\",\"n\":1}"}) {
    EXPECT_EQ(shapes.read(text), 0U) << text;
  }
}

TEST(ClaudeShapes, AreForgottenWhenThereAreTooMany) {
  ClaudeLine line;
  ClaudeShapes shapes(line);
  std::size_t known = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string number = std::to_string(i);
    const std::string text = R"({"type":"system","uuid":"u","k)" + number.substr(0, 1) +
                             "\":\"x\",\"k" + number +
                             R"(":["x","x","x","x","x","x","x","x","x","x"]})";
    if (shapes.read(text) != 0) continue;
    teach(text, line, shapes);
    known += shapes.read(text) == text.size() ? 1 : 0;
    if (shapes.read(text) != 0) {
      ASSERT_EQ(line.uuid.raw, R"("u")");
    }
  }
  EXPECT_GT(known, 64U);
}

}  // namespace
}  // namespace dragoman::test
