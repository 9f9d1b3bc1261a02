// SPDX-License-Identifier: Apache-2.0
// Streams and transcripts of several turns: what was answered is answered, and no turn ends
// another.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/event/keep.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

const std::string kAsk =
    R"(Which way? <!--QUESTION:{"questions":[{"question":"JWT or cookies?","header":"Auth","options":[{"label":"JWT","description":""},{"label":"Cookies","description":""}]}]}-->)";

std::string init() {
  return R"({"type":"system","subtype":"init","session_id":"s","cwd":"/w","tools":[],"mcp_servers":[]})"
         "\n";
}
std::string said(std::string_view words) {
  return fmt::format(
      R"({{"type":"assistant","session_id":"s","message":{{"role":"assistant","content":[{{"type":"text","text":{}}}]}}}})"
      "\n",
      json_string(words));
}
std::string user(std::string_view words, std::string_view more = "") {
  return fmt::format(
      R"({{"type":"user","session_id":"s"{},"message":{{"role":"user","content":[{{"type":"text","text":{}}}]}}}})"
      "\n",
      more, json_string(words));
}
std::string result(bool good = true) {
  return fmt::format(
      R"({{"type":"result","subtype":"{}","is_error":{},"session_id":"s","num_turns":1}})"
      "\n",
      good ? "success" : "error_during_execution", !good);
}

std::string thread_started(std::string_view id = "t") {
  return fmt::format(R"({{"type":"thread.started","thread_id":"{}"}})"
                     "\n",
                     id);
}
std::string codex_turn(std::string_view words) {
  return fmt::format(R"({{"type":"turn.started"}}
{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":{}}}}}
{{"type":"turn.completed","usage":{{"input_tokens":1,"output_tokens":1}}}}
)",
                     json_string(words));
}

RunSummary summary_of(const std::string& stream, Dialect dialect = Dialect::claude) {
  RunFold fold;
  const auto reader = make_reader(dialect);
  reader->push(stream, fold);
  reader->finish(fold);
  return fold.summary();
}

VerdictKind kind_of(const std::string& stream, Dialect dialect = Dialect::claude) {
  return judge(summary_of(stream, dialect), {}).kind;
}

TEST(Turns, AQuestionInWordsIsAnsweredByTheNextMessageOfTheUser) {
  const std::string asked = init() + said(kAsk) + result();
  EXPECT_EQ(kind_of(asked), VerdictKind::question);
  const std::string answered = asked + user("JWT") + init() + said("Done.") + result();
  const RunSummary run = summary_of(answered);
  ASSERT_EQ(run.questions.size(), 1U);
  EXPECT_EQ(run.questions[0].state, QuestionState::answered);
  EXPECT_EQ(run.questions[0].answer, "JWT");
  EXPECT_EQ(run.questions[0].text, "JWT or cookies?");
  EXPECT_EQ(kind_of(answered), VerdictKind::completed);
  EXPECT_FALSE(judge(run, {}).has("question"));
  // Asked again, it waits again.
  EXPECT_EQ(kind_of(answered + user("Go on.") + init() + said(kAsk) + result()),
            VerdictKind::question);
}

TEST(Turns, ABlockIsResumedByTheNextMessageOfTheUser) {
  const std::string blocked = init() + said("[BLOCKED] No database\n") + result();
  EXPECT_EQ(kind_of(blocked), VerdictKind::blocked);
  EXPECT_EQ(kind_of(blocked + user("It is there now.") + init() + said("Done.") + result()),
            VerdictKind::completed);
}

TEST(Turns, WhatTheProgramPutsIntoTheUsersMouthIsNoAnswer) {
  const std::string asked = init() + said(kAsk) + result();
  const std::string tool_result =
      R"({"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"y"}]}})"
      "\n";
  for (const std::string& line :
       {user("[Request interrupted by user]"), user("x", R"(,"isMeta":true)"),
        user("x", R"(,"isSynthetic":true)"), user("x", R"(,"isCompactSummary":true)"),
        user("x", R"(,"parent_tool_use_id":"toolu_1")"), user("x", R"(,"isSidechain":true)"),
        user("<local-command-stdout>x</local-command-stdout>"),
        user("<task-notification>\nx</task-notification>"), user("  \n"), tool_result}) {
    const RunSummary run = summary_of(asked + line);
    ASSERT_EQ(run.questions.size(), 1U);
    EXPECT_EQ(run.questions[0].state, QuestionState::open) << line;
  }
  EXPECT_EQ(summary_of(asked + user("<b>JWT</b>")).questions[0].answer, "<b>JWT</b>");
}

