// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/messages.hpp"

#include <gtest/gtest.h>

#include "tests/log/engines.hpp"

namespace dragoman::ask {
namespace {

using test::value_of;

// What both engines of the log promise of messages.
template <typename Engine>
class MessagesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Engine::available()) GTEST_SKIP() << "no server";
    log_ = engine_.open();
    messages_.emplace(*log_);
  }
  void say(std::uint64_t number, std::string text) {
    MessageRecord message;
    message.task_id = "r-one";
    message.number = number;
    message.text = "clean";
    message.by = "cli";
    const auto written = value_of(log_->write(value_of(messages_->put_new(message, text))));
    EXPECT_TRUE(written.front().applied);
  }
  [[nodiscard]] std::vector<std::string> states() {
    std::vector<std::string> states;
    for (const MessageRecord& message : value_of(messages_->of("r-one")))
      states.push_back(message.state);
    return states;
  }

  Engine engine_;
  std::unique_ptr<Log> log_;
  std::optional<Messages> messages_;
};

using Engines = testing::Types<test::SqliteEngine, test::NatsEngine>;
TYPED_TEST_SUITE(MessagesTest, Engines);

TYPED_TEST(MessagesTest, AMessageIsTakenOnceAndSettledOnce) {
  this->say(1, "clean");
  Messages& messages = *this->messages_;
  EXPECT_FALSE(value_of(messages.deliver("r-one", 1))) << "no process has it in hands";
  EXPECT_TRUE(value_of(messages.take("r-one", 1)));
  EXPECT_FALSE(value_of(messages.take("r-one", 1)));
  EXPECT_TRUE(value_of(messages.put_back("r-one", 1)));
  EXPECT_TRUE(value_of(messages.take("r-one", 1)));
  EXPECT_TRUE(value_of(messages.deliver("r-one", 1)));
  EXPECT_FALSE(value_of(messages.fail("r-one", 1, "late")));
  EXPECT_FALSE(value_of(messages.put_back("r-one", 1)));
  EXPECT_FALSE(value_of(messages.take("r-one", 2))) << "there is none";
  EXPECT_EQ(value_of(messages.of("r-one")).front().reason, "");
}

TYPED_TEST(MessagesTest, ThoseOfARunComeInTheirOrderAndGoWithIt) {
  for (std::uint64_t number = 1; number <= 11; ++number) this->say(number, "clean");
  Messages& messages = *this->messages_;
  EXPECT_TRUE(value_of(messages.fail("r-one", 11, "the run was cancelled")));
  const auto all = value_of(messages.of("r-one"));
  ASSERT_EQ(all.size(), 11U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].number, i + 1);
  EXPECT_EQ(all.back().key(), "r-one/000000000011");
  EXPECT_EQ(all.back().reason, "the run was cancelled");
  EXPECT_GT(all.back().settled_at, 0);
  EXPECT_TRUE(messages.remove("r-one"));
  EXPECT_TRUE(this->states().empty());
}

TYPED_TEST(MessagesTest, TheTrueWordsAreKeptApartUntilItIsSettled) {
  this->say(1, "the secret words");
  Messages& messages = *this->messages_;
  const auto message = value_of(messages.of("r-one")).front();
  EXPECT_EQ(message.text, "clean");
  const bool has_place = !this->log_->private_directory().empty();
  EXPECT_EQ(messages.words(message), has_place ? "the secret words" : "clean");
  EXPECT_TRUE(value_of(messages.take("r-one", 1)));
  EXPECT_TRUE(value_of(messages.deliver("r-one", 1)));
  EXPECT_EQ(messages.words(message), "clean") << "they are gone";
  EXPECT_EQ(value_of(messages.of("r-one")).front().sealed, "");
}

TYPED_TEST(MessagesTest, WhatIsTakenBackLeavesNothing) {
  MessageRecord message;
  message.task_id = "r-one";
  message.number = 1;
  const auto written =
      value_of(this->log_->write(value_of(this->messages_->put_new(message, "words"))));
  message.revision = written.front().number;
  this->messages_->take_back(message);
  EXPECT_TRUE(this->states().empty());
  EXPECT_EQ(this->messages_->words(message), "");
}

}  // namespace
}  // namespace dragoman::ask
