// SPDX-License-Identifier: Apache-2.0
// Writers of whole documents and of other programs' protocols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/comparing.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using Json = nlohmann::json;
using test::data_of;
using test::event_of;
using test::text_event;
using test::written;

std::vector<Json> lines(Target target, const std::vector<Event>& events) {
  std::vector<Json> out;
  const std::string bytes = written(target, events);
  std::size_t at = 0;
  for (std::size_t end = bytes.find('\n'); end != std::string::npos;
       at = end + 1, end = bytes.find('\n', at)) {
    out.push_back(Json::parse(bytes.substr(at, end - at)));
  }
  EXPECT_EQ(at, bytes.size()) << "the last line has no end";
  return out;
}

template <typename T>
Event claude(T payload, Channel channel = Channel::system) {
  return event_of(std::move(payload), Dialect::claude, channel);
}

Event session() {
  SessionStarted p;
  p.session_id = "s-1";
  p.model = "opus";
  return claude(p);
}

Event tool_started() {
  ToolStarted p;
  p.id = "t-1";
  p.tool = "Read";
  p.description = "Look";
  p.file = "/a";
  p.input = Raw{R"({"file_path":"/a"})"};
  return claude(p);
}

Event tool_finished(Outcome outcome) {
  ToolFinished p;
  p.id = "t-1";
  p.tool = "Read";
  p.outcome = outcome;
  (outcome == Outcome::ok ? p.output : p.error) = std::string_view("out");
  return claude(p);
}

Event turn(bool ok, std::string_view text) {
  TurnFinished p;
  p.ok = ok;
  p.text = text;
  p.duration_ms = Number::of(std::int64_t{1999});
  return claude(p);
}

Event status(std::string_view state, std::string_view message) {
  Status p;
  p.status = state;
  p.message = message;
  return event_of(p, Dialect::wxcode);
}

Event question(QuestionState state) {
  Question p;
  p.id = "q-1";
  p.text = "Which?";
  p.header = "H";
  p.state = state;
  p.source = QuestionSource::request_user_input;
  p.free_text = true;
  return claude(p);
}

std::vector<std::string> types(const std::vector<Json>& events) {
  std::vector<std::string> out;
  for (const Json& event : events) out.push_back(event.at("type"));
  return out;
}

TEST(AgUiWriter, WrapsARunInItsLifecycle) {
  const auto events =
      lines(Target::ag_ui, {session(), text_event("a"), text_event("b"), tool_started(),
                            tool_finished(Outcome::ok), status("in_progress", "m"),
                            status("completed", "n"), turn(true, "done")});
  EXPECT_EQ(types(events),
            (std::vector<std::string>{"RUN_STARTED", "CUSTOM", "TEXT_MESSAGE_START",
                                      "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
                                      "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS",
                                      "TOOL_CALL_END", "TOOL_CALL_RESULT", "STATE_SNAPSHOT",
                                      "STATE_DELTA", "CUSTOM", "RUN_FINISHED"}));
  const Json& run = events[0];
  EXPECT_EQ(run["threadId"], "s-1");
  EXPECT_EQ(events[2], (Json{{"type", "TEXT_MESSAGE_START"},
                             {"messageId", events[3]["messageId"]},
                             {"role", "assistant"}}));
  EXPECT_EQ(events[3]["delta"], "a");
  EXPECT_EQ(events[6],
            (Json{{"type", "TOOL_CALL_START"}, {"toolCallId", "t-1"}, {"toolCallName", "Read"}}));
  EXPECT_EQ(events[7]["delta"], R"({"file_path":"/a"})");
  EXPECT_EQ(events[9]["content"], "out");
  EXPECT_EQ(events[9]["role"], "tool");
  EXPECT_EQ(events[10]["snapshot"],
            (Json{{"status", {{"status", "in_progress"}, {"message", "m"}}}}));
  EXPECT_EQ(events[11]["delta"], Json::parse(R"([{"op":"replace","path":"/status",
                             "value":{"status":"completed","message":"n"}}])"));
  EXPECT_EQ(events[13], (Json{{"type", "RUN_FINISHED"},
                              {"threadId", "s-1"},
                              {"runId", run["runId"]},
                              {"result", "done"}}));
}