TEST(Turns, ATranscriptIsReadTheSame) {
  const auto line = [](std::string_view type, std::string_view content) {
    return fmt::format(
        R"({{"type":"{}","sessionId":"s","cwd":"/w","version":"2.0.1","message":{{"role":"{}","content":{}}}}})"
        "\n",
        type, type, content);
  };
  const std::string words =
      line("assistant", fmt::format(R"([{{"type":"text","text":{}}}])", json_string(kAsk)));
  const auto state = [](const std::string& transcript) {
    return summary_of(transcript).questions.at(0).state;
  };
  EXPECT_EQ(state(words), QuestionState::open);
  EXPECT_EQ(state(words + line("user", R"("Cookies")")), QuestionState::answered);
}

std::string tool_use(std::string_view id) {
  return fmt::format(
      R"({{"type":"assistant","session_id":"s","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"{}","name":"AskUserQuestion","input":{{"questions":[{{"question":"JWT or cookies?","header":"Auth","options":[{{"label":"JWT"}},{{"label":"Cookies"}}]}}]}}}}]}}}})"
      "\n",
      id);
}
std::string rejected(std::string_view id) {
  return fmt::format(
      R"({{"type":"user","session_id":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{}","is_error":true,"content":"The user doesn't want to proceed"}}]}}}})"
      "\n",
      id);
}

// The user closes the dialog and types, or the stream does not have what became of the dialog.
TEST(Turns, AQuestionOfADialogIsAnsweredByTheNextMessageOfTheUserToo) {
  const std::string note = user("[Request interrupted by user for tool use]");
  for (const std::string& passed : {rejected("t") + note, rejected("t"), result(), std::string()}) {
    const std::string asked = init() + tool_use("t") + passed;
    EXPECT_NE(summary_of(asked).questions.at(0).state, QuestionState::answered) << passed;
    EXPECT_EQ(kind_of(asked), VerdictKind::question) << passed;
    const std::string answered = asked + user("  JWT, please");
    const RunSummary run = summary_of(answered);
    ASSERT_EQ(run.questions.size(), 1U);
    EXPECT_EQ(run.questions[0].state, QuestionState::answered) << passed;
    EXPECT_EQ(run.questions[0].answer, "JWT, please");
    EXPECT_EQ(run.questions[0].text, "JWT or cookies?");
    EXPECT_EQ(kind_of(answered), VerdictKind::incomplete) << passed;
    const std::string done = answered + init() + said("Done.") + result();
    EXPECT_EQ(kind_of(done), VerdictKind::completed) << passed;
    // A later message answers nothing more, and one asked again is asked again.
    EXPECT_EQ(summary_of(done + user("And now?")).questions.at(0).answer, "JWT, please");
    EXPECT_EQ(kind_of(done + tool_use("t2") + result()), VerdictKind::question) << passed;
  }
}

// Who is asked over the control protocol answers there, whatever else is said meanwhile.
TEST(Turns, ADialogThatWaitsForAResponseIsAnsweredByThatAlone) {
  const std::string request =
      R"({"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t","input":{"questions":[{"question":"JWT or cookies?","options":[]}]}}})"
      "\n";
  const std::string asked = init() + tool_use("t") + request;
  EXPECT_EQ(summary_of(asked + user("Also the tests.")).questions.at(0).state, QuestionState::open);
  EXPECT_EQ(summary_of(asked + rejected("t") + user("JWT")).questions.at(0).answer, "JWT");
}

TEST(Turns, ARequestOfCodexIsAnsweredByTheNextMessageOfTheUser) {
  const std::string asked = thread_started() +
                            R"({"type":"turn.started"}
{"type":"request_user_input","call_id":"c","questions":[{"id":"auth","question":"JWT or cookies?"},{"id":"key","question":"Key?","isSecret":true}]}
)";
  const std::string words =
      R"({"type":"item.completed","item":{"id":"u","type":"userMessage","content":[{"type":"text","text":"JWT"}]}})"
      "\n";
  EXPECT_EQ(kind_of(asked, Dialect::codex), VerdictKind::question);
  const RunSummary run = summary_of(asked + words, Dialect::codex);
  ASSERT_EQ(run.questions.size(), 2U);
  EXPECT_EQ(run.questions[0].answer, "JWT");
  EXPECT_EQ(run.questions[1].state, QuestionState::answered);
  EXPECT_EQ(run.questions[1].answer, "");
  EXPECT_EQ(kind_of(asked + words + codex_turn("Done."), Dialect::codex), VerdictKind::completed);
}

