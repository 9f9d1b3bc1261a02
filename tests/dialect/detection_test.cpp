// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

Dialect detected(std::string_view input) {
  const auto reader = make_detecting_reader();
  const StreamReading whole = read_whole(*reader, input);
  const auto bytewise_reader = make_detecting_reader();
  const StreamReading bytewise = read_bytewise(*bytewise_reader, input);
  EXPECT_EQ(bytewise.lines, whole.lines) << input.substr(0, 200);
  EXPECT_EQ(bytewise.dialect, whole.dialect) << input.substr(0, 200);
  EXPECT_TRUE(tiles(whole.records, input.size())) << input.substr(0, 200);
  EXPECT_TRUE(tiles(bytewise.records, input.size())) << input.substr(0, 200);
  return whole.dialect;
}

struct Row {
  std::string input;
  Dialect dialect;
};

const std::string kEnvelope =
    R"({"schema_id":"codex/v3.6/status_snapshot/v1","status":"ok","meta":{},"data":{}})";

std::string quoted(const std::string& text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

TEST(Detection, FollowsTheTable) {
  std::vector<Row> rows = {
      {kEnvelope, Dialect::delegator},
      {R"({"schema_id":"codex/v3/x/v1"})", Dialect::text},
      {R"({"schema_id":"other/v3.6/x/v1"})", Dialect::text},
      {"{\n  \"version\": \"3.6\",\n  \"schema_id\": \"codex/v3.6/result_set/v1\"\n}\n",
       Dialect::delegator},
      {R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)" +
           quoted(kEnvelope) + "}]}}",
       Dialect::delegator},
      {R"({"content":[{"type":"text","text":)" + quoted(kEnvelope) + "}]}", Dialect::delegator},
      {R"({"content":[{"type":"text","text":"{}"}]})", Dialect::text},
      {R"({"session_id":"s","type":"result"})", Dialect::claude},
      {R"({"type":"assistant","sessionId":"s"})", Dialect::claude},
      {R"({"type":"summary","leafUuid":"u"})", Dialect::claude},
      {R"({"type":"summary"})", Dialect::text},
      {R"([{"type":"system","subtype":"init"},{"type":"result","subtype":"success"}])",
       Dialect::claude},
      {R"([{"type":"thread.started"}])", Dialect::text},
      {R"({"type":"system"})", Dialect::text},
      {R"({"type":"thread.started","thread_id":"t"})", Dialect::codex},
      {R"({"type":"turn.started"})", Dialect::codex},
      {R"({"type":"item.completed","item":{}})", Dialect::codex},
      {R"({"type":"session.created","session_id":"s"})", Dialect::codex},
      {R"({"id":"0","msg":{"type":"task_started"}})", Dialect::codex},
      {R"({"id":"0","msg":{"type":1}})", Dialect::text},
      {R"({"method":"thread/started","params":{}})", Dialect::codex},
      {R"({"method":"turn/started"})", Dialect::codex},
      {R"({"method":"item/completed"})", Dialect::codex},
      {R"({"jsonrpc":"2.0","method":"codex/event","params":{}})", Dialect::codex},
      {R"({"type":"error","message":"x"})", Dialect::text},
      {"{\"type\":\"error\",\"message\":\"x\"}\n{\"prompt\":\"p\"}\n{\"type\":\"turn.started\"}\n",
       Dialect::codex},
      {"plain words\n", Dialect::text},
      {"see <!-- WXCODE:STATUS:{\"status\":\"completed\"} -->\n", Dialect::wxcode},
      {"[WXCODE:SERVER_READY] http://x\n", Dialect::wxcode},
      {"[PROGRESS] x\n", Dialect::markers},
      {"", Dialect::text},
      {"\n\n  \n" + kEnvelope + "\n", Dialect::delegator},
      {"\xEF\xBB\xBF" + kEnvelope + "\n", Dialect::delegator},
      {"npm WARN x\n[INFO] y\n{\"type\":\"turn.started\"}\n", Dialect::codex},
      {"{\"type\":\"assistant\",\"message\":{\"cont", Dialect::claude},  // cut off
      {"{ not json }\n{\"type\":\"turn.started\"}\n", Dialect::codex},
      {"{\n{\"type\":\"turn.started\"}\n", Dialect::codex},
  };
  for (const std::string type :
       {"system", "assistant", "user", "result", "stream_event", "control_request",
        "control_response", "control_cancel_request", "rate_limit_event", "tool_progress",
        "tool_use_summary", "prompt_suggestion", "conversation_reset", "command_lifecycle",
        "keep_alive", "auth_status"}) {
    for (const std::string field :
         {"session_id", "message", "subtype", "event", "response", "request"}) {
      rows.push_back({R"({")" + field + R"(":{},"type":")" + type + "\"}", Dialect::claude});
    }
  }
  for (const Row& row : rows) EXPECT_EQ(detected(row.input), row.dialect) << row.input;
}