TEST(AgUiWriter, ShowsThoughtsStepsAndHowAToolFailed) {
  Thinking thinking;
  thinking.text = std::string_view("hm");
  CommandStarted command;
  command.command = "plan-phase";
  command.args = "2";
  const auto events =
      lines(Target::ag_ui, {event_of(command), claude(thinking), tool_finished(Outcome::denied)});
  EXPECT_EQ(types(events),
            (std::vector<std::string>{"RUN_STARTED", "STEP_STARTED", "CUSTOM", "REASONING_START",
                                      "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT",
                                      "REASONING_MESSAGE_END", "REASONING_END", "TOOL_CALL_START",
                                      "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT",
                                      "CUSTOM", "STEP_FINISHED", "RUN_FINISHED"}));
  EXPECT_EQ(events[8]["toolCallName"], "Read");  // nobody saw it begin
  EXPECT_EQ(events[1]["stepName"], "plan-phase 2");
  EXPECT_EQ(events[4]["role"], "reasoning");
  EXPECT_EQ(events[12]["name"], "tool_finished");
  EXPECT_EQ(events[12]["value"]["outcome"], "denied");
}

TEST(AgUiWriter, EveryStepHasANameAndEnds) {
  CommandStarted command;
  command.title = "T";
  const auto events = lines(Target::ag_ui, {event_of(command), event_of(CommandStarted{})});
  EXPECT_EQ(types(events),
            (std::vector<std::string>{"RUN_STARTED", "STEP_STARTED", "CUSTOM", "STEP_FINISHED",
                                      "STEP_STARTED", "CUSTOM", "STEP_FINISHED", "RUN_FINISHED"}));
  EXPECT_EQ(events[1]["stepName"], "T");
  EXPECT_EQ(events[4]["stepName"], "command");
}

TEST(AgUiWriter, AResultBelongsToACallAlsoWhenNobodyNamedIt) {
  ToolFinished result;
  result.id = "t-9";
  const auto events = lines(Target::ag_ui, {claude(result), claude(result)});
  EXPECT_EQ(types(events), (std::vector<std::string>{
                               "RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END",
                               "TOOL_CALL_RESULT", "TOOL_CALL_RESULT", "RUN_FINISHED"}));
}

TEST(AgUiWriter, EndsInAnErrorOrAnInterrupt) {
  Failure failure;
  failure.code = "overloaded";
  failure.message = std::string_view("later");
  EXPECT_EQ(lines(Target::ag_ui, {session(), turn(false, "x"), claude(failure)}).back(),
            (Json{{"type", "RUN_ERROR"}, {"message", "later"}, {"code", "overloaded"}}));
  const Json asked = lines(Target::ag_ui, {session(), question(QuestionState::open)}).back();
  EXPECT_EQ(asked["outcome"]["type"], "interrupt");
  EXPECT_EQ(asked["outcome"]["interrupts"][0]["id"], "q-1");
  EXPECT_EQ(asked["outcome"]["interrupts"][0]["reason"], "input_required");
  EXPECT_EQ(asked["outcome"]["interrupts"][0]["message"], "Which?");
  EXPECT_FALSE(lines(Target::ag_ui,
                     {session(), question(QuestionState::open), question(QuestionState::answered)})
                   .back()
                   .contains("outcome"));
}

TEST(AgUiWriter, CarriesTheTimesOfTheEvents) {
  Event event = session();
  event.ts = Timestamp(std::chrono::milliseconds(1700000000123));
  EXPECT_EQ(lines(Target::ag_ui, {event})[0]["timestamp"], 1700000000123);
}

