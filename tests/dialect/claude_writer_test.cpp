// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "tests/support/comparing.hpp"
#include "tests/support/files.hpp"
#include "tests/support/random_speech.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using test::comparable;
using test::data_of;
using test::event_of;
using test::expect_same_events;
using test::RandomSpeech;
using test::text_event;
using test::Values;
using test::written;

Event said(std::string_view text, std::int64_t block) {
  DisplayText payload;
  payload.text = text;
  payload.block = block;
  return event_of(payload, Dialect::claude, Channel::assistant_text);
}

template <typename T>
Event native(T payload) {
  return event_of(std::move(payload), Dialect::claude, Channel::system);
}

std::unique_ptr<EventList> read_claude(std::string_view bytes) {
  auto list = std::make_unique<EventList>();
  const auto reader = make_reader(Dialect::claude);
  reader->push(bytes, *list);
  reader->finish(*list);
  return list;
}

// Text is not compared: markers bring their lines for people with them, also into a result that
// repeats it.
std::vector<std::string> events_of(std::span<const Event> events) {
  std::vector<std::string> out;
  for (Event event : events) {
    const bool compared = event.kind() != Kind::diagnostic && event.kind() != Kind::text;
    if (auto* turn = std::get_if<TurnFinished>(&event.payload)) turn->text = {};
    if (compared) out.push_back(data_of(comparable(event)));
  }
  return out;
}

std::ptrdiff_t mismatches(std::string_view bytes) {
  const auto list = read_claude(bytes);
  return std::ranges::count_if(list->events(), [](const Event& event) {
    const auto* finding = event.as<Diagnostic>();
    return finding != nullptr && finding->rule == "result_mismatch";
  });
}

TEST(ClaudeWriter, WritesALineForEachBlock) {
  SessionStarted session;
  session.session_id = "s-1";
  session.model = "m";
  ToolStarted tool;
  tool.id = "t-1";
  tool.tool = "Bash";
  tool.input = Raw{R"({"command": "ls"})"};
  ToolFinished done;
  done.id = "t-1";
  done.tool = "Bash";
  done.output = std::string_view("a\n");
  EXPECT_EQ(
      written(Target::claude,
              {native(session), said("Hel", 0), said("lo", 0), native(tool), native(done)}),
      R"({"type":"system","subtype":"init","session_id":"s-1","model":"m"})"
      "\n"
      R"({"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",)"
      R"("content":[{"type":"text","text":"Hello"}]},"parent_tool_use_id":null,"session_id":"s-1"})"
      "\n"
      R"({"type":"assistant","message":{"id":"msg_2","type":"message","role":"assistant","model":"m",)"
      R"("content":[{"type":"tool_use","id":"t-1","name":"Bash","input":{"command":"ls"}}]},)"
      R"("parent_tool_use_id":null,"session_id":"s-1"})"
      "\n"
      R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t-1","type":"tool_result",)"
      R"("content":"a\n"}]},"parent_tool_use_id":null,"session_id":"s-1"})"
      "\n");
}

TEST(ClaudeWriter, PutsUsageAndFailureIntoTheResult) {
  TurnFinished turn;
  turn.subtype = "success";
  turn.text = std::string_view("overloaded");
  Usage usage;
  usage.output_tokens = 3;
  usage.cost_usd = 0.5;
  usage.scope = UsageScope::turn;
  usage.final = true;
  Failure failure;
  failure.code = "overloaded";
  failure.message = std::string_view("try later");
  EXPECT_EQ(written(Target::claude, {native(turn), native(usage), native(failure)}),
            R"({"type":"result","subtype":"success","is_error":true,"result":"overloaded",)"
            R"("usage":{"output_tokens":3},"total_cost_usd":0.5,"errors":["try later"],)"
            R"("api_error":"overloaded"})"
            "\n");
}

TEST(ClaudeWriter, PutsWhatOnlyMarkersSayIntoTheAssistantsText) {
  Blocked blocked{"no url", {}};
  const auto list = read_claude(
      written(Target::claude, {event_of(NextAction{"help", {}, "d", "optional"}, Dialect::wxcode),
                               event_of(blocked, Dialect::markers)}));
  ASSERT_EQ(list->events().size(), 3U);
  EXPECT_EQ(data_of(list->events()[0]),
            R"(next_action {"command":"help","description":"d","priority":"optional"})");
  EXPECT_EQ(data_of(list->events()[1]),
            R"(text {"text":"\n\n**Next:** `/wxcode:help` — d\n\n","block":0})");
  EXPECT_EQ(data_of(list->events()[2]), R"(blocked {"reason":"no url","context":[]})");
}