TEST(Turns, CodexIsAnsweredToo) {
  const std::string asked =
      R"({"type":"thread.started","thread_id":"t"})"
      "\n"
      R"({"type":"turn.started"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":)" +
      json_string(kAsk) +
      "}}\n"
      R"({"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}})"
      "\n";
  const std::string answered =
      asked +
      R"({"type":"turn.started"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"u","type":"userMessage","content":[{"type":"text","text":"JWT"}]}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"j","type":"agent_message","text":"Done."}})"
      "\n";
  EXPECT_EQ(kind_of(asked, Dialect::codex), VerdictKind::question);
  EXPECT_EQ(summary_of(answered, Dialect::codex).questions.at(0).answer, "JWT");
  EXPECT_EQ(kind_of(answered, Dialect::codex), VerdictKind::incomplete);
  EXPECT_EQ(kind_of(answered + R"({"type":"turn.completed","usage":{}})" + "\n", Dialect::codex),
            VerdictKind::completed);
}

TEST(Turns, AConvertedRunWaitsForNothingThatWasAnswered) {
  for (const std::string& asked : {kAsk, std::string("[BLOCKED] No database\n")}) {
    const std::string stream =
        init() + said(asked) + result() + user("JWT") + init() + said("Done.") + result();
    EventList list;
    const auto reader = make_reader(Dialect::claude);
    reader->push(stream, list);
    reader->finish(list);
    const auto writer = make_writer(Target::delegator);
    std::string out;
    for (const Event& event : list.events()) (void)writer->write(event, out);
    writer->finish(out);
    EXPECT_THAT(out, testing::HasSubstr(R"("state":"completed")")) << asked;
    EXPECT_THAT(out, testing::Not(testing::HasSubstr("pending_questions"))) << asked;
  }
}

TEST(Turns, ATurnThatBeganAndDidNotEndIsNotCompletedByAnEarlierOne) {
  const std::string first = init() + said("Done.") + result();
  EXPECT_EQ(kind_of(first), VerdictKind::completed);
  const std::string tool =
      R"({"type":"assistant","session_id":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}})"
      "\n";
  for (const std::string& rest : {user("And the tests?"), said("Now the tests."), tool}) {
    const Verdict verdict = judge(summary_of(first + rest), {});
    EXPECT_EQ(verdict.kind, VerdictKind::incomplete) << rest;
    EXPECT_TRUE(verdict.has("turn_unfinished")) << rest;
    EXPECT_EQ(judge(summary_of(first + rest), {.exit_code = 0}).kind, VerdictKind::incomplete);
  }
  EXPECT_EQ(kind_of(first + user("And the tests?") + init() + said("They pass.") + result()),
            VerdictKind::completed);
}

// A program that was started again and died at once says no more than that it was there.
TEST(Turns, AProgramThatBeganAnewAndSaidNothingIsNotCompletedByAnEarlierTurn) {
  const auto incomplete = [](const std::string& stream, Dialect dialect) {
    const Verdict verdict = judge(summary_of(stream, dialect), {.exit_code = 0});
    EXPECT_EQ(verdict.kind, VerdictKind::incomplete) << stream;
    EXPECT_TRUE(verdict.has("turn_unfinished")) << stream;
  };
  const std::string other = R"({"type":"system","subtype":"init","session_id":"other","cwd":"/w"})"
                            "\n";
  const std::string claude = init() + said("Done.") + result();
  for (const std::string& again : {init(), other}) {
    incomplete(claude + again, Dialect::claude);
    EXPECT_EQ(kind_of(claude + again + said("Done.") + result()), VerdictKind::completed);
  }
  const std::string codex = thread_started() + codex_turn("Done.");
  for (const std::string& again : {thread_started(), thread_started("other")}) {
    incomplete(codex + again, Dialect::codex);
    EXPECT_EQ(kind_of(codex + again + codex_turn("Done."), Dialect::codex), VerdictKind::completed);
  }
}

// In a run each start of the agent has a reader of its own, and the answer is told in between.
VerdictKind kind_of_starts(Dialect dialect, const std::string& first, const std::string& second,
                           QuestionSource source) {
  RunFold fold(dialect);
  const auto start = [&](const std::string& stream) {
    const auto reader = make_reader(dialect);
    reader->push(stream, fold);
    reader->finish(fold);
  };
  start(first);
  const RunSummary before = fold.summary();
  const std::string id = before.questions.empty() ? "q" : before.questions.front().id;
  Question answer;
  answer.id = id;
  answer.kind = before.questions.empty() ? QuestionKind::blocked : QuestionKind::question;
  answer.source = source;
  answer.state = QuestionState::answered;
  Event answered;
  answered.payload = answer;
  answered.origin.dialect = dialect;
  fold.on_event(answered);
  start(second);
  return judge(fold.summary(), {.exit_code = 0}).kind;
}