TEST(AcpWriter, SendsSessionUpdates) {
  Thinking thinking;
  thinking.text = std::string_view("hm");
  const auto events =
      lines(Target::acp, {session(), text_event("a"), claude(thinking), tool_started(),
                          tool_finished(Outcome::failed), status("in_progress", "Wave 1")});
  std::vector<Json> updates;
  for (const Json& event : events) {
    EXPECT_EQ(event["jsonrpc"], "2.0");
    EXPECT_EQ(event["method"], "session/update");
    EXPECT_EQ(event["params"]["sessionId"], "s-1");
    updates.push_back(event["params"]["update"]);
  }
  ASSERT_EQ(updates.size(), 5U);
  EXPECT_EQ(updates[0], Json::parse(R"({"sessionUpdate":"agent_message_chunk",
      "content":{"type":"text","text":"a"}})"));
  EXPECT_EQ(updates[1]["sessionUpdate"], "agent_thought_chunk");
  EXPECT_EQ(updates[2], Json::parse(R"({"sessionUpdate":"tool_call","toolCallId":"t-1",
      "title":"Look","kind":"read","status":"in_progress","locations":[{"path":"/a"}],
      "rawInput":{"file_path":"/a"}})"));
  EXPECT_EQ(updates[3], Json::parse(R"({"sessionUpdate":"tool_call_update","toolCallId":"t-1",
      "status":"failed","content":[{"type":"content","content":{"type":"text","text":"out"}}],
      "rawOutput":{"text":"out"}})"));
  EXPECT_EQ(updates[4], Json::parse(R"({"sessionUpdate":"plan","entries":[
      {"content":"Wave 1","priority":"medium","status":"in_progress"}]})"));
}

TEST(AcpWriter, AToolThatNobodySawBeginHasItsName) {
  const auto messages = lines(Target::acp, {tool_finished(Outcome::ok)});
  ASSERT_EQ(messages.size(), 2U);
  const Json& call = messages[0]["params"]["update"];
  EXPECT_EQ(call["sessionUpdate"], "tool_call");
  EXPECT_EQ(call["title"], "Read");
  EXPECT_EQ(messages[1]["params"]["update"]["toolCallId"], call["toolCallId"]);
}

TEST(AcpWriter, ASessionWhoseNameComesLateStaysOne) {
  const auto messages = lines(Target::acp, {tool_started(), session(), tool_finished(Outcome::ok)});
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["params"]["sessionId"], messages[1]["params"]["sessionId"]);
}

TEST(AcpWriter, NamesOnlyPathsThatAnEditorCanOpen) {
  const auto locations = [](std::string_view file, std::string_view cwd) {
    SessionStarted started;
    started.session_id = "s";
    started.cwd = cwd;
    ToolStarted tool;
    tool.tool = "Edit";
    tool.file = file;
    const Json update = lines(Target::acp, {claude(started), claude(tool)})[0]["params"]["update"];
    return update.contains("locations") ? update["locations"].dump() : std::string();
  };
  EXPECT_EQ(locations("src/a.ts", "/home/dev"), R"([{"path":"/home/dev/src/a.ts"}])");
  EXPECT_EQ(locations("./a.ts", "/"), R"([{"path":"/a.ts"}])");
  EXPECT_EQ(locations("/etc/a", "/home/dev"), R"([{"path":"/etc/a"}])");
  EXPECT_EQ(locations("src/a.ts", ""), "");
}

TEST(AcpWriter, SaysWhatItCannotExpress) {
  const auto writer = make_writer(Target::acp);
  std::string out;
  for (const Event& event : {turn(true, "x"), question(QuestionState::open), claude(Usage{}),
                             status("failed", "m"), event_of(Failure{})}) {
    EXPECT_EQ(*writer->write(event, out), Written::no) << name(event.kind());
  }
  EXPECT_EQ(out, "");
}

std::map<std::string, Json> attributes(const Json& span) {
  std::map<std::string, Json> out;
  for (const Json& one : span["attributes"]) out[one["key"]] = one["value"].begin().value();
  return out;
}

