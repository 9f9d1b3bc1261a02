// SPDX-License-Identifier: Apache-2.0
// The laws of agent::Conversation, over every protocol of the table of agents.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/engine/says.hpp"
#include "tests/engine/talk.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using testing::IsEmpty;

// Each agent with each talk in its protocol.
void for_each_talk(const std::function<void(const agent::AgentRow&, const Talk&)>& use) {
  const std::vector<Talk> all = talks();
  for (const agent::AgentRow& row : agent::agents()) {
    for (const Talk& talk : all) {
      if (talk.protocol != row.protocol) continue;
      SCOPED_TRACE(fmt::format("{}: {}", row.name, talk.name));
      use(row, talk);
    }
  }
}

std::size_t bytes_of(const Talk& talk) {
  std::size_t bytes = 0;
  for (const Step& step : talk.steps) {
    if (const auto* says = std::get_if<Says>(&step)) bytes += says->bytes.size();
  }
  return bytes;
}

TEST(ConversationLaws, EveryAgentHasATalk) {
  const std::vector<Talk> all = talks();
  for (const agent::AgentRow& row : agent::agents())
    EXPECT_TRUE(std::ranges::count(all, row.protocol, &Talk::protocol) > 0) << row.name;
}

TEST(ConversationLaws, HoldInEveryTalk) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    Player player(row, talk);
    player.play(talk.steps);
    EXPECT_EQ(player.broken(), "");
    const auto answers = std::ranges::count_if(
        talk.steps, [](const Step& step) { return std::holds_alternative<Answers>(step); });
    if (row.can_be_answered()) {
      EXPECT_EQ(player.settled.size(), static_cast<std::size_t>(answers));
    }
    EXPECT_THAT(player.refused, IsEmpty());
  });
}

// What a person wrote to the real program is what we write.
TEST(ConversationLaws, RecordedTalksAreHeldInTheSameWords) {
  for (const Talk& talk : recorded_claude_talks()) {
    SCOPED_TRACE(talk.name);
    Player player(agent::agent_of(talk.protocol), talk);
    player.play(talk.steps);
    EXPECT_EQ(player.starts.size(), 1U);
    EXPECT_THAT(player.starts[0], testing::HasSubstr(nlohmann::json(talk.prompt).dump()));
    ASSERT_EQ(player.written.size(), talk.heard.size());
    for (std::size_t i = 0; i < talk.heard.size(); ++i) {
      nlohmann::json ours = nlohmann::json::parse(player.written[i]);
      nlohmann::json theirs = nlohmann::json::parse(talk.heard[i]);
      if (ours["type"] == "control_request") theirs["request_id"] = ours["request_id"];
      if (ours["type"] == "control_response") theirs["response"]["response"].erase("interrupt");
      EXPECT_EQ(ours, theirs);
    }
  }
}

TEST(ConversationLaws, HowTheBytesAreCutDoesNotMatter) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    Player whole(row, talk);
    whole.play(talk.steps);
    const auto check = [&](const IsCut& is_cut, std::size_t at) {
      Player cut(row, talk, is_cut);
      cut.play(talk.steps);
      EXPECT_EQ(cut.broken(), "") << at;
      EXPECT_EQ(cut.outcome(), whole.outcome()) << at;
    };
    check([](std::size_t) { return true; }, 0);
    const std::size_t stride = talk.recorded ? 1 + bytes_of(talk) / scaled(500) : 1;
    for (std::size_t cut = 1; cut < bytes_of(talk) && !testing::Test::HasFailure(); cut += stride)
      check([cut](std::size_t at) { return at == cut; }, cut);
  });
}

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::ranges::sort(list);
  return list;
}

// The answers of the talk by the ids that its questions get.
std::vector<Answers> answers_of(const agent::AgentRow& row, const Talk& talk) {
  Player player(row, talk);
  player.play(talk.steps);
  std::vector<Answers> out;
  for (const Step& step : talk.steps) {
    const auto* answer = std::get_if<Answers>(&step);
    if (answer == nullptr || answer->question >= player.ids.size()) continue;
    out.push_back(*answer);
    out.back().id = player.ids[answer->question];
  }
  return out;
}

std::vector<Step> without_answers(const Talk& talk) {
  std::vector<Step> out = talk.steps;
  std::erase_if(out, [](const Step& step) { return std::holds_alternative<Answers>(step); });
  return out;
}

