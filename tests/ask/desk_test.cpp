// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/desk.hpp"

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    question.labels = {"Cookie", "Header", "Both"};
    question.descriptions = {"", "", ""};
    question.blocking = true;
    return question;
  }
};

TEST_F(DeskTest, ReadsNumbersLabelsAndFreeText) {
  QuestionRecord question = choice();
  EXPECT_EQ(value_of(read_answer(question, "2", Literal::no)), (GivenAnswer{{2}, "Header"}));
  EXPECT_EQ(value_of(read_answer(question, "Cookie", Literal::no)), (GivenAnswer{{1}, "Cookie"}));
  EXPECT_EQ(value_of(read_answer(question, " cookie ", Literal::no)), (GivenAnswer{{1}, "Cookie"}));
  for (const char* bad : {"4", "0", "", "1,2", "something", "99999999999999999999"}) {
    EXPECT_FALSE(read_answer(question, bad, Literal::no)) << bad;
  }
  question.multi_select = true;
  EXPECT_EQ(value_of(read_answer(question, "3, 1,1", Literal::no)),
            (GivenAnswer{{1, 3}, "Cookie, Both"}));
  question.free_text = true;
  EXPECT_EQ(value_of(read_answer(question, "in memory", Literal::no)),
            (GivenAnswer{{}, "in memory"}));
  EXPECT_EQ(value_of(read_answer(question, "2", Literal::yes)), (GivenAnswer{{}, "2"}));
  question.labels.clear();
  EXPECT_EQ(value_of(read_answer(question, "2", Literal::no)), (GivenAnswer{{}, "2"}));
}

TEST_F(DeskTest, TheFirstValidAnswerWinsAndLaterOnesHearIt) {
  ASSERT_TRUE(desk_.open(choice()));
  EXPECT_FALSE(desk_.answer("q1", "7", Literal::no, "cli"));  // refused, and still open
  const auto first = value_of(desk_.answer("q1", "2", Literal::no, "cli"));
  EXPECT_TRUE(first.accepted);
  const auto second = value_of(desk_.answer("T-local-1/q1", "1", Literal::no, "web"));
  EXPECT_FALSE(second.accepted);
  EXPECT_EQ(second.question.answer, "Header");
  EXPECT_EQ(second.question.answered_by, "cli");
  EXPECT_TRUE(value_of(desk_.open_questions()).empty());
  EXPECT_FALSE(value_of(desk_.withdraw("T-local-1/q1")));
}

QuestionRecord a_permission() {
  QuestionRecord question;
  question.task_id = "T-local-1";
  question.id = "p";
  question.kind = "approval";
  question.source = "permission";
  question.text = "Allow Bash: make?";
  question.labels = {"Allow", "Deny", "Allow for this session"};
  question.descriptions = {"", "", "Bash(make *)"};
  question.grants = {"allow_once", "deny", "allow_session"};
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
    const QuestionRecord question = value_of(desk_.answer("p", typed, Literal::no, "cli")).question;
    EXPECT_EQ(question.decision, decision);
    EXPECT_EQ(question.answer, answer);
    EXPECT_EQ(settled_words(question), words);
    EXPECT_EQ(value_of(desk_.find("p")).wants, question.wants);
    EXPECT_EQ(answer_of(question).text, typed == "no: use npm" ? "use npm" : "");
  }
  EXPECT_EQ(asked_words(a_permission()), "Allow Bash?\n$ make");
}

TEST_F(DeskTest, WhatIsNoAnswerLeavesAPermissionOpen) {
  ASSERT_TRUE(desk_.open(a_permission()));
  for (const char* typed : {"\x1b[B", "use npm", "always", "4", "", "y\x7f"}) {
    const auto refused = desk_.answer("p", typed, Literal::no, "cli");
    ASSERT_FALSE(refused) << typed;
    EXPECT_EQ(refused.error().code, ErrorCode::validation);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("answer with y, n, session, 1 to 3"));
  }
  for (const char* words : {"\x1b[B", "y", "Allow"})
    EXPECT_FALSE(desk_.answer("p", words, Literal::yes, "cli")) << words;
  EXPECT_EQ(value_of(desk_.find("p")).state, "open");
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
      value_of(desk_.answer("p", "no: not today", Literal::no, "cli")).question;
  EXPECT_EQ(question.decision, "deny");
  EXPECT_EQ(question.chosen, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(settled_words(question), "denied: not today");
}

