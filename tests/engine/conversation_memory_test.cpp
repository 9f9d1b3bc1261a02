// SPDX-License-Identifier: Apache-2.0
// A conversation costs a bounded amount of memory, whatever the agent and people say.
#include <malloc.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/sanitized.hpp"
#include "dragoman/engine/stream.hpp"
#include "tests/engine/says.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
// Open requests cost up to 64 MiB, the reader's line 16 MiB, questions 16 MiB here, there and with
// the people; answers 16 MiB.
constexpr std::size_t kAllowed = 192 * kMiB;

std::size_t held() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What a run does with a conversation, and nothing is kept.
class Forgetful {
 public:
  explicit Forgetful(std::string_view agent) : talk_(*agent::find_agent(agent), request()) {
    begin(talk_.begin());
  }
  void say(std::string_view bytes) {
    talk_.hear(bytes);
    stream_.push_stdout(bytes, {});
    settle();
  }
  void answer(std::string id, std::string typed) {
    Reply reply{.id = std::move(id)};
    reply.typed = std::move(typed);
    talk_.answer(std::move(reply));
    settle();
  }
  void end() {
    stream_.finish({});
    talk_.ended();
    settle();
    talk_.ask_rest();
    settle();
    if (talk_.has_answers()) begin(*talk_.go_on());
  }
  [[nodiscard]] bool is_small() const { return held() < before_ + kAllowed; }

  std::string last_asked;
  std::size_t responses = 0;
  std::size_t refused = 0;
  std::size_t settled = 0;

 private:
  static agent::Request request() {
    agent::Request out;
    out.words = {"x", "t", "it"};
    return out;
  }
  void begin(const agent::Launch& launch) {
    stream_.begin(agent::find_agent("claude")->dialect, {}, false);
    talk_.started(launch);
  }
  void settle() {
    for (auto wishes = talk_.take_wishes(); !wishes.empty(); wishes = talk_.take_wishes()) {
      for (const agent::Wish& wish : wishes) {
        if (const auto* ask = std::get_if<agent::Ask>(&wish)) last_asked = ask->asked.id;
        responses += std::holds_alternative<agent::Write>(wish) ? 1U : 0U;
        refused += std::holds_alternative<agent::Refused>(wish) ? 1U : 0U;
        settled += std::holds_alternative<agent::Settled>(wish) ? 1U : 0U;
      }
    }
  }

  std::size_t before_ = held();
  agent::Conversation talk_;
  engine::EventStream stream_{[](const Event&) {}, [this](const Event& event) { talk_.see(event); },
                              [this](Event& event) { return talk_.admit(event); }};
};

class ConversationMemory : public testing::Test {
 protected:
  void SetUp() override {
#if DRAGOMAN_SANITIZED
    GTEST_SKIP() << "the sanitizer's own memory would be counted";
#endif
  }
};

struct Attack {
  std::string_view name;
  std::string (*line)(std::size_t i, const std::string& filler);
  bool any_length = true;  // else its reader knows the calls that run by their ids
};

std::string numbered(std::size_t i, const std::string& filler) {
  return fmt::format("{}{}", i, filler);
}