TEST(ClaudeWriter, SaysWhatItCannotExpress) {
  const auto writer = make_writer(Target::claude);
  std::string out;
  Usage thread;
  thread.scope = UsageScope::thread;
  const std::vector<FileChange> files = {{"a", FileAction::created, {}, {}}};
  for (const Event& event :
       {native(Finished{}), native(thread), native(Diagnostic{}),
        native(FilesChanged{files, false}), event_of(Unknown{"x", Raw{"{}"}}, Dialect::codex)}) {
    EXPECT_EQ(*writer->write(event, out), Written::no) << name(event.kind());
  }
  writer->finish(out);
  EXPECT_EQ(out, "");
}

TEST(ClaudeWriter, WritesCapturesThatReadBackAsTheyWere) {
  int captures = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() / "tests/data/captures/claude")) {
    if (entry.path().extension() != ".jsonl") continue;
    // A reply to a request of ours has no line that we write.
    if (entry.path().stem() == "control-initialize") continue;
    ++captures;
    const auto once = read_claude(test::read_file(entry.path()));
    const auto writer = make_writer(Target::claude);
    std::string out;
    std::vector<Event> wanted;
    for (const Event& event : once->events()) {
      const auto result = writer->write(event, out);
      ASSERT_TRUE(result) << entry.path() << ": " << result.error().message;
      if (*result == Written::yes) wanted.push_back(event);
    }
    writer->finish(out);
    expect_same_events(events_of(read_claude(out)->events()), events_of(wanted));
    if (HasFatalFailure()) FAIL() << entry.path();
  }
  EXPECT_GT(captures, 60);
}

// One random event of those that have lines of their own.
class RandomTurns {
 public:
  explicit RandomTurns(std::uint64_t seed) : speech_(seed, Values::any) {}

  Event next(Arena& arena) {
    test::Random& random = speech_.random();
    if (!open_tool_.empty() && random.one_in(2)) return end_tool(arena);
    switch (random.below(6)) {
      case 0:
        return said(speech_.some_text(arena), block_++);
      case 1: {
        Thinking p;
        p.text = speech_.text(arena);
        return event_of(p, Dialect::claude, Channel::thinking);
      }
      case 2:
        return open_tool_.empty() ? start_tool(arena) : said(speech_.some_text(arena), block_++);
      case 3:
        return marker(speech_.wxcode(arena), Dialect::wxcode);
      case 4:
        return marker(speech_.comment(arena), Dialect::question);
      default:
        return marker(speech_.bracket(arena), Dialect::markers);
    }
  }

 private:
  static Event marker(const Payload& payload, Dialect dialect) {
    Event event = event_of(payload, dialect, Channel::assistant_text);
    event.origin.via = Dialect::claude;
    return event;
  }
  Event start_tool(Arena& arena) {
    ToolStarted p;
    open_tool_ = "toolu_" + std::to_string(++tools_);
    p.id = arena.copy(std::string_view(open_tool_));
    tool_ = arena.copy(std::string_view("T" + speech_.value()));
    p.tool = tool_;
    p.description = speech_.text(arena);
    p.command = speech_.text(arena);
    p.file = speech_.text(arena);
    std::string input;
    json::Writer(input)
        .begin_object()
        .key("command")
        .text(p.command)
        .key("description")
        .string(p.description)
        .key("file_path")
        .string(p.file)
        .end_object();
    p.input = Raw{arena.copy(std::string_view(input))};
    return native(p);
  }
  Event end_tool(Arena& arena) {
    ToolFinished p;
    p.id = arena.copy(std::string_view(open_tool_));
    p.tool = tool_;
    p.outcome = static_cast<Outcome>(speech_.random().below(3));
    (p.outcome == Outcome::ok ? p.output : p.error) = speech_.text(arena);
    open_tool_.clear();
    return native(p);
  }

  RandomSpeech speech_;
  std::int64_t block_ = 0;
  int tools_ = 0;
  std::string open_tool_;
  std::string_view tool_;
};