TEST(ConversationLaws, AnAnswerBeforeItsQuestionCountsAsOneToIt) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    if (!talk.patient) return;
    Player whole(row, talk);
    whole.play(talk.steps);
    Player early(row, talk);
    for (const Answers& answer : answers_of(row, talk)) early.take(answer);
    early.play(without_answers(talk));
    EXPECT_EQ(early.broken(), "");
    EXPECT_EQ(sorted(early.settled), sorted(whole.settled));
    EXPECT_EQ(sorted(early.written), sorted(whole.written));
    EXPECT_EQ(early.starts.size(), whole.starts.size());
    EXPECT_THAT(early.refused, IsEmpty());
  });
}

TEST(ConversationLaws, ASecondAnswerIsRefusedAndChangesNothing) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    if (!row.can_be_answered()) return;
    Player whole(row, talk);
    whole.play(talk.steps);
    Player twice(row, talk);
    std::size_t answers = 0;
    for (const Step& step : talk.steps) {
      twice.take(step);
      if (std::holds_alternative<Answers>(step) && ++answers > 0) twice.take(step);
    }
    EXPECT_EQ(twice.broken(), "");
    EXPECT_EQ(twice.settled, whole.settled);
    EXPECT_EQ(twice.written, whole.written);
    EXPECT_EQ(twice.refused.size(), answers);
  });
}

TEST(ConversationLaws, WithoutAnswersQuestionsStayOpenAndNoneIsMadeUp) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    Player never(row, talk);
    never.play(without_answers(talk));
    EXPECT_EQ(never.broken(), "");
    EXPECT_THAT(never.settled, IsEmpty());
    EXPECT_EQ(never.starts.size(), 1U);
    for (const std::string& line : never.written) EXPECT_EQ(line.find("behavior"), line.npos);
    for (const auto& [id, due] : never.desk) {
      const auto& pending = never.conversation.questions();
      EXPECT_TRUE(std::ranges::count(pending, id, &agent::Asked::id) == 1) << id;
    }
  });
}

// Behind the end of its program an answer comes with its next start, once.
TEST(ConversationLaws, AnAnswerBehindTheEndComesWithTheNextStart) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    Player late(row, talk);
    for (const Step& step : talk.steps) {
      if (std::holds_alternative<Answers>(step)) continue;
      late.take(step);
      if (std::holds_alternative<Ends>(step)) break;
    }
    const std::vector<agent::Asked> open = late.conversation.questions();
    for (const agent::Asked& asked : open) late.take(Answers{0, "1", asked.id});
    EXPECT_EQ(late.broken(), "");
    if (!row.can_be_answered()) return;
    EXPECT_EQ(late.settled.size(), open.size());
    const bool can_go_on =
        row.goes_on != agent::GoesOn::by_session || !late.conversation.session().empty();
    EXPECT_EQ(late.starts.size(), can_go_on && !open.empty() ? 2U : 1U);
  });
}

// Early, late, while something is asked, at the end and behind it; of an agent that tells what it
// takes, and of one that does not.
TEST(ConversationLaws, AMessageIsHeardOrUnheardOnceWheneverItIsSaid) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    for (std::size_t at = 0; at <= talk.steps.size(); ++at) {
      for (std::size_t echoes_from = 0; echoes_from <= talk.steps.size() + 1; ++echoes_from) {
        Player player(row, talk);
        for (std::size_t i = 0; i <= talk.steps.size(); ++i) {
          if (i == at) player.take(Sends{1, "more"});
          if (i >= echoes_from) player.take(Echoes{});
          if (i < talk.steps.size()) player.take(talk.steps[i]);
        }
        player.end();
        EXPECT_EQ(player.broken(), "") << at << " " << echoes_from;
        EXPECT_EQ(player.heard.size() + player.unheard.size(), 1U) << at << " " << echoes_from;
        const bool written = std::ranges::any_of(player.written, [](const std::string& line) {
          return line.find("\"more\"") != line.npos;
        });
        const bool echoes = echoes_from <= talk.steps.size();
        EXPECT_TRUE(echoes || talk.recorded || !written) << at;
        EXPECT_TRUE(written || player.heard.empty()) << at;
      }
    }
  });
}

TEST(ConversationLaws, MessagesAreBounded) {
  Player player(agent::agent_of(agent::Protocol::claude), Talk{});
  for (std::uint64_t i = 1; i <= 2 * agent::Conversation::kMostSaid; ++i)
    player.take(Sends{i, "x"});
  EXPECT_EQ(player.unheard.size(), agent::Conversation::kMostSaid);
  player.take(Sends{0, std::string(agent::Conversation::kLongestSaid + 1, 'x')});
  EXPECT_EQ(player.unheard.back(), 0U);
  player.take(Echoes{});
  player.take(Echoes{});
  EXPECT_EQ(player.heard.size(), agent::Conversation::kMostSaid);
  EXPECT_EQ(player.broken(), "");
}

