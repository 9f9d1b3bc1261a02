// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "tests/support/random_events.hpp"
#include "tests/support/scale.hpp"

namespace dragoman {
namespace {

std::string error_of(std::string_view line) {
  Arena arena;
  const Result<Event> read = read_event(line, arena);
  return read ? "no error" : read.error().message;
}

std::string rewritten(std::string_view line) {
  Arena arena;
  const Result<Event> read = read_event(line, arena);
  return read ? to_json(*read) : read.error().message;
}

// What stands around "data" in every case below.
std::string line_with(std::string_view kind, std::string_view data) {
  return "{\"kind\":\"" + std::string(kind) + "\",\"data\":" + std::string(data) +
         ",\"origin\":{\"dialect\":\"text\",\"stream\":\"stdout\",\"offset\":0,\"length\":0,"
         "\"line\":1,\"channel\":\"stdout\"}}";
}

TEST(ReadEvent, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "event: not a JSON object"},
      {"[]", "event: not a JSON object"},
      {"{", "event: unexpected end at byte 1"},
      {"{\"kind\":\"text\"", "event: unexpected end at byte 14"},
      {"{\"kind\":nope}", "event: syntax at byte 8"},
      {"{\"kind\":\"text\"} x", "event: syntax at byte 16"},
      {"{}", "event: unknown kind ''"},
      {"{\"kind\":\"nope\"}", "event: unknown kind 'nope'"},
      {"{\"kind\":5}", "event: kind has the wrong type"},
      {"{\"kind\":\"text\",\"seq\":\"1\"}", "event: seq has the wrong type"},
      {"{\"kind\":\"text\",\"seq\":-1}", "event: seq has the wrong type"},
      {"{\"kind\":\"text\",\"seq\":1.5}", "event: seq has the wrong type"},
      {"{\"kind\":\"text\",\"ts\":5}", "event: ts has the wrong type"},
      {"{\"kind\":\"text\",\"ts\":\"noon\"}", "event: ts 'noon' is not a timestamp"},
      {"{\"kind\":\"text\",\"data\":[]}", "event: data has the wrong type"},
      {"{\"kind\":\"text\",\"data\":5}", "event: data has the wrong type"},
      {"{\"kind\":\"text\",\"data\":null}", "event: data has the wrong type"},
      {"{\"kind\":\"text\",\"origin\":\"x\"}", "event: origin has the wrong type"},
      {"{\"kind\":\"text\",\"origin\":{\"dialect\":\"latin\"}}",
       "event: origin.dialect is not known"},
      {"{\"kind\":\"text\",\"origin\":{\"dialect\":7}}", "event: origin.dialect is not known"},
      {"{\"kind\":\"text\",\"origin\":{\"via\":\"x\"}}", "event: origin.via is not known"},
      {"{\"kind\":\"text\",\"origin\":{\"stream\":\"x\"}}", "event: origin.stream is not known"},
      {"{\"kind\":\"text\",\"origin\":{\"channel\":\"x\"}}", "event: origin.channel is not known"},
      {"{\"kind\":\"text\",\"origin\":{\"offset\":-1}}", "event: origin.offset is not known"},
      {line_with("tool_finished", "{\"outcome\":\"great\"}"),
       "event: data.outcome has the wrong type"},
      {line_with("turn_finished", "{\"ok\":1}"), "event: data.ok has the wrong type"},
      {line_with("oversize", "{\"bytes\":-1}"), "event: data.bytes has the wrong type"},
      {line_with("blocked", "{\"context\":\"x\"}"), "event: data.context has the wrong type"},
      {line_with("blocked", "{\"context\":[1]}"), "event: data.context has the wrong type"},
      {line_with("question", "{\"options\":[{\"label\":1}]}"),
       "event: data.options has the wrong type"},
      {line_with("failure", "{\"code\":5,\"recoverable\":\"maybe\"}"),
       "event: data.recoverable has the wrong type"},
  };
  for (const auto& [line, message] : table) EXPECT_EQ(error_of(line), message) << line;
}

// Beside the field, which is of the type that is promised or absent.
TEST(ReadEvent, AnOddValueOfAFieldThatMayBeAbsentIsKept) {
  struct Row {
    std::string_view kind, data, kept;
  };
  const std::vector<Row> table = {
      {"status", R"({"status":"in_progress","progress":"high"})",
       R"({"status":"in_progress","_progress":"high"})"},
      {"status", R"({"status":5,"message":["a"]})", R"({"_status":5,"_message":["a"]})"},
      {"session_started", R"({"session_id":"s","tools":{"a":1}})",
       R"({"session_id":"s","_tools":{"a":1}})"},
      {"session_started", R"({"mcp_servers":[{"name":5}]})", R"({"_mcp_servers":[{"name":5}]})"},
      {"context_request", R"({"type":"t","fields":[1]})", R"({"type":"t","_fields":[1]})"},
      {"context_request", R"({"type":"t","fields":{"a":1}})", R"({"type":"t","_fields":{"a":1}})"},
      {"usage", R"({"scope":"turn","final":false,"input_tokens":1e400})",
       R"({"scope":"turn","final":false,"_input_tokens":1e400})"},
      {"unknown", R"({"type":"x","raw":null})", R"({"type":"x","raw":null})"},
  };
  for (const auto& [kind, data, kept] : table) {
    const std::string line = line_with(kind, kept);
    EXPECT_EQ(rewritten(line_with(kind, data)), line);
    EXPECT_EQ(rewritten(line), line);
  }
}