TEST(ClaudeWriter, RandomTurnsReadBackAsTheyWere) {
  const std::size_t documents = test::scaled(1'000'000 / 16);
  for (std::size_t i = 0; i < documents; ++i) {
    RandomTurns turns(i);
    Arena arena;
    const auto writer = make_writer(Target::claude);
    std::string out;
    std::vector<std::string> wanted;
    for (int n = 0; n < 16; ++n) {
      const Event event = turns.next(arena);
      const auto result = writer->write(event, out);
      if (!result) continue;  // a path or name that cannot be listed
      if (*result == Written::yes && event.kind() != Kind::text) {
        wanted.push_back(data_of(comparable(event)));
      }
    }
    writer->finish(out);
    std::vector<std::string> got;
    const auto list = read_claude(out);
    for (const Event& event : list->events()) {
      const bool compared = event.kind() != Kind::text && event.kind() != Kind::diagnostic;
      const auto* end = event.as<ToolFinished>();
      if (end != nullptr && end->outcome == Outcome::abandoned) continue;  // open at the end
      if (compared) got.push_back(data_of(comparable(event)));
    }
    // Values that a line cannot hold are mended in bracket markers: there kinds are compared.
    ASSERT_EQ(got.size(), wanted.size()) << out;
    for (std::size_t n = 0; n < got.size(); ++n) {
      const std::string kind = wanted[n].substr(0, wanted[n].find(' '));
      ASSERT_EQ(got[n].substr(0, got[n].find(' ')), kind) << out;
      const bool exact = kind == "tool_started" || kind == "tool_finished" || kind == "thinking" ||
                         kind == "command_started" || kind == "next_action" || kind == "failure";
      if (exact) {
        ASSERT_EQ(got[n], wanted[n]) << out;
      }
    }
  }
}

std::string converted(std::string_view bytes, Dialect dialect, Target target) {
  EventList list;
  const auto reader = make_reader(dialect);
  reader->push(bytes, list);
  reader->finish(list);
  const auto writer = make_writer(target);
  std::string out;
  for (const Event& event : list.events()) (void)writer->write(event, out);
  writer->finish(out);
  return out;
}

TEST(ClaudeWriter, AMessageThatBeginsWithAMarkerStaysOneMessage) {
  const std::string message =
      R"({"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant",)"
      R"("content":[{"type":"text","text":"<!-- WXCODE:HEADER:{\"command\":\"a\",\"args\":\"\",)"
      R"(\"title\":\"T\"} -->\n## T\n\nHello\n"}]},"parent_tool_use_id":null})"
      "\n";
  EXPECT_EQ(converted(message, Dialect::claude, Target::claude), message);
}

TEST(ClaudeWriter, MarkersOfTwoMessagesStayInTwoMessages) {
  const auto message = [](std::string_view id, std::string_view text) {
    std::string line = R"({"type":"assistant","message":{"id":")";
    line.append(id).append(R"(","type":"message","role":"assistant","content":[)");
    line.append(R"({"type":"text","text":)");
    json::append_string(line, text);
    return line + "}]},\"parent_tool_use_id\":null}\n";
  };
  const std::string both =
      message("msg_1", "<!--GOTO:one-->\n") + message("msg_2", "<!--GOTO:two-->\n\nwords\n");
  EXPECT_EQ(converted(both, Dialect::claude, Target::claude), both);
}

TEST(ClaudeWriter, ConvertingAgainChangesNothingMore) {
  int runs = 0;
  for (const Dialect dialect : {Dialect::claude, Dialect::codex}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             test::source_dir() / "tests/data/captures" / name(dialect))) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string once = converted(test::read_file(entry.path()), dialect, Target::claude);
      EXPECT_EQ(converted(once, Dialect::claude, Target::claude), once) << entry.path();
      ++runs;
    }
  }
  EXPECT_GE(runs, 120);
}

TEST(ClaudeWriter, AResultThatRepeatsTheLastMessageStillDoesWhenItIsWritten) {
  int with_result = 0;
  for (const Dialect dialect : {Dialect::claude, Dialect::codex}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             test::source_dir() / "tests/data/captures" / name(dialect))) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string bytes = test::read_file(entry.path());
      const std::string out = converted(bytes, dialect, Target::claude);
      EXPECT_LE(mismatches(out), mismatches(bytes)) << entry.path();
      with_result += out.find(R"("result":)") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(with_result, 60);
}

TEST(ClaudeWriter, AResultThatSaysSomethingElseIsLeftAsItIs) {
  TurnFinished turn;
  turn.ok = true;
  turn.text = std::string_view("other <!-- GOTO: x -->");
  const std::string out = written(
      Target::claude, {said("words", 0), event_of(GoTo{"x"}, Dialect::question), native(turn)});
  EXPECT_NE(out.find(R"("result":"other <!-- GOTO: x -->")"), std::string::npos) << out;
}