TEST(OtlpWriter, MakesASpanOfTheRunAndOneOfEachTool) {
  Usage usage;
  usage.input_tokens = 10;
  usage.cached_input_tokens = 5;
  usage.output_tokens = 7;
  const auto document =
      lines(Target::otlp, {session(), tool_started(), status("in_progress", "m"),
                           tool_finished(Outcome::failed), turn(true, "x"), claude(usage)})[0];
  const Json spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"];
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0]["name"], "invoke_agent claude");
  EXPECT_EQ(spans[1]["name"], "execute_tool Read");
  EXPECT_EQ(spans[1]["parentSpanId"], spans[0]["spanId"]);
  EXPECT_EQ(spans[1]["traceId"], spans[0]["traceId"]);
  EXPECT_EQ(spans[0]["traceId"].get<std::string>().size(), 32U);
  EXPECT_EQ(spans[0]["spanId"].get<std::string>().size(), 16U);
  const std::map<std::string, Json> run = {
      {"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.provider.name", "anthropic"},
      {"gen_ai.agent.name", "claude"},           {"gen_ai.conversation.id", "s-1"},
      {"gen_ai.request.model", "opus"},          {"gen_ai.usage.input_tokens", "15"},
      {"gen_ai.usage.output_tokens", "7"}};
  EXPECT_EQ(attributes(spans[0]), run);
  const std::map<std::string, Json> tool = {{"gen_ai.operation.name", "execute_tool"},
                                            {"gen_ai.tool.name", "Read"},
                                            {"gen_ai.tool.call.id", "t-1"},
                                            {"gen_ai.tool.type", "function"},
                                            {"error.type", "failed"}};
  EXPECT_EQ(attributes(spans[1]), tool);
  EXPECT_EQ(spans[1]["status"], (Json{{"code", 2}, {"message", "failed"}}));
  EXPECT_EQ(spans[0]["events"][0]["name"], "dragoman.status");
  EXPECT_EQ(spans[0]["startTimeUnixNano"], "1000000");
  EXPECT_EQ(spans[1]["startTimeUnixNano"], "2000000");
  EXPECT_EQ(spans[1]["endTimeUnixNano"], "4000000");
}