TEST(ReadEvent, PartialIsOursAndOnlyTrue) {
  EXPECT_EQ(rewritten(line_with("status", R"({"partial":true})")),
            line_with("status", R"({"partial":true})"));
  EXPECT_EQ(rewritten(line_with("status", R"({"partial":"x"})")),
            line_with("status", R"({"_partial":"x"})"));
}

TEST(ReadEvent, NullIsTheSameAsAbsent) {
  EXPECT_EQ(rewritten(line_with("command_started", R"({"command":"help","args":null})")),
            line_with("command_started", R"({"command":"help"})"));
}

TEST(ReadEvent, TheLastOfEqualKeysCounts) {
  EXPECT_EQ(rewritten(line_with("server_ready", R"({"url":"a","x":1,"url":"b","y":2,"x":3})")),
            line_with("server_ready", R"({"url":"b","x":3,"y":2})"));
  EXPECT_EQ(rewritten(line_with("server_ready", R"({"url":"a","\u0075rl":"b"})")),
            line_with("server_ready", R"({"url":"b"})"));
}

TEST(ReadEvent, UnknownFieldsAreKeptInTheirOrder) {
  const std::string line =
      line_with("status", R"({"status":"x","zeta":{"a":[1,2.50]},"alpha":null,"":true})");
  EXPECT_EQ(rewritten(line), line);
}

TEST(ReadEvent, MutatedLinesAreReadOrRefusedButNeverBreakAnything) {
  test::RandomEvents events(77);
  test::Random random(78);
  std::size_t read_all = 0;
  for (std::size_t i = 0; i < test::scaled(100000); ++i) {
    Arena arena;
    const std::string line = test::mutated(
        to_json(events.make(static_cast<Kind>(i % kKinds), arena)), random, test::kJsonAlphabet);
    Arena again;
    const Result<Event> read = read_event(line, again);
    if (!read) continue;
    ++read_all;
    const std::string written = to_json(*read);
    const Result<Event> twice = read_event(written, again);
    ASSERT_TRUE(twice) << twice.error().message << "\n" << line << "\n" << written;
    ASSERT_EQ(to_json(*twice), written) << line;
  }
  EXPECT_GT(read_all, 0u);
}

TEST(ReadEvent, HostileNumbersOfKeysCostLittle) {
  // A hundred thousand keys, distinct and equal, where comparing each with each would take minutes.
  std::string many = "{";
  for (int i = 0; i < 100000; ++i) many += "\"key" + std::to_string(i % 50000) + "\":1,";
  many += "\"last\":1}";
  const std::clock_t begin = std::clock();
  Arena arena;
  const std::string line = line_with("unknown", many);
  const Result<Event> read = read_event(line, arena);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->extra.size(), 50001u);
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
}

TEST(Timestamp, IsReadAndWrittenToTheMillisecond) {
  for (const std::string_view text :
       {"1970-01-01T00:00:00.000Z", "2026-11-15T10:05:22.104Z", "2024-02-29T23:59:59.999Z",
        "1969-12-31T23:59:59.001Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"}) {
    const auto ts = parse_timestamp(text);
    ASSERT_TRUE(ts.has_value()) << text;
    std::string written;
    append_timestamp(written, *ts);
    EXPECT_EQ(written, text);
  }
}

TEST(Timestamp, AcceptsAnyFraction) {
  const auto at = [](std::string_view text) { return parse_timestamp(text)->time_since_epoch(); };
  using std::chrono::milliseconds;
  EXPECT_EQ(at("1970-01-01T00:00:01Z"), milliseconds(1000));
  EXPECT_EQ(at("1970-01-01T00:00:01.5Z"), milliseconds(1500));
  EXPECT_EQ(at("1970-01-01T00:00:01.05Z"), milliseconds(1050));
  EXPECT_EQ(at("1970-01-01T00:00:01.123456789Z"), milliseconds(1123));
  EXPECT_EQ(at("1970-01-01T00:00:60Z"), milliseconds(60000));
}

TEST(Timestamp, RefusesWhatIsNone) {
  for (const std::string_view text : {"",
                                      "Z",
                                      "2026-11-15",
                                      "2026-11-15T10:05:22",
                                      "2026-11-15T10:05:22.Z",
                                      "2026-11-15T10:05:22.12xZ",
                                      "2026-11-15T10:05:22.1234xZ",
                                      "2026-11-15T10:05:22.-12Z",
                                      "2026-11-15T-1:05:22Z",
                                      "2026-11-15T24:05:22Z",
                                      "2026-11-15T10:60:22Z",
                                      "2026-11-15T10:05:61Z",
                                      "2026-13-15T10:05:22Z",
                                      "2026-00-15T10:05:22Z",
                                      "2026-02-29T10:05:22Z",
                                      "2026-11-31T10:05:22Z",
                                      "2026-11-00T10:05:22Z",
                                      "2026x11-15T10:05:22Z",
                                      "2026-11-15 10:05:22Z",
                                      "2026-11-15T10:05:22+00Z",
                                      "2026-11-15T10:05:22z",
                                      "+026-11-15T10:05:22Z",
                                      "2026-11-15T10:05:22.104ZZ"}) {
    EXPECT_EQ(parse_timestamp(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dragoman
