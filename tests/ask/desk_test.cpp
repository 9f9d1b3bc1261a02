// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/desk.hpp"

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/event/names.hpp"
#include "tests/log/engines.hpp"

namespace dragoman::ask {
namespace {

using test::value_of;
using namespace std::chrono_literals;

class DeskTest : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  Desk desk_{*log_};

  static QuestionRecord choice(const char* task = "T-local-1", const char* id = "q1") {
    QuestionRecord question;
    question.task_id = task;
    question.id = id;
    question.text = "Where do tokens live?";
    question.options = {{"Cookie"}, {"Header"}, {"Both"}};
    question.blocking = true;
    return question;
  }
};

// What is read already is not read again: its text may look like anything.
TEST_F(DeskTest, AnAnswerIsTypedLiteralByNumberOrMeant) {
  QuestionRecord question = choice();
  question.free_text = true;
  const auto given = [&](const Reply& reply) {
    EXPECT_TRUE(desk_.open(question));
    const auto outcome = desk_.answer(reply, "cli");
    return outcome ? shown_answer(outcome->question) : outcome.error().message;
  };
  EXPECT_EQ(given({.id = "q1", .typed = "2"}), "Header");
  EXPECT_EQ(given({.id = "q1", .text = "2"}), "2");
  EXPECT_EQ(given({.id = "q1", .options = {{3}}}), "Both");
  EXPECT_EQ(given({.id = "q1", .meant = Answer{{1}, ""}}), "Cookie");
  EXPECT_EQ(given({.id = "q1", .meant = Answer{{}, "2"}}), "2");
  EXPECT_EQ(given({.id = "q1", .meant = Answer{{4}, ""}}),
            "there is no option 4; answer with 1 to 3, or text of your own");
}

TEST_F(DeskTest, TheFirstValidAnswerWinsAndLaterOnesHearIt) {
  ASSERT_TRUE(desk_.open(choice()));
  EXPECT_FALSE(desk_.answer({.id = "q1", .typed = "7"}, "cli"));  // refused, and still open
  const auto first = value_of(desk_.answer({.id = "q1", .typed = "2"}, "cli"));
  EXPECT_TRUE(first.accepted);
  const auto second = value_of(desk_.answer({.id = "T-local-1/q1", .typed = "1"}, "web"));
  EXPECT_FALSE(second.accepted);
  EXPECT_EQ(shown_answer(second.question), "Header");
  EXPECT_EQ(second.question.answered_by, "cli");
  EXPECT_TRUE(value_of(desk_.open_questions()).empty());
  EXPECT_FALSE(value_of(desk_.withdraw("T-local-1/q1")));
}

QuestionRecord a_permission() {
  QuestionRecord question;
  question.task_id = "T-local-1";
  question.id = "p";
  question.kind = QuestionKind::approval;
  question.source = QuestionSource::permission;
  question.text = "Allow Bash: make?";
  question.options = {{"Allow", "", Grant::allow_once},
                      {"Deny", "", Grant::deny},
                      {"Allow for this session", "Bash(make *)", Grant::allow_session}};
  question.free_text = true;
  question.wants = KeptWants::read(R"({"tool":"Bash","command":"make"})");
  return question;
}

TEST_F(DeskTest, APermissionIsDecidedInWords) {
  const std::vector<std::array<std::string, 4>> rows = {
      {"y", "allow_once", "Allow", "allowed"},
      {"session", "allow_session", "Allow for this session", "allowed for this session"},
      {"n", "deny", "Deny", "denied"},
      {"no: use npm", "deny", "use npm", "denied: use npm"},
  };
  for (const auto& [typed, decision, answer, words] : rows) {
    ASSERT_TRUE(desk_.open(a_permission()));
    const QuestionRecord question =
        value_of(desk_.answer({.id = "p", .typed = typed}, "cli")).question;
    EXPECT_EQ(name(question.decision.value()), decision);
    EXPECT_EQ(shown_answer(question), answer);
    EXPECT_EQ(settled_words(question), words);
    EXPECT_EQ(value_of(desk_.find("p")).wants, question.wants);
    EXPECT_EQ(question.answer.text, typed == "no: use npm" ? "use npm" : "");
  }
  EXPECT_EQ(asked_words(a_permission()), "Allow Bash?\n$ make");
}

TEST_F(DeskTest, WhatIsNoAnswerLeavesAPermissionOpen) {
  ASSERT_TRUE(desk_.open(a_permission()));
  for (const char* typed : {"\x1b[B", "use npm", "always", "4", "", "y\x7f"}) {
    const auto refused = desk_.answer({.id = "p", .typed = typed}, "cli");
    ASSERT_FALSE(refused) << typed;
    EXPECT_EQ(refused.error().code, ErrorCode::validation);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("answer with y, n, session, 1 to 3"));
  }
  for (const char* words : {"\x1b[B", "y", "Allow"})
    EXPECT_FALSE(desk_.answer({.id = "p", .text = words}, "cli")) << words;
  EXPECT_EQ(value_of(desk_.find("p")).state, QuestionState::open);
}