// Everything that an agent can repeat, with something else in it each time.
constexpr Attack kAttacks[] = {
    {"requests with other ids",
     [](std::size_t i, const std::string& f) { return says::asks_leave(numbered(i, f), "t"); }},
    {"requests for other calls",
     [](std::size_t i, const std::string& f) {
       return says::asks_leave(fmt::format("r{}", i), numbered(i, f));
     }},
    {"requests with long arguments",
     [](std::size_t i, const std::string& f) {
       return says::may_use(fmt::format("r{}", i), fmt::format("t{}", i), "Bash",
                            fmt::format(R"({{"command":"{}"}})", f));
     }},
    {"requests with long suggestions",
     [](std::size_t i, const std::string& f) {
       return says::control(fmt::format("\"r{}\"", i),
                            fmt::format(R"({{"subtype":"can_use_tool","tool_name":"Bash",)"
                                        R"("permission_suggestions":["{}"],"input":{{}}}})",
                                        f));
     }},
    {"requests with long tools",
     [](std::size_t i, const std::string& f) {
       return says::may_use(fmt::format("r{}", i), fmt::format("t{}", i), f, "{}");
     }},
    {"the same request",
     [](std::size_t /*i*/, const std::string& f) {
       return says::may_use("r", "t", "Bash", fmt::format(R"({{"command":"{}"}})", f));
     }},
    {"questions of calls",
     [](std::size_t i, const std::string& f) {
       return says::call(fmt::format("t{}", i), "AskUserQuestion", says::questions(numbered(i, f)));
     }},
    {"questions of calls with long ids",
     [](std::size_t i, const std::string& f) {
       return says::call(numbered(i, f), "AskUserQuestion", says::questions("Which?"));
     },
     false},
    {"questions of calls with long ids that are withdrawn",
     [](std::size_t i, const std::string& f) {
       const std::string id = numbered(i, f);
       return says::call(id, "AskUserQuestion", says::questions("Which?")) +
              says::answered(id, {"Which?"});
     },
     false},
    {"questions that are asked and answered by the agent",
     [](std::size_t i, const std::string& f) {
       const std::string id = fmt::format("t{}", i);
       return says::ask_user(fmt::format("r{}", i), id, says::questions("Which?" + f)) +
              says::answered(id, {"Which?" + f});
     }},
    {"questions in text",
     [](std::size_t i, const std::string& f) { return says::comment_question(numbered(i, f)); }},
    {"the same question in text",
     [](std::size_t /*i*/, const std::string& f) { return says::comment_question("W" + f); }},
    {"hooks",
     [](std::size_t i, const std::string& f) {
       return says::control('"' + numbered(i, f) + '"', R"({"subtype":"hook"})");
     }},
};

TEST_F(ConversationMemory, IsBoundedWhateverAnAgentRepeats) {
  for (const Attack& attack : kAttacks) {
    for (const auto& [times, length] :
         {std::pair(scaled(100'000), std::size_t{0}), std::pair(std::size_t{250}, kMiB)}) {
      if (length > 0 && !attack.any_length) continue;
      Forgetful run("claude");
      run.say(says::init());
      const std::string filler(length, 'x');
      std::size_t i = 0;
      while (i < times && run.is_small()) run.say(attack.line(i++, filler));
      EXPECT_EQ(i, times) << attack.name << ", " << length << " bytes each";
    }
  }
}

TEST_F(ConversationMemory, IsBoundedWhateverPeopleSayEarly) {
  for (const auto& [times, length] :
       {std::pair(scaled(200'000), std::size_t{1}), std::pair(std::size_t{250}, kMiB)}) {
    for (const bool same : {false, true}) {
      Forgetful run("claude");
      run.say(says::init());
      std::size_t i = 0;
      while (i < times && run.is_small()) {
        run.answer(same ? "t" : fmt::format("t{}", i), std::string(length, 'x'));
        ++i;
      }
      EXPECT_EQ(i, times) << length << " bytes each";
      EXPECT_GT(run.refused, 0U);  // each is kept or refused
    }
  }
}

// However many there have been, an answer behind another is refused and not kept for later.
TEST_F(ConversationMemory, ALongTalkIsAnsweredToItsEnd) {
  Forgetful run("claude");
  run.say(says::init());
  constexpr std::size_t kTimes = 10'000;
  for (std::size_t i = 0; i < kTimes; ++i) {
    const std::string id = fmt::format("t{}", i);
    if (i % 2 == 0) run.answer(id, "1");
    run.say(says::asks_leave(fmt::format("r{}", i), id));
    if (i % 2 == 1) run.answer(id, "1");
    ASSERT_EQ(run.responses, i + 1);
    run.answer(id, "2");
    ASSERT_EQ(run.refused, i + 1);
    run.say(says::tool_done(id));
  }
  EXPECT_EQ(run.settled, kTimes);
  EXPECT_TRUE(run.is_small());
}

// A request that finds no place any more is refused at once.
TEST_F(ConversationMemory, ARequestBehindTooManyQuestionsIsRefused) {
  Forgetful run("claude");
  run.say(says::init());
  for (std::size_t i = 0; i < 5'000; ++i) run.say(says::comment_question(fmt::format("W{}", i)));
  EXPECT_EQ(run.responses, 0U);
  run.say(says::asks_leave("r", "t"));
  EXPECT_EQ(run.responses, 1U);
}

}  // namespace
}  // namespace dragoman::test