// Wherever the input ends: by us, or with the program.
TEST(ConversationLaws, NothingIsWrittenBehindTheEnd) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    for (std::size_t at = 0; at <= talk.steps.size(); ++at) {
      for (const Step& last : {Step(Closes{}), Step(Ends{})}) {
        Player player(row, talk);
        for (std::size_t i = 0; i < at; ++i) player.take(talk.steps[i]);
        const bool closes = std::holds_alternative<Closes>(last);
        player.take(last);
        for (std::size_t i = at; i < talk.steps.size(); ++i) {
          if (closes && std::holds_alternative<Ends>(talk.steps[i])) break;
          player.take(talk.steps[i]);
        }
        player.take(Interrupts{});
        EXPECT_EQ(player.broken(), "") << at;
      }
    }
  });
}

TEST(ConversationLaws, TheSameWordsAskedAgainAreAQuestionOfTheirOwn) {
  for_each_talk([](const agent::AgentRow& row, const Talk& talk) {
    Player player(row, talk);
    player.play(talk.steps);
    const std::set<std::string> different(player.ids.begin(), player.ids.end());
    EXPECT_EQ(different.size(), player.ids.size());
    EXPECT_GE(player.ids.size(), player.settled.size()) << row.name;
  });
}

struct Odd {
  std::string_view what;
  std::string line;
};

// Whatever a request looks like: it is refused at once or comes before people.
TEST(ConversationLaws, ARequestThatIsNotUnderstoodIsRefusedAtOnce) {
  using namespace says;
  const std::string nul =
      "{\"subtype\":\"can_use_tool\",\"tool_name\":\"A\",\"tool_use_id\":\"t\"}";
  const std::vector<Odd> odd = {
      {"a hook", control("\"r\"", R"({"subtype":"hook_callback"})")},
      {"nothing asked for", control("\"r\"", "{}")},
      {"no object", control("\"r\"", "7")},
      {"no subtype that is text", control("\"r\"", R"({"subtype":["can_use_tool"]})")},
      {"no request at all", "{\"type\":\"control_request\",\"request_id\":\"r\"}\n"},
      {"an id that is a number", control("7", nul)},
      {"an id that is an object", control(R"({"a":[1]})", nul)},
      {"an id that is null", control("null", nul)},
      {"an id with escapes", control(R"("\u0041\n")", nul)},
      {"an id in other spaces", control("   \"r\"  ", nul)},
      {"an empty id", control("\"\"", nul)},
      {"an id too long", control('"' + std::string(2000, 'r') + '"', nul)},
      {"a call too long", may_use("r", std::string(2000, 't'), "A", "{}")},
      {"no call", control("\"r\"", R"({"subtype":"can_use_tool","tool_name":"A","input":{}})")},
      {"no tool", control("\"r\"", R"({"subtype":"can_use_tool"})")},
      {"a subtype with escapes", control("\"r\"", R"({"subtype":"can_use_\u0074ool"})")},
      {"a key with escapes", control("\"r\"", R"({"subt\u0079pe":"can_use_tool"})")},
      {"a key twice",
       "{\"type\":\"control_request\",\"request_id\":\"a\",\"request_id\":\"r\","
       "\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"A\"}}\n"},
      {"the request twice",
       "{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":\"x\"},"
       "\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"A\"}}\n"},
      {"the request twice, and last no request",
       "{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":"
       "\"can_use_tool\",\"tool_name\":\"A\"},\"request\":{\"subtype\":\"x\"}}\n"},
      {"a type twice",
       "{\"type\":\"x\",\"request_id\":\"r\",\"type\":\"control_request\","
       "\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"A\"}}\n"},
      {"spaces everywhere",
       "  { \"type\" : \"control_request\" , \"request_id\" : \"r\" , "
       "\"request\" : { \"subtype\" : \"can_use_tool\" } }  \r\n"},
      {"no questions", ask_user("r", "t", "{}")},
      {"an empty list of questions", ask_user("r", "t", R"({"questions":[]})")},
      {"questions without words", ask_user("r", "t", R"({"questions":[{"header":"x"}]})")},
      {"questions that are a number", ask_user("r", "t", R"({"questions":7})")},
      {"questions that are none", ask_user("r", "t", "[]")},
      {"a question that names a request",
       ask_user("r", "t",
                R"({"questions":[{"question":"a?","request_id":"s"}],"request_id":"q"})")},
      {"the same question twice", ask_user("r", "t", questions("a?", "a?"))},
  };
  for (const Odd& one : odd) {
    SCOPED_TRACE(one.what);
    for (const bool again : {false, true}) {  // also behind one that is understood
      Player player(agent::agent_of(agent::Protocol::claude), Talk{});
      player.say(init());
      if (again) player.say(asks_leave("first", "t"));
      player.say(one.line);
      EXPECT_EQ(player.broken(), "");
      for (const std::string& id : std::vector(player.ids)) player.take(Answers{0, "1", id});
      player.say("\n");
      EXPECT_EQ(player.broken(), "");
      for (const auto& [id, times] : player.responses) EXPECT_EQ(times, 1) << id;
      EXPECT_FALSE(player.conversation.waits());
    }
  }
}