// As a database has it from before options said what they grant.
TEST_F(DeskTest, AnOldRecordOfAPermissionIsReadAndAnswered) {
  const std::string old =
      R"({"task_id":"T-local-1","id":"p","kind":"approval","source":"permission","state":"open",)"
      R"("header":"Permission","text":"Allow Bash: make?","labels":["Allow","Deny"],)"
      R"("descriptions":["",""],"free_text":true,"blocking":true,"asked_at":1})";
  const auto written = log_->write({Put{"questions", {"T-local-1/p", old, 0, "open", 1}, 0}});
  ASSERT_TRUE(written && written->front().applied);
  EXPECT_TRUE(value_of(desk_.find("p")).wants.empty());
  const QuestionRecord question =
      value_of(desk_.answer({.id = "p", .typed = "no: not today"}, "cli")).question;
  EXPECT_EQ(question.decision, Grant::deny);
  EXPECT_EQ(question.answer, (Answer{{2}, "not today"}));
  EXPECT_EQ(settled_words(question), "denied: not today");
}

// As every database has them: what is read is written back in the same bytes.
TEST(StoredQuestion, StaysAsItIs) {
  const std::string asked =
      R"({"task_id":"r-k3vqm2xa","id":"p","kind":"approval","source":"permission","state":"answered",)"
      R"("header":"Permission","text":"Allow Bash?","labels":["Allow","Deny"],)"
      R"("descriptions":["","stop"],"grants":["allow_once","deny"],"free_text":true,)"
      R"("context":["why"],"blocking":true,"wants":{"tool":"Bash","command":"make"},)"
      R"("asked_at":1,"settled_at":2,"chosen":[2],)";
  struct Row {
    std::string stored;
    Answer answer;
  };
  const std::vector<Row> rows = {
      {asked + R"("answer":"Deny","decision":"deny","answered_by":"cli"})", {{2}, ""}},
      {asked + R"("answer":"use npm","decision":"deny","answered_by":"cli"})", {{2}, "use npm"}},
      {asked + R"("answer":"[hidden]","decision":"deny","sealed":"answer-0f"})", {{2}, "[hidden]"}},
      {R"({"task_id":"r-k3vqm2xa","id":"q","kind":"question","source":"comment","state":"answered",)"
       R"("text":"Which?","labels":["A","B","C"],"descriptions":["","",""],"multi_select":true,)"
       R"("chosen":[1,3],"answer":"A, C"})",
       {{1, 3}, ""}},
      {R"({"task_id":"r-k3vqm2xa","id":"q","kind":"blocked","source":"marker","state":"answered",)"
       R"("text":"no url","free_text":true,"secret":true,"sealed":"answer-0f"})",
       {}},
      {R"({"task_id":"r-k3vqm2xa","id":"failure","kind":"failure","source":"dragoman",)"
       R"("state":"answered","text":"it broke","labels":["Retry","Abort"],)"
       R"("descriptions":["again","leave it"],"chosen":[1],"answer":"Retry"})",
       {{1}, ""}},
      {R"({"task_id":"r-k3vqm2xa","id":"test","kind":"question","source":"dragoman",)"
       R"("state":"unanswered","text":"Does it work?","free_text":true})",
       {}},
  };
  for (const Row& row : rows) {
    const QuestionRecord question = value_of(question_in({"k", row.stored, 7}));
    EXPECT_EQ(question.answer, row.answer) << row.stored;
    EXPECT_EQ(to_json(question), row.stored);
  }
}

TEST_F(DeskTest, OfManyWhoAnswerAtOnceOneIsAccepted) {
  ASSERT_TRUE(desk_.open(choice()));
  std::atomic<int> accepted = 0;
  std::vector<std::thread> people;
  for (int i = 0; i < 8; ++i) {
    people.emplace_back([&, i] {
      if (value_of(desk_.answer({.id = "q1", .typed = i % 2 == 0 ? "1" : "2"}, "x")).accepted)
        ++accepted;
    });
  }
  for (auto& person : people) person.join();
  EXPECT_EQ(accepted, 1);
}

TEST_F(DeskTest, TheSameQuestionOfTwoTasksIsAskedForByItsFullName) {
  ASSERT_TRUE(desk_.open(choice("T-local-1")));
  ASSERT_TRUE(desk_.open(choice("T-local-2")));
  const auto unclear = desk_.answer({.id = "q1", .typed = "1"}, "cli");
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().message, testing::HasSubstr("T-local-2/q1"));
  EXPECT_TRUE(value_of(desk_.answer({.id = "T-local-2/q1", .typed = "1"}, "cli")).accepted);
  EXPECT_EQ(value_of(desk_.open_questions("T-local-1")).size(), 1U);
  EXPECT_EQ(desk_.find("nothing").error().code, ErrorCode::not_found);
}

