// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/answer.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

using enum Grant;

KeptQuestion asked(std::vector<Choice> options, bool free_text = true) {
  KeptQuestion question;
  question.options = std::move(options);
  question.free_text = free_text;
  return question;
}

// As Claude asks where it suggests how it need not ask again.
KeptQuestion claudes_permission() {
  return asked({{"Allow", "", allow_once},
                {"Deny", "", deny},
                {"Allow for this session", "", allow_session},
                {"Always allow", "", allow_always}});
}

KeptQuestion bare_permission() { return asked({{"Allow", "", allow_once}, {"Deny", "", deny}}); }

KeptQuestion yes_or_no() { return asked({{"YES"}, {"no"}}); }

// "2 why", or the error.
std::string answer_outcome(const Result<Answer>& answer) {
  if (!answer) return "refused: " + answer.error().message;
  std::string out;
  for (const std::size_t option : answer->options) out += std::to_string(option);
  return answer->text.empty() ? out : out + " " + answer->text;
}

struct GrammarRow {
  std::string typed;
  std::string expected;
};

constexpr std::string_view kClaudesWords =
    R"(y, n, session, always, 1 to 4, or "no: " and the reason)";

std::string neither_nor() {
  return "refused: that neither allows nor denies it; answer with " + std::string(kClaudesWords);
}

TEST(PermissionGrammar, WordsMeanWhatTheySay) {
  const std::vector<GrammarRow> table = {
      {"y", "1"},
      {"Y", "1"},
      {" yes\n", "1"},
      {"OK", "1"},
      {"allow", "1"},
      {"1", "1"},
      {"n", "2"},
      {"NO", "2"},
      {"deny", "2"},
      {"Deny", "2"},
      {"2", "2"},
      {"session", "3"},
      {"allow for this session", "3"},
      {"3", "3"},
      {"always", "4"},
      {"Always allow", "4"},
      {"no: use npm instead", "2 use npm instead"},
      {"No, because it is Friday", "2 because it is Friday"},
      {"deny:\nfirst\r\nsecond", "2 first\nsecond"},
      {"n , y", "2 y"},
      {"no:", neither_nor()},
      {"no because", neither_nor()},
      {"none: why", neither_nor()},
      {"yes please", neither_nor()},
      {"yes: use npm", neither_nor()},
      {"yes, and use npm", neither_nor()},
      {"sure", neither_nor()},
      {"use npm instead", neither_nor()},
      {"5", "refused: there is no option 5; answer with " + std::string(kClaudesWords)},
      {"1,2", "refused: only one can be chosen; answer with " + std::string(kClaudesWords)},
      {"  ", "refused: an answer is empty; answer with " + std::string(kClaudesWords)},
  };
  for (const GrammarRow& row : table)
    EXPECT_EQ(answer_outcome(read_answer(claudes_permission(), row.typed)), row.expected)
        << row.typed;
}

TEST(PermissionGrammar, NothingIsGrantedThatIsNotOffered) {
  const std::string would = R"(answer with y, n, 1 to 2, or "no: " and the reason)";
  for (const char* typed : {"session", "always"}) {
    EXPECT_EQ(answer_outcome(read_answer(bare_permission(), typed)),
              "refused: that neither allows nor denies it; " + would);
  }
  KeptQuestion silent = bare_permission();
  silent.free_text = false;
  EXPECT_EQ(answer_outcome(read_answer(silent, "no: why")),
            "refused: no reason can be given; answer with y, n, 1 to 2");
}

// Agents name and order their options as they like, and mean no good by it.
TEST(PermissionGrammar, AWordIsNeverTheNameOfAnOptionThatDoesSomethingElse) {
  const KeptQuestion hostile = asked({{"no", "", allow_always},
                                      {"n", "", allow_once},
                                      {"deny", "", allow_session},
                                      {"2", "", allow_always},
                                      {"No, never", "", allow_always},
                                      {"Yes", "", deny}});
  const std::vector<GrammarRow> table = {
      {"no", "6"}, {"n", "6"}, {"deny", "6"}, {"No, never", "6 never"}, {"yes", "2"}, {"2", "2"}};
  for (const GrammarRow& row : table)
    EXPECT_EQ(answer_outcome(read_answer(hostile, row.typed)), row.expected) << row.typed;
}

TEST(PermissionGrammar, LabelsOfAgentsThatSpeakInSentences) {
  const KeptQuestion codex = asked({{"Yes, proceed", "", allow_once},
                                    {"Yes, and don't ask again for these files", "", allow_session},
                                    {"No, and tell Codex what to do differently", "", deny}});
  EXPECT_EQ(answer_outcome(read_answer(codex, "yes, proceed")), "1");
  EXPECT_EQ(answer_outcome(read_answer(codex, "Yes, and don't ask again for these files")), "2");
  EXPECT_EQ(answer_outcome(read_answer(codex, "No, and tell Codex what to do differently")), "3");
  EXPECT_EQ(answer_outcome(read_answer(codex, "no, use npm")), "3 use npm");
}

TEST(PermissionGrammar, OneOfTwoThatAllowIsNoGuess) {
  const KeptQuestion qwen = asked({{"Always in project", "", allow_always},
                                   {"Always for user", "", allow_always},
                                   {"Allow", "", allow_once},
                                   {"Reject", "", deny},
                                   {"Never", "", deny}});
  EXPECT_EQ(answer_outcome(read_answer(qwen, "always")),
            R"(refused: that neither allows nor denies it; answer with y, n, 1 to 5, )"
            R"(or "no: " and the reason)");
  EXPECT_EQ(answer_outcome(read_answer(qwen, "n")), "4");
}