// Also of a question that cannot be read, which is put as a permission for its tool.
TEST(ConversationLaws, ADenialReachesTheAgentAsOne) {
  for (const std::string& line : {says::asks_leave("r", "t"), says::ask_user("r", "t", "[]"),
                                  says::ask_user("r", "t", "7")}) {
    Player player(agent::agent_of(agent::Protocol::claude), Talk{});
    player.say(says::init() + line);
    player.take(Answers{0, "Deny"});
    ASSERT_EQ(player.written.size(), 1U);
    EXPECT_THAT(player.written[0], testing::HasSubstr(R"("behavior":"deny")"));
  }
}

TEST(ConversationLaws, ARequestThatTakesThePlaceOfAnotherLeavesNoneUnanswered) {
  using namespace says;
  const std::string one = questions("Which?");
  const std::vector<std::vector<std::string>> orders = {
      {ask_user("r1", "t", one), ask_user("r2", "t", one)},
      {ask_user("r1", "t", one), ask_user("r2", "t", questions("Other?"))},
      {ask_user("r1", "t", one), ask_user("r2", "t", questions("Which?", "How?"))},
      {ask_user("r1", "t", one), asks_leave("r2", "t")},
      {asks_leave("r1", "t"), ask_user("r2", "t", one)},
      {asks_leave("r1", "t"), asks_leave("r2", "t"), asks_leave("r3", "t")},
      {asks_leave("r1", "t"), asks_leave("r1", "t2")},
      {ask_user("r1", "t", one), ask_user("r1", "t2", one)},
      {ask_user("r1", "t", one), ask_user("r2", "t", "{}")},
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    SCOPED_TRACE(i);
    Player player(agent::agent_of(agent::Protocol::claude), Talk{});
    player.say(init());
    for (const std::string& line : orders[i]) player.say(line);
    EXPECT_EQ(player.broken(), "");
    for (std::size_t next = 0; next < player.ids.size(); ++next) player.take(Answers{next, "1"});
    EXPECT_EQ(player.broken(), "");
    EXPECT_FALSE(player.conversation.waits());
  }
}

// Lines of a talk with bytes changed: whatever becomes of them, the laws hold.
TEST(ConversationLaws, HoldForBrokenAndHostileLines) {
  using namespace says;
  const std::vector<std::string> good = {init(),
                                         asks_leave("r1", "t1"),
                                         asks_leave("r2", "t2"),
                                         tool_done("t1"),
                                         cancel("r2"),
                                         ask_user("r3", "t3", questions("Which?", "How?")),
                                         call("t3", "AskUserQuestion", questions("Which?")),
                                         control("\"h\"", R"({"subtype":"hook"})"),
                                         comment_question("Why?"),
                                         result()};
  constexpr std::string_view kAlphabet = "\"{}[]:,\\ \n0rt1234eu";
  const std::size_t rounds = scaled(50'000);
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    Random random(seed);
    std::string said;
    Player player(agent::agent_of(agent::Protocol::claude), Talk{});
    for (int i = 0; i < 8; ++i) {
      const std::string& line = random.pick(good);
      const std::string says = random.one_in(3) ? mutated(line, random, kAlphabet) : line;
      said += says;
      player.say(says);
      if (random.one_in(3) && !player.ids.empty())
        player.take(Answers{0, random.one_in(2) ? "1" : "no", random.pick(player.ids)});
    }
    player.end();
    ASSERT_EQ(player.broken(), "") << "seed " << seed << ":\n" << said;
  }
}

}  // namespace
}  // namespace dragoman::test
