// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/question.hpp"

#include <gtest/gtest.h>

#include "dragoman/agent/pending.hpp"
#include "dragoman/dialect/reader.hpp"

namespace dragoman::agent {
namespace {

KeptQuestion question(bool several, bool free) {
  KeptQuestion asked;
  asked.id = "q";
  asked.text = "Which?";
  asked.options = {{"OAuth2", "with a provider"}, {"JWT", ""}, {"None", ""}};
  asked.multi_select = several;
  asked.free_text = free;
  return asked;
}

struct Typed {
  std::string typed;
  bool several;
  bool free;
  std::string words;  // of the answer
  std::string error = {};
};

TEST(ReadAnswer, TakesNumbersLabelsAndWords) {
  const std::vector<Typed> table = {
      {"1", false, false, "OAuth2"},
      {" 2\n", false, false, "JWT"},
      {"JWT", false, false, "JWT"},
      {"jwt", false, false, "JWT"},
      {"1,3", true, false, "OAuth2, None"},
      {"3, 1,1", true, false, "OAuth2, None"},
      {"something else", false, true, "something else"},
      {"4", false, true, "", "there is no option 4; answer with 1 to 3, or text of your own"},
      {"0", false, false, "", "there is no option 0; answer with 1 to 3"},
      {"99999999999999999999999", false, false, "", "there is no such option; answer with 1 to 3"},
      {"-1", false, true, "", "there is no such option; answer with 1 to 3, or text of your own"},
      {"- 1", false, true, "- 1"},
      {"1,2", false, false, "", "only one can be chosen; answer with 1 to 3"},
      {"something else", false, false, "", "that is not one of the options; answer with 1 to 3"},
      {"", true, false, "", "an answer is empty; answer with 1 to 3, several with commas between"},
      {"  ", false, true, "", "an answer is empty; answer with 1 to 3, or text of your own"},
  };
  for (const Typed& row : table) {
    const KeptQuestion asked = question(row.several, row.free);
    const auto answer = read_answer(asked, row.typed);
    EXPECT_EQ(answer ? answer_words(asked, *answer) : "", row.words) << row.typed;
    EXPECT_EQ(answer ? "" : answer.error().message, row.error) << row.typed;
  }
}

TEST(ReadAnswer, WithoutOptionsANumberIsText) {
  KeptQuestion asked = question(false, true);
  asked.options.clear();
  EXPECT_EQ(*read_answer(asked, "42"), (Answer{{}, "42"}));
}

TEST(LiteralAnswer, IsNeverTakenForANumber) {
  EXPECT_EQ(*literal_answer(question(false, true), "1"), (Answer{{}, "1"}));
}

KeptQuestion a_permission() {
  KeptQuestion asked = question(false, true);
  asked.kind = QuestionKind::approval;
  asked.source = QuestionSource::permission;
  asked.options = {{"Allow", "", Grant::allow_once}, {"Deny", "", Grant::deny}};
  asked.wants = KeptWants::read(R"({"tool":"Bash","command":"make"})");
  return asked;
}

TEST(KeptQuestion, OfAPermissionKeepsWhatIsWanted) {
  const KeptQuestion asked = a_permission();
  with_payload(
      asked, QuestionState::answered, "why",
      [&](const Question& payload) {
        EXPECT_EQ(keep_question(payload), asked);
        EXPECT_EQ(payload.decision, Grant::deny);
        EXPECT_EQ(payload.wants->command, "make");
      },
      Grant::deny);
}

// As recordings and databases have it from before options said what they grant.
TEST(ReadAnswer, OfAnOldPermissionMeansTheSame) {
  KeptQuestion asked = a_permission();
  for (Choice& choice : asked.options) choice.grants.reset();
  EXPECT_EQ(*read_answer(asked, "y"), (Answer{{1}, {}}));
  EXPECT_EQ(*read_answer(asked, "no: why"), (Answer{{2}, "why"}));
  EXPECT_EQ(decision_of(asked, *read_answer(asked, "n")), Grant::deny);
  asked.source = QuestionSource::comment;
  EXPECT_EQ(*read_answer(asked, "y"), (Answer{{}, "y"})) << "that is any question";
}

TEST(KeptQuestion, GoesThroughAnEventUnchanged) {
  KeptQuestion asked = question(true, true);
  asked.header = "Auth";
  asked.context = {"because"};
  asked.source = QuestionSource::marker;
  asked.secret = true;
  with_payload(asked, QuestionState::open, {},
               [&](const Question& payload) { EXPECT_EQ(keep_question(payload), asked); });
}

TEST(KeptQuestion, HidesTheAnswerToASecret) {
  KeptQuestion asked = question(false, true);
  asked.secret = true;
  with_payload(asked, QuestionState::answered, "hunter2",
               [](const Question& payload) { EXPECT_EQ(payload.answer, "[hidden]"); });
}

class Pending : public ::testing::Test, public EventSink {
 protected:
  void on_event(const Event& event) override { pending_.see(event); }
  void read(Dialect dialect, std::string_view text) {
    const auto reader = make_reader(dialect);
    reader->push(text, *this);
    reader->finish(*this);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const PendingQuestion& open : pending_.all()) out.push_back(open.asked.text);
    return out;
  }