TEST(OtlpWriter, TakesTheTimesOfTheEventsAndGivesTheSameIdsAgain) {
  Event first = session();
  first.ts = Timestamp(std::chrono::milliseconds(1700000000000));
  Event second = turn(false, "x");
  second.ts = Timestamp(std::chrono::milliseconds(1700000005000));
  const auto once = lines(Target::otlp, {first, second});
  EXPECT_EQ(once, lines(Target::otlp, {first, second}));
  const Json span = once[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(span["startTimeUnixNano"], "1700000000000000000");
  EXPECT_EQ(span["endTimeUnixNano"], "1700000005000000000");
  EXPECT_EQ(span["status"]["code"], 2);
}

Json envelope(const std::vector<Event>& events) { return lines(Target::delegator, events).at(0); }

TEST(DelegatorWriter, WritesAResultSet) {
  const std::vector<FileChange> files = {{"b", FileAction::modified, {}, {}},
                                         {"a", FileAction::modified, {}, {}},
                                         {"c", FileAction::created, {}, {}}};
  TestResults tests;
  tests.passed = 47;
  const Json e = envelope(
      {session(), claude(FilesChanged{files, false}), claude(tests), turn(true, "ignored")});
  EXPECT_EQ(e["schema_id"], "codex/v3.6/result_set/v1");
  EXPECT_EQ(e["status"], "ok");
  EXPECT_EQ(e["data"]["state"], "completed");
  EXPECT_EQ(e["data"]["summary"], "Modified 2 files, added 1 file; 47 tests passed");
  EXPECT_EQ(e["data"]["duration_seconds"], 1);
  EXPECT_EQ(e["data"]["metadata"]["file_operations"],
            Json::parse(R"({"modified_files":["a","b"],"added_files":["c"],"deleted_files":[],
                            "lines_changed":0})"));
  EXPECT_EQ(e["data"]["metadata"]["thread_info"]["thread_id"], "s-1");
  EXPECT_EQ(e["data"]["metadata"]["error_context"], nullptr);
}

TEST(DelegatorWriter, TellsAFailureAQuestionAndARunWithoutAnEnd) {
  Failure failure;
  failure.reason = "overloaded";
  failure.message = std::string_view("try\nlater");
  const Json failed = envelope({session(), turn(false, "x"), claude(failure)});
  EXPECT_EQ(failed["data"]["state"], "failed");
  EXPECT_EQ(failed["data"]["summary"], "Task failed: try later");
  EXPECT_EQ(failed["data"]["metadata"]["error_context"]["error_type"], "overloaded");

  const Json asks = envelope({session(), question(QuestionState::open), turn(true, "x")});
  EXPECT_EQ(asks["data"]["state"], "working");
  EXPECT_EQ(asks["data"]["pending_questions"][0]["text"], "Which?");
  EXPECT_FALSE(asks["data"].contains("completed_ts"));

  const Json cut = envelope({session(), text_event("half")});
  EXPECT_EQ(cut["data"]["state"], "failed");
  EXPECT_EQ(cut["data"]["metadata"]["error_context"]["error_type"], "incomplete");
  EXPECT_EQ(written(Target::delegator, {}), "");
}

TEST(DelegatorWriter, APausedRunIsNotCompleted) {
  const Json paused = envelope({session(), status("paused", "to be reviewed"), turn(true, "x")});
  EXPECT_EQ(paused["data"]["state"], "failed");
  EXPECT_EQ(paused["data"]["summary"], "Task failed: The agent paused: to be reviewed");
  EXPECT_EQ(paused["data"]["metadata"]["error_context"]["error_type"], "incomplete");
  const Json resumed =
      envelope({session(), status("paused", "m"), status("in_progress", "n"), turn(true, "x")});
  EXPECT_EQ(resumed["data"]["state"], "completed");
}

TEST(DelegatorWriter, ABlockWaitsUntilTheSessionIsResumed) {
  Blocked blocked;
  blocked.reason = "no url";
  const Event stuck = event_of(blocked, Dialect::markers);
  EXPECT_EQ(envelope({session(), stuck, turn(true, "x")})["data"]["state"], "working");
  EXPECT_EQ(envelope({session(), stuck, session(), turn(true, "x")})["data"]["state"], "completed");
  EXPECT_EQ(envelope({stuck, session(), turn(true, "x")})["data"]["state"], "working");
}

TEST(DelegatorWriter, NumbersThatNobodyCanBelieveStayWithinTheSchema) {
  TurnFinished turn;
  turn.ok = true;
  turn.duration_ms = Number::of(1e300);
  Usage usage;
  usage.input_tokens = 1;
  usage.cached_input_tokens = 100;
  usage.final = true;
  const Json e = envelope({session(), event_of(usage, Dialect::codex), claude(turn)});
  EXPECT_EQ(e["data"]["duration_seconds"], 1'000'000'000'000'000);
  EXPECT_EQ(e["data"]["metadata"]["thread_info"]["cache_hit_rate"], 1.0);
}

TEST(DelegatorWriter, ABlockIsWrittenAsTheQuestionItIs) {
  const std::vector<std::string_view> lines = {"I tried .env", "and the README"};
  Blocked blocked;
  blocked.reason = "no url";
  blocked.context = lines;
  const Event stuck = event_of(blocked, Dialect::markers);
  const Json asked = envelope({session(), stuck, turn(true, "x")})["data"]["pending_questions"];
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0]["kind"], "blocked");
  EXPECT_EQ(asked[0]["text"], "no url");
  EXPECT_EQ(asked[0]["context"], Json::array({"I tried .env", "and the README"}));
  EXPECT_EQ(asked[0]["free_text"], true);
  EXPECT_EQ(asked[0]["blocking"], true);

  // A supervisor's question about the same block stands alone.
  Question question;
  question.id = "q-1";
  question.kind = QuestionKind::blocked;
  question.text = "no url";
  const Json once = envelope(
      {session(), stuck, event_of(question, Dialect::markers)})["data"]["pending_questions"];
  ASSERT_EQ(once.size(), 1U);
  EXPECT_EQ(once[0]["id"], "q-1");
}