TEST_F(DeskTest, OfManyWhoAnswerAtOnceOneIsAccepted) {
  ASSERT_TRUE(desk_.open(choice()));
  std::atomic<int> accepted = 0;
  std::vector<std::thread> people;
  for (int i = 0; i < 8; ++i) {
    people.emplace_back([&, i] {
      if (value_of(desk_.answer("q1", i % 2 == 0 ? "1" : "2", Literal::no, "x")).accepted)
        ++accepted;
    });
  }
  for (auto& person : people) person.join();
  EXPECT_EQ(accepted, 1);
}

TEST_F(DeskTest, TheSameQuestionOfTwoTasksIsAskedForByItsFullName) {
  ASSERT_TRUE(desk_.open(choice("T-local-1")));
  ASSERT_TRUE(desk_.open(choice("T-local-2")));
  const auto unclear = desk_.answer("q1", "1", Literal::no, "cli");
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().message, testing::HasSubstr("T-local-2/q1"));
  EXPECT_TRUE(value_of(desk_.answer("T-local-2/q1", "1", Literal::no, "cli")).accepted);
  EXPECT_EQ(value_of(desk_.open_questions("T-local-1")).size(), 1U);
  EXPECT_EQ(desk_.find("nothing").error().code, ErrorCode::not_found);
}

TEST_F(DeskTest, WaitingWakesOnTheAnswer) {
  ASSERT_TRUE(desk_.open(choice()));
  EXPECT_EQ(value_of(desk_.wait("T-local-1/q1", 1ms)), std::nullopt);
  std::optional<QuestionRecord> got;
  std::thread waiter([&] { got = value_of(desk_.wait("T-local-1/q1", 30s)); });
  value_of(desk_.answer("q1", "3", Literal::no, "cli"));
  waiter.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->chosen, (std::vector<std::int64_t>{3}));
}

TEST_F(DeskTest, EveryStepIsAuditedAndASecretAnswerIsNot) {
  QuestionRecord question = choice();
  question.labels.clear();
  question.secret = true;
  ASSERT_TRUE(desk_.open(question));
  const auto outcome = value_of(desk_.answer("q1", "hunter2hunter2", Literal::no, "cli"));
  EXPECT_EQ(outcome.question.answer, "");
  EXPECT_EQ(desk_.unsealed(outcome.question).answer, "hunter2hunter2");
  ASSERT_TRUE(desk_.forget("T-local-1/q1"));
  EXPECT_EQ(desk_.unsealed(outcome.question).answer, "");
  std::string all;
  for (auto& entry : value_of(log_->read("audit", 1, 100))) all += entry.body + "\n";
  EXPECT_THAT(all, testing::HasSubstr("\"asked\""));
  EXPECT_THAT(all, testing::HasSubstr("\"answered\""));
  EXPECT_THAT(all, testing::HasSubstr("\"by\":\"cli\""));
  EXPECT_THAT(all, testing::Not(testing::HasSubstr("hunter2")));
  EXPECT_EQ(value_of(desk_.find("q1")).answer, "");
}

TEST_F(DeskTest, AKeyThatWasTypedAsAnAnswerIsNotKept) {
  QuestionRecord question = choice();
  question.labels.clear();
  question.descriptions.clear();
  const std::string key = "ghp" + ("_" + std::string(36, 'D'));
  ASSERT_TRUE(desk_.open(question));
  value_of(desk_.answer("q1", key, Literal::no, "cli"));
  const QuestionRecord answered = value_of(desk_.find("q1"));
  EXPECT_EQ(answered.answer, "[REDACTED:github_token]");
  EXPECT_EQ(desk_.unsealed(answered).answer, key) << "for the agent it is whole";
  EXPECT_EQ(value_of(desk_.answer("q1", "2", Literal::no, "web")).question, answered)
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
  question.state = "answered";
  question.answer = "use sk-ant" + ("-api03-" + std::string(40, 'D'));
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
  const auto outcome = value_of(desk.answer("q1", key, Literal::no, "cli"));
  EXPECT_EQ(desk.unsealed(outcome.question).answer, key) << "for the agent it is whole";
  EXPECT_EQ(shown_answer(outcome.question), "[REDACTED:github_token]");
  ASSERT_TRUE(desk.forget("T-local-1/q1"));
  EXPECT_EQ(value_of(desk.find("q1")).answer, "[REDACTED:github_token]");
}

}  // namespace
}  // namespace dragoman::ask
