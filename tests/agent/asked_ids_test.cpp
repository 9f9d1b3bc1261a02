// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/asked_ids.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dragoman::agent {
namespace {

class Ids : public testing::Test {
 protected:
  std::string of(std::string_view id, QuestionState state = QuestionState::open) {
    Question question;
    question.id = id;
    question.state = state;
    return std::string(ids_.of(question));
  }
  AskedIds ids_;
};

TEST_F(Ids, AQuestionKeepsItsIdUntilItIsSettled) {
  EXPECT_EQ(of("q"), "q");
  EXPECT_EQ(of("q"), "q");
  EXPECT_EQ(of("q", QuestionState::unanswered), "q");
  ids_.settle("q");
  EXPECT_EQ(of("q", QuestionState::answered), "q");
}

TEST_F(Ids, EachAskingAfterAnAnswerHasItsOwn) {
  EXPECT_EQ(of("q"), "q");
  ids_.settle("q");
  EXPECT_EQ(of("q"), "q.2");
  EXPECT_EQ(of("q"), "q.2");
  EXPECT_EQ(of("q", QuestionState::answered), "q.2");
  ids_.settle("q.2");
  EXPECT_EQ(of("q"), "q.3");
}

TEST_F(Ids, WhatAnEarlierRunLeftOpenCounts) {
  ids_.settle("q");
  EXPECT_EQ(of("q"), "q.2");
}

TEST_F(Ids, AnIdThatLooksLikeOneOfOursIsNotTakenForIt) {
  EXPECT_EQ(of("q"), "q");
  ids_.settle("q");
  EXPECT_EQ(of("q"), "q.2");
  EXPECT_EQ(of("q.2"), "q.2.2");
  ids_.settle("q.2");
  ids_.settle("q.2.2");
  EXPECT_EQ(of("q.2"), "q.2.3");
  EXPECT_EQ(of("q"), "q.3");
}

TEST_F(Ids, ManyAndLongOnesAreNotRememberedWithoutEnd) {
  const std::string id(AskedIds::kLongest + 1, 'x');
  EXPECT_EQ(of(id), id);
  ids_.settle(id);
  EXPECT_EQ(of(id), id);
  for (std::size_t i = 0; i <= AskedIds::kMost; ++i)
    EXPECT_EQ(of(fmt::format("q{}", i)).front(), 'q');
  ids_.settle("q0");
  EXPECT_EQ(of("q0"), "q0.2");
  ids_.settle("q0.2");
  EXPECT_EQ(of("new"), "new");
  ids_.settle("new");
  EXPECT_EQ(of("new"), "new.2");
}

}  // namespace
}  // namespace dragoman::agent