// A line without an end is cut too, and so is a fence that is never closed.
TEST(ClaudeWriter, ATextThatDoesNotEndIsWrittenInBlocksOfOneMessage) {
  const std::string paragraph = std::string(200, 'x') + "\n" + std::string(200, 'y') + "\n\n";
  for (const std::string& start : {std::string(), std::string("```\n")}) {
    for (const std::string& piece : {paragraph, std::string(400, 'z')}) {
      const auto writer = make_writer(Target::claude);
      std::string out;
      std::string wanted = start;
      ASSERT_TRUE(writer->write(text_event(start), out));
      std::size_t largest_held = 0;
      while (wanted.size() < (std::size_t{8} << 20U)) {
        ASSERT_TRUE(writer->write(text_event(piece), out));
        wanted += piece;
        largest_held = std::max(largest_held, wanted.size() - std::min(wanted.size(), out.size()));
      }
      writer->finish(out);
      EXPECT_LT(largest_held, std::size_t{3} << 20U);
      std::string words;
      const auto list = read_claude(out);
      for (const Event& event : list->events()) {
        if (const auto* text = event.as<DisplayText>()) words += text->text.str();
      }
      EXPECT_TRUE(words == wanted) << words.size() << " of " << wanted.size();
      EXPECT_GE(std::ranges::count(out, '\n'), 6);
      EXPECT_EQ(out.find("msg_2"), std::string::npos);
    }
  }
}

TEST(ClaudeWriter, MarkersBehindACutAreHonoured) {
  const auto writer = make_writer(Target::claude);
  std::string out;
  const std::string code = "```\n" + std::string(std::size_t{1} << 20U, 'x') + "\n";
  ASSERT_TRUE(writer->write(text_event(code), out));
  ASSERT_TRUE(writer->write(text_event("```\n"), out));
  ASSERT_TRUE(writer->write(event_of(GoTo{"x"}, Dialect::question), out));
  writer->finish(out);
  const auto list = read_claude(out);
  EXPECT_EQ(std::ranges::count(list->events(), Kind::go_to, &Event::kind), 1);
}

TEST(ClaudeWriter, AToolThatLeftWordsHasAResultWhateverBecameOfIt) {
  ToolStarted tool;
  tool.id = "t-1";
  tool.tool = "Bash";
  ToolFinished done;
  done.id = "t-1";
  done.tool = "Bash";
  done.outcome = Outcome::abandoned;
  done.output = std::string_view("all good");
  const std::string out = written(Target::claude, {native(tool), native(done)});
  EXPECT_NE(
      out.find(
          R"({"tool_use_id":"t-1","type":"tool_result","content":"all good","is_error":true})"),
      std::string::npos)
      << out;
}

TEST(ClaudeWriter, AToolThatNobodySawBeginHasItsName) {
  ToolFinished done;
  done.id = "t-1";
  done.tool = "apply_patch";
  done.outcome = Outcome::failed;
  done.error = std::string_view("no");
  const auto read = read_claude(written(Target::claude, {native(done)}));
  ASSERT_EQ(read->events().size(), 2U);
  EXPECT_EQ(read->events()[0].as<ToolStarted>()->tool, "apply_patch");
  EXPECT_EQ(read->events()[1].as<ToolFinished>()->tool, "apply_patch");
}

// What an agent tells of its tools proves nothing about files.
TEST(ClaudeWriter, AToolThatWasOnlyToldOfChangesNoFile) {
  const std::vector<Event> told = {
      event_of(ToolStarted{.id = "w",
                           .tool = "Edit",
                           .description = "d",
                           .file = "src/a.ts",
                           .mcp_tool = "mcp__x__y"},
               Dialect::wxcode, Channel::stdout_),
      event_of(ToolFinished{.id = "w", .tool = "Edit"}, Dialect::wxcode, Channel::stdout_)};
  const auto read = read_claude(written(Target::claude, told));
  std::vector<Kind> kinds;
  for (const Event& event : read->events()) kinds.push_back(event.kind());
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::tool_started, Kind::tool_finished}));
  EXPECT_EQ(read->events()[0].as<ToolStarted>()->file, "src/a.ts");
  EXPECT_EQ(read->events()[0].as<ToolStarted>()->mcp_tool, "mcp__x__y");
}

}  // namespace
}  // namespace dragoman