TEST(Turns, AStartThatWasAnsweredIsNotCompletedByTheOneBefore) {
  struct Row {
    Dialect dialect;
    std::string asked;
    std::string begun;
    std::string ended;
  };
  const std::string done = said("Done.") + result();
  const std::vector<Row> rows = {
      {Dialect::claude, init() + said(kAsk) + result(), init(), done},
      {Dialect::claude, init() + said("[BLOCKED] No database\n") + result(), init(), done},
      {Dialect::codex, thread_started() + codex_turn(kAsk), thread_started(), codex_turn("Done.")},
  };
  for (const Row& row : rows) {
    for (const QuestionSource source :
         {QuestionSource::comment, QuestionSource::marker, QuestionSource::ask_user_question,
          QuestionSource::request_user_input}) {
      const auto kind = [&](const std::string& second) {
        return kind_of_starts(row.dialect, row.asked, second, source);
      };
      EXPECT_EQ(kind(row.begun), VerdictKind::incomplete) << row.asked;
      EXPECT_EQ(kind(""), VerdictKind::incomplete) << row.asked;
      EXPECT_EQ(kind(row.begun + row.ended), VerdictKind::completed) << row.asked;
    }
  }
}

TEST(Turns, AClaimMadeBeforeAnAnswerIsNoEndOfWhatFollows) {
  Question answer;
  answer.id = "q";
  answer.source = QuestionSource::marker;
  answer.state = QuestionState::answered;
  Event answered;
  answered.payload = answer;
  answered.origin.dialect = Dialect::markers;
  const auto kind = [&](Dialect dialect, const std::string& before, const std::string& after) {
    RunFold fold(dialect);
    const auto first = make_reader(dialect);
    first->push(before, fold);
    first->finish(fold);
    fold.on_event(answered);
    const auto second = make_reader(dialect);
    second->push(after, fold);
    second->finish(fold);
    return judge(fold.summary(), {.exit_code = 0}).kind;
  };
  const std::string claim = "[CODEX_COMPLETE] Task completed in 3 iterations\n";
  EXPECT_EQ(kind(Dialect::markers, claim, "nothing\n"), VerdictKind::incomplete);
  EXPECT_EQ(kind(Dialect::markers, "x\n", claim), VerdictKind::completed);
  const std::string status =
      "<!-- WXCODE:STATUS:{\"status\":\"completed\",\"message\":\"Done\"} -->\n";
  EXPECT_EQ(kind(Dialect::wxcode, status, "nothing\n"), VerdictKind::incomplete);
  EXPECT_EQ(kind(Dialect::wxcode, "x\n", status), VerdictKind::completed);
}

TEST(Turns, TheTimeoutOfTheDelegatorsDocumentIsATimeout) {
  const auto error = [](std::string_view code, std::string_view message, std::string_view details) {
    return fmt::format(
        R"({{"version":"3.6","schema_id":"codex/v3.6/execution_ack/v1","tool":"_codex_local_exec","tool_category":"execution_ack","request_id":"uuid","ts":"2025-11-18T10:10:22Z","status":"error","meta":{{}},)"
        R"("error":{{"code":"{}","message":"{}","details":{},"retryable":false,"duration_ms":305000}}}})"
        "\n",
        code, message, details);
  };
  const RunSummary document = summary_of(
      error(
          "TIMEOUT", "Task exceeded idle timeout (5 minutes with no output)",
          R"({"timeout_type":"idle","elapsed_seconds":305,"partial_results":{"last_events":[{"type":"turn.started","turnId":"turn_001"},{"type":"item.completed","itemId":"item_001"}],"last_output":"Last 64KB of stdout/stderr..."}})"),
      Dialect::delegator);
  EXPECT_EQ(judge(document, {}).kind, VerdictKind::timeout);
  EXPECT_EQ(judge(document, {}).exit_code, 124);
  EXPECT_EQ(document.turns.duration_ms, 305000);
  // And as it is abbreviated further below.
  const std::string abbreviated =
      R"({"status":"error","error":{"code":"TIMEOUT","message":"Task exceeded hard timeout","details":{"timeout_type":"hard","elapsed_seconds":1205}}})"
      "\n";
  EXPECT_EQ(judge(summary_of(abbreviated, Dialect::delegator), {}).exit_code, 124);
  const auto kind = [&](std::string_view code, std::string_view details) {
    return kind_of(error(code, "m", details), Dialect::delegator);
  };
  EXPECT_EQ(kind("TOOL_ERROR", "{}"), VerdictKind::failed);
  EXPECT_EQ(kind("TOOL_ERROR", R"({"state":"cancelled"})"), VerdictKind::cancelled);
  EXPECT_EQ(kind("NOT_FOUND", R"({"reason":"session_expired","state":"failed"})"),
            VerdictKind::failed);
  // About the call, not the end of a task.
  EXPECT_EQ(kind("VALIDATION", R"({"state":"completed"})"), VerdictKind::incomplete);
  EXPECT_EQ(kind("NOT_FOUND", "{}"), VerdictKind::incomplete);
}

}  // namespace
}  // namespace dragoman
