// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

struct DetectionRow {
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
  std::vector<DetectionRow> rows = {
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
      {R"({"type":"result","result":"done","is_error":false})", Dialect::claude},
      {R"({"type":"result","result":"done"})", Dialect::text},
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
  for (const DetectionRow& row : rows) EXPECT_EQ(detected(row.input), row.dialect) << row.input;
}

TEST(Detection, UpToTwentyLinesOfNoiseMayPrecedeTheStream) {
  const auto with_noise = [](int lines) {
    std::string input;
    for (int i = 0; i < lines; ++i) input += "npm WARN " + std::to_string(i) + "\n\n";
    return input + "{\"type\":\"turn.started\"}\n";
  };
  EXPECT_EQ(detected(with_noise(20)), Dialect::codex);
  EXPECT_EQ(detected(with_noise(21)), Dialect::text);
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

// What was read, with a pause behind each of the pieces, and how the words came out.
struct Paused {
  Dialect dialect = Dialect::text;
  Lines outline;
};

Paused detect_with_pauses(const Lines& pieces) {
  const auto reader = make_detecting_reader();
  EventList list;
  std::uint64_t bytes = 0;
  std::uint64_t newlines = 0;
  for (const std::string& piece : pieces) {
    reader->push(piece, list);
    reader->idle(list);
    bytes += piece.size();
    newlines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  reader->finish(list);
  EXPECT_TRUE(tiles(list.records(), bytes));
  EXPECT_EQ(reader->lines(), newlines);
  Paused paused{reader->dialect(), {}};
  for (const Event& event : list.events()) {
    std::string line = std::to_string(event.origin.offset) + " " +
                       std::to_string(event.origin.line) + " " + std::string(name(event.kind()));
    if (const auto* p = event.as<DisplayText>()) line += " " + p->text.str();
    paused.outline.push_back(line);
  }
  return paused;
}

TEST(Detection, APauseShowsTheTextAndDecidesNothing) {
  const Paused slow =
      detect_with_pauses({"npm warn", " old\n\n", "{\"type\":\"error\",\"message\":\"x\"}\n",
                          "{\"type\":\"tur", "n.started\"}\n", "[PROGRESS] x\n"});
  EXPECT_EQ(slow.dialect, Dialect::codex);
  EXPECT_EQ(slow.outline, (Lines{"0 1 text npm warn", "8 1 text  old\n\n",
                                 "14 3 text {\"type\":\"error\",\"message\":\"x\"}\n",
                                 "45 4 status", "69 5 text [PROGRESS] x", "69 5 diagnostic"}));

  // The end of a line that was shown belongs to the text, whatever follows it at once.
  const Paused cut = detect_with_pauses({"npm w", "arn\n{\"type\":\"turn.started\"}\n"});
  EXPECT_EQ(cut.dialect, Dialect::codex);
  EXPECT_EQ(cut.outline, (Lines{"0 1 text npm w", "5 1 text arn\n", "9 2 status"}));
}

TEST(Detection, AMarkerBeforeAPauseDecides) {
  const Paused marker = detect_with_pauses({"[PROGRESS] x\n", "{\"type\":\"turn.started\"}\n"});
  EXPECT_EQ(marker.dialect, Dialect::markers);
  EXPECT_EQ(marker.outline, (Lines{"0 1 status", "13 2 text {\"type\":\"turn.started\"}\n"}));
}

TEST(Detection, TwentyLinesDecideHoweverManyPausesAreBetweenThem) {
  Lines pieces(21, "words\n");
  pieces.emplace_back("{\"type\":\"turn.started\"}\n");
  EXPECT_EQ(detect_with_pauses(pieces).dialect, Dialect::text);
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

class FirstDialect final : public EventSink {
 public:
  explicit FirstDialect(const Reader& reader) : reader_(reader) {}
  void on_event(const Event& /*event*/) override {
    if (!told.has_value()) told = reader_.dialect();
  }
  std::optional<Dialect> told;

 private:
  const Reader& reader_;
};

// A view wants to know how to show the first words.
TEST(Detection, TellsTheDialectBeforeTheFirstWords) {
  const std::vector<std::pair<std::string_view, Dialect>> rows = {
      {"# Title\n\nwords\n<!-- WXCODE:STATUS:{\"status\":\"pending\"} -->\n", Dialect::wxcode},
      {"words\n[PROGRESS] x\n<!-- WXCODE:STATUS:{} -->\n", Dialect::markers},
      {"words\n```\n[PROGRESS] x\n```\n", Dialect::text}};
  for (const auto& [input, dialect] : rows) {
    const auto reader = make_detecting_reader();
    FirstDialect sink(*reader);
    reader->push(input, sink);
    reader->finish(sink);
    EXPECT_EQ(sink.told, dialect) << input;
    EXPECT_EQ(reader->dialect(), dialect) << input;
  }
}

}  // namespace
}  // namespace dragoman::test