TEST(PermissionGrammar, AnAgentThatOffersNoDenialIsDeniedAllTheSame) {
  const KeptQuestion pushy = asked({{"Allow", "", allow_once}});
  EXPECT_EQ(answer_outcome(read_answer(pushy, "no")), "");
  EXPECT_EQ(decision_of(pushy, *read_answer(pushy, "no")), deny);
  EXPECT_EQ(answer_outcome(read_answer(pushy, "no: never")), " never");
}

TEST(PermissionGrammar, LiteralWordsAreTheReasonOfADenial) {
  const std::vector<GrammarRow> table = {
      {"use npm instead", "2 use npm instead"},
      {"no: use npm", "2 no: use npm"},
      {"yes please", "2 yes please"},
      {"no", "2"},
      {"Deny", "2"},
      {"y", "refused: that is no reason to deny it; answer with " + std::string(kClaudesWords)},
      {"Always allow",
       "refused: that is no reason to deny it; answer with " + std::string(kClaudesWords)},
      {"1", "refused: that is no reason to deny it; answer with " + std::string(kClaudesWords)},
  };
  for (const GrammarRow& row : table)
    EXPECT_EQ(answer_outcome(literal_answer(claudes_permission(), row.typed)), row.expected)
        << row.typed;
}

TEST(PermissionGrammar, NumbersOfAProgramMayCarryTheReasonOfADenial) {
  EXPECT_EQ(answer_outcome(chosen_answer(claudes_permission(), {2}, "use npm")), "2 use npm");
  EXPECT_EQ(answer_outcome(chosen_answer(claudes_permission(), {3})), "3");
  EXPECT_EQ(answer_outcome(chosen_answer(claudes_permission(), {1}, "use npm")),
            "refused: a reason can only be given for a denial");
  EXPECT_EQ(answer_outcome(chosen_answer(yes_or_no(), {2}, "use npm")),
            "refused: a reason can only be given for a denial");
}

TEST(PermissionGrammar, WhatWasAnsweredIsTyped) {
  const KeptQuestion question = claudes_permission();
  const auto decided = [&](std::string_view typed) {
    return decision_of(question, *read_answer(question, typed));
  };
  EXPECT_EQ(decided("y"), allow_once);
  EXPECT_EQ(decided("session"), allow_session);
  EXPECT_EQ(decided("always"), allow_always);
  EXPECT_EQ(decided("no: why"), deny);
  EXPECT_EQ(decision_of(question, Answer{{}, "refused by a rule"}), deny);
  EXPECT_EQ(decision_of(yes_or_no(), Answer{{1}, {}}), std::nullopt);
  EXPECT_EQ(answer_words(question, *read_answer(question, "n")), "Deny");
  EXPECT_EQ(answer_words(question, *read_answer(question, "no: why")), "why");
}

TEST(AnswerGrammar, YAndNChooseYesAndNo) {
  const std::vector<GrammarRow> table = {{"y", "1"},    {"Yes", "1"},     {"n", "2"},
                                         {"NO", "2"},   {"2", "2"},       {"no: why", " no: why"},
                                         {"ok", " ok"}, {"deny", " deny"}};
  for (const GrammarRow& row : table)
    EXPECT_EQ(answer_outcome(read_answer(yes_or_no(), row.typed)), row.expected) << row.typed;
  const KeptQuestion only_yes = asked({{"Yes"}, {"Later"}}, false);
  EXPECT_FALSE(read_answer(only_yes, "y"));
  EXPECT_FALSE(read_answer(only_yes, "n"));
  const KeptQuestion has_y = asked({{"No"}, {"y"}, {"Yes"}}, false);
  EXPECT_EQ(answer_outcome(read_answer(has_y, "y")), "2");  // its own label
}

TEST(AnswerGrammar, ControlCharactersAreNeverAnAnswer) {
  const KeptQuestion words = asked({});
  const KeptQuestion choice = asked({{"Cookie"}, {"\x1b[B"}});
  for (const std::string_view typed :
       {std::string_view("\x1b[B"), std::string_view("\x1b"), std::string_view("a\0b", 3),
        std::string_view("a\x07"), std::string_view("a\x7f"),
        std::string_view("a\xc2\x9b"
                         "31m"),
        std::string_view("a\x9b"
                         "31m"),
        std::string_view("one\rtwo"), std::string_view("\x08y"), std::string_view("1\x0b"),
        std::string_view("\x1b[200~y\x1b[201~"), std::string_view("\x1b]0;title\x07yes")}) {
    for (const KeptQuestion& question : {words, choice, claudes_permission(), yes_or_no()}) {
      for (const auto& answer : {read_answer(question, typed), literal_answer(question, typed)}) {
        ASSERT_FALSE(answer) << testing::PrintToString(std::string(typed));
        EXPECT_TRUE(answer.error().message.starts_with(
            "an answer is text without control characters; answer with "))
            << answer.error().message;
      }
    }
    EXPECT_FALSE(chosen_answer(claudes_permission(), {2}, typed));
  }
  for (const std::string_view typed : {"tab\there", "two\nlines", "two\r\nlines", "grüße", "😀"}) {
    EXPECT_EQ(*literal_answer(words, typed), (Answer{{}, std::string(typed)}));
  }
  EXPECT_EQ(answer_outcome(read_answer(choice, "cookie\r\n")), "1");
}

}  // namespace
}  // namespace dragoman