  PendingQuestions pending_;
};

constexpr std::string_view kAsk =
    R"({"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool",)"
    R"("tool_name":"AskUserQuestion","tool_use_id":"t-1","input":{"questions":[)"
    R"({"question":"A?","header":"A","options":[{"label":"x"}]},)"
    R"({"question":"B?","header":"B","options":[{"label":"y"}]}]}}})"
    "\n";

TEST_F(Pending, KeepsEveryQuestionOfASetWithTheRequestToAnswerTo) {
  read(Dialect::claude, kAsk);
  EXPECT_EQ(texts(), (std::vector<std::string>{"A?", "B?"}));
  EXPECT_EQ(pending_.all().front().request_id, "\"r-1\"");
  EXPECT_TRUE(pending_.take("t-1#0").has_value());
  EXPECT_TRUE(pending_.waits_for("\"r-1\""));
  EXPECT_TRUE(pending_.take("t-1#1").has_value());
  EXPECT_FALSE(pending_.waits_for("\"r-1\""));
}

TEST_F(Pending, ForgetsWhatTheAgentWithdraws) {
  read(Dialect::claude, std::string(kAsk) +
                            R"({"type":"control_cancel_request","request_id":"r-1"})"
                            "\n");
  EXPECT_EQ(texts(), std::vector<std::string>());
}

// It comes again with each line that has come meanwhile.
TEST_F(Pending, ABlockThatIsPrintedWithPausesIsOneQuestion) {
  const auto reader = make_reader(Dialect::markers);
  for (const std::string_view piece : {"[BLOCKED] no url\n", "ask the owner\n", "soon\n"}) {
    reader->push(piece, *this);
    reader->idle(*this);
  }
  reader->finish(*this);
  EXPECT_EQ(texts(), (std::vector<std::string>{"no url"}));
  EXPECT_EQ(pending_.all().front().asked.context,
            (std::vector<std::string>{"ask the owner", "soon"}));
  read(Dialect::markers, "[BLOCKED] no url\n\n\n[BLOCKED] no url\n");
  EXPECT_EQ(pending_.all().size(), 3U);
}

TEST_F(Pending, AsksAboutABlockAsFreeText) {
  read(Dialect::markers, "[BLOCKED] no url\nask the owner\n\n[QUESTION] Which?\nOptions:\n1. a\n");
  EXPECT_EQ(texts(), (std::vector<std::string>{"no url", "Which?"}));
  EXPECT_EQ(pending_.all().front().asked.kind, QuestionKind::blocked);
  EXPECT_EQ(pending_.all().front().asked.context, std::vector<std::string>{"ask the owner"});
  EXPECT_TRUE(pending_.all().front().asked.free_text);
  EXPECT_EQ(pending_.all().front().request_id, "");
}

}  // namespace
}  // namespace dragoman::agent