TEST(DelegatorWriter, WhatWaitsForAnAnswerIsReadBackAsItWas) {
  const std::vector<std::string_view> lines = {"I tried .env"};
  Question question;
  question.id = "q-1";
  question.kind = QuestionKind::blocked;
  question.source = QuestionSource::marker;
  question.state = QuestionState::unanswered;
  question.header = "Blocked";
  question.text = "no url";
  question.context = lines;
  question.free_text = true;
  question.blocking = false;
  question.secret = true;
  const std::string line =
      written(Target::delegator, {session(), event_of(question, Dialect::markers)});
  EventList read;
  const auto reader = make_reader(Dialect::delegator);
  reader->push(line, read);
  reader->finish(read);
  std::vector<std::string> said;
  for (const Event& event : read.events()) said.push_back(data_of(event));
  EXPECT_THAT(said, testing::Contains(data_of(event_of(question, Dialect::markers))));
}

TEST(DelegatorWriter, CutsTheMiddleOutOfLongOutput) {
  const std::string output(70000, 'x');
  const Json e = envelope({text_event(output), turn(true, "x")})["data"]["output"];
  EXPECT_EQ(e["truncated"], true);
  EXPECT_EQ(e["original_size"], 70000);
  const std::string kept = e["stdout"];
  EXPECT_EQ(kept, std::string(32757, 'x') + "\n... [truncated] ...\n" + std::string(32758, 'x'));
  EXPECT_EQ(kept.size(), e["max_bytes"]);
}

TEST(DelegatorWriter, ReadsBackWhatItSaid) {
  const std::vector<FileChange> files = {{"a", FileAction::modified, {}, {}},
                                         {"c", FileAction::created, {}, {}}};
  TestResults tests;
  tests.passed = 2;
  tests.failed = 1;
  const std::vector<TestCase> cases = {{"broken", "failed", {}}};
  tests.tests = cases;
  Usage usage;
  usage.input_tokens = 12000;
  usage.cached_input_tokens = 11160;
  usage.output_tokens = 3500;
  usage.scope = UsageScope::run;
  usage.final = true;
  SessionStarted started;
  started.session_id = "thread_1";
  const std::string first = written(
      Target::delegator, {event_of(started), event_of(FilesChanged{files, false}), event_of(tests),
                          event_of(usage), question(QuestionState::open), turn(true, "done")});
  const auto read = [](const std::string& bytes) {
    auto list = std::make_unique<EventList>();
    const auto reader = make_reader(Dialect::delegator);
    reader->push(bytes, *list);
    reader->finish(*list);
    return list;
  };
  const auto once = read(first);
  std::vector<std::string> said;
  for (const Event& event : once->events()) said.push_back(data_of(event));
  ASSERT_GE(said.size(), 5U);
  EXPECT_EQ(said[0], R"(session_started {"session_id":"thread_1"})");
  EXPECT_EQ(said[1], R"(files_changed {"files":[{"path":"a","action":"modified"},)"
                     R"({"path":"c","action":"created"}],"claimed":false})");
  EXPECT_EQ(said[3], R"(usage {"input_tokens":12000,"cached_input_tokens":11160,)"
                     R"("output_tokens":3500,"scope":"run","final":false})");
  // Once more: what an envelope said, an envelope says again.
  const auto writer = make_writer(Target::delegator);
  std::string second;
  for (const Event& event : once->events()) ASSERT_TRUE(writer->write(event, second));
  writer->finish(second);
  std::vector<std::string> again;
  const auto twice = read(second);
  for (const Event& event : twice->events()) again.push_back(data_of(event));
  EXPECT_EQ(again, said);
}

}  // namespace
}  // namespace dragoman