TEST(Detection, UpToTwentyLinesOfNoiseMayPrecedeTheStream) {
  const auto with_noise = [](int lines) {
    std::string input;
    for (int i = 0; i < lines; ++i) input += "npm WARN " + std::to_string(i) + "\n\n";
    return input + "{\"type\":\"turn.started\"}\n";
  };
  EXPECT_EQ(detected(with_noise(19)), Dialect::codex);
  EXPECT_EQ(detected(with_noise(20)), Dialect::text);
}

TEST(Detection, EightKibibytesWithoutAnEventAreText) {
  const std::string event = "{\"type\":\"turn.started\"}\n";
  EXPECT_EQ(detected(std::string(8190, 'x') + "\n" + event), Dialect::codex);
  EXPECT_EQ(detected(std::string(8191, 'x') + "\n" + event), Dialect::text);
  EXPECT_EQ(detected(std::string(9000, 'x') + "\n" + event), Dialect::text);
  EXPECT_EQ(detected(std::string(9000, ' ') + event), Dialect::text);
  EXPECT_EQ(detected("[" + std::string(9000, ' ') + event), Dialect::text);
}

TEST(Detection, WaitsForALongFirstLine) {
  std::string line = R"({"filler":")" + std::string(20'000, 'x') + R"(","type":"turn.started"})";
  EXPECT_EQ(detected(line + "\n"), Dialect::codex);
}

TEST(Detection, ALineOverTheCapIsToldByItsBeginning) {
  ReaderOptions options;
  options.line_cap = 1000;
  const std::string input = R"({"type":"user","message":{"content":")" + std::string(5000, 'x') +
                            "\"}}\n{\"type\":\"result\",\"subtype\":\"success\"}\n";
  for (const std::size_t size : {std::size_t{1}, std::size_t{700}, input.size()}) {
    const auto reader = make_detecting_reader(options);
    const StreamReading reading =
        read_in_chunks(*reader, input, [size](std::size_t) { return size; });
    EXPECT_EQ(reading.dialect, Dialect::claude);
    EXPECT_TRUE(tiles(reading.records, input.size()));
    EXPECT_NE(reading.lines.at(0).find("oversize"), std::string::npos);
  }
}

TEST(Detection, IdleDecidesAndNothingHeldIsLost) {
  const auto reader = make_detecting_reader();
  EventList list;
  reader->push("Working on it", list);
  EXPECT_TRUE(list.events().empty());
  reader->idle(list);
  ASSERT_EQ(list.events().size(), 1u);
  EXPECT_EQ(list.events()[0].as<DisplayText>()->text.str(), "Working on it");
  reader->push("\n{\"type\":\"turn.started\"}\n", list);
  reader->finish(list);
  EXPECT_EQ(reader->dialect(), Dialect::text);  // the first decision stands
  EXPECT_TRUE(tiles(list.records(), 13 + 1 + 24));
}

TEST(Detection, LaterLinesThatDoNotFitAreNoise) {
  const auto reader = make_detecting_reader();
  const Heard heard(*reader, "{\"type\":\"turn.started\"}\nplain words\n");
  EXPECT_EQ(outline(heard), (Lines{"status turn_started", "text plain words", "diagnostic noise"}));
}

TEST(Detection, Utf16IsReportedAndReadAsText) {
  for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
    const std::string input = mark + std::string("a\0b\0", 4);
    EXPECT_EQ(detected(input), Dialect::text);
    const auto reader = make_detecting_reader();
    const Heard heard(*reader, input);
    EXPECT_EQ(heard.rules().at(0), "unsupported_encoding");
    EXPECT_EQ(heard.all<Diagnostic>()[0]->level, Level::error);
  }
}

}  // namespace
}  // namespace dragoman::test