TEST_F(DeskTest, WaitingWakesOnTheAnswer) {
  ASSERT_TRUE(desk_.open(choice()));
  EXPECT_EQ(value_of(desk_.wait("T-local-1/q1", 1ms)), std::nullopt);
  std::optional<QuestionRecord> got;
  std::thread waiter([&] { got = value_of(desk_.wait("T-local-1/q1", 30s)); });
  value_of(desk_.answer({.id = "q1", .typed = "3"}, "cli"));
  waiter.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->answer, (Answer{{3}, ""}));
}

TEST_F(DeskTest, EveryStepIsAuditedAndASecretAnswerIsNot) {
  QuestionRecord question = choice();
  question.options.clear();
  question.secret = true;
  ASSERT_TRUE(desk_.open(question));
  const auto outcome = value_of(desk_.answer({.id = "q1", .typed = "hunter2hunter2"}, "cli"));
  EXPECT_EQ(outcome.question.answer.text, "");
  EXPECT_EQ(desk_.unsealed(outcome.question).answer.text, "hunter2hunter2");
  ASSERT_TRUE(desk_.forget("T-local-1/q1"));
  EXPECT_EQ(desk_.unsealed(outcome.question).answer.text, "");
  std::string all;
  for (auto& entry : value_of(log_->read("audit", 1, 100))) all += entry.body + "\n";
  EXPECT_THAT(all, testing::HasSubstr("\"asked\""));
  EXPECT_THAT(all, testing::HasSubstr("\"answered\""));
  EXPECT_THAT(all, testing::HasSubstr("\"by\":\"cli\""));
  EXPECT_THAT(all, testing::Not(testing::HasSubstr("hunter2")));
  EXPECT_EQ(value_of(desk_.find("q1")).answer.text, "");
}

TEST_F(DeskTest, AKeyThatWasTypedAsAnAnswerIsNotKept) {
  QuestionRecord question = choice();
  question.options.clear();
  const std::string key = "ghp" + ("_" + std::string(36, 'D'));
  ASSERT_TRUE(desk_.open(question));
  value_of(desk_.answer({.id = "q1", .typed = key}, "cli"));
  const QuestionRecord answered = value_of(desk_.find("q1"));
  EXPECT_EQ(answered.answer.text, "[REDACTED:github_token]");
  EXPECT_EQ(desk_.unsealed(answered).answer.text, key) << "for the agent it is whole";
  EXPECT_EQ(value_of(desk_.answer({.id = "q1", .typed = "2"}, "web")).question, answered)
      << "who comes late sees as little";
  for (const char* file : {"", "-wal"})
    EXPECT_EQ(test::read_file(engine_.path() + file).find(key), std::string::npos) << file;
  ASSERT_TRUE(desk_.forget("T-local-1/q1"));
  EXPECT_EQ(value_of(desk_.find("q1")).sealed, "");
  EXPECT_TRUE(std::filesystem::is_empty(log_->private_directory()));
  for (const auto& entry : value_of(log_->read("audit", 1, 100)))
    EXPECT_EQ(entry.body.find(key), std::string::npos) << entry.body;
}

// A log of several machines has no private place, so the record has the true words for the agent.
TEST(ShownAnswer, AKeyThatIsStillInTheRecordIsNotShown) {
  QuestionRecord question;
  question.task_id = "T-local-1";
  question.id = "q1";
  question.state = QuestionState::answered;
  question.answer.text = "use sk-ant" + ("-api03-" + std::string(40, 'D'));
  EXPECT_EQ(shown_answer(question), "use [REDACTED:anthropic_key]");
  std::string listed;
  json::Writer w(listed);
  put_question(w, question);
  EXPECT_THAT(listed, testing::HasSubstr(R"("answer":"use [REDACTED:anthropic_key]")"));
  question.secret = true;
  EXPECT_EQ(shown_answer(question), "");
}

TEST(FleetDesk, AKeyWaitsForTheAgentAloneAndIsForgottenThen) {
  if (!test::NatsEngine::available()) GTEST_SKIP() << "no nats-server";
  test::NatsEngine engine;
  const std::unique_ptr<Log> log = engine.open();
  Desk desk(*log);
  QuestionRecord question;
  question.task_id = "T-local-1";
  question.id = "q1";
  const std::string key = "ghp" + ("_" + std::string(36, 'D'));
  ASSERT_TRUE(desk.open(question));
  const auto outcome = value_of(desk.answer({.id = "q1", .typed = key}, "cli"));
  EXPECT_EQ(desk.unsealed(outcome.question).answer.text, key) << "for the agent it is whole";
  EXPECT_EQ(shown_answer(outcome.question), "[REDACTED:github_token]");
  ASSERT_TRUE(desk.forget("T-local-1/q1"));
  EXPECT_EQ(value_of(desk.find("q1")).answer.text, "[REDACTED:github_token]");
}

}  // namespace
}  // namespace dragoman::ask
