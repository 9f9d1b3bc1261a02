// SPDX-License-Identifier: Apache-2.0
// Questions of agents that a client is asked while its call waits, and that others answer too.
#include <algorithm>
#include <thread>

#include "tests/mcp/peer.hpp"
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

class DelegationAskingTest : public testing::Test {
 protected:
  // A task whose agent waits for an answer.
  std::string asking() {
    std::string id = place_.submitted();
    place_.begin(id);
    place_.ask(id, color_question());
    return id;
  }
  void answer_elsewhere(const std::string& id) {
    EXPECT_TRUE(
        value_of(place_.service().desk().answer({.id = id + "/q1", .typed = "2"}, "bob")).accepted);
    EXPECT_TRUE(place_.end(id, "completed"));
  }
  static Json elicitation(Peer& peer) {
    return peer.channel->wait_for(
        [](const Json& each) { return each.value("method", "") == "elicitation/create"; });
  }
  static std::size_t elicitations(Peer& peer) {
    const auto all = peer.channel->all();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Json& each) {
      return each.value("method", "") == "elicitation/create";
    }));
  }
  static void send(Peer& peer, const std::string& method, const Json& params) {
    peer.send({{"jsonrpc", "2.0"}, {"id", "call"}, {"method", method}, {"params", params}});
  }

  ToolPlace place_;
  mcp::Server server_{place_.tools()};
};

const Json kForms = {{"elicitation", Json::object()}};

TEST_F(DelegationAskingTest, WhoeverDeclinesIsNotAskedAgainAndGetsTheResult) {
  Peer peer(server_);
  peer.introduce(kForms);
  const std::string id = asking();
  send(peer, "tasks/result", {{"taskId", id}});
  const Json form = elicitation(peer);
  ASSERT_TRUE(form.is_object());
  peer.send({{"jsonrpc", "2.0"}, {"id", form["id"]}, {"result", {{"action", "decline"}}}});
  answer_elsewhere(id);
  EXPECT_TRUE(peer.channel->answer_to("call").contains("result"));
  EXPECT_EQ(elicitations(peer), 1U);
}

TEST_F(DelegationAskingTest, WhoeverCannotBeAskedWaitsUntilSomebodyElseAnswers) {
  Peer peer(server_);
  peer.introduce();
  const std::string id = asking();
  send(peer, "tasks/result", {{"taskId", id}});
  answer_elsewhere(id);
  EXPECT_TRUE(peer.channel->answer_to("call").contains("result"));
  EXPECT_EQ(elicitations(peer), 0U);
}

TEST_F(DelegationAskingTest, AFormIsTakenBackWhenSomebodyElseAnswers) {
  for (const bool as_task : {false, true}) {
    Peer peer(server_);
    peer.introduce(kForms);
    const std::string id = asking();
    if (as_task) {
      send(peer, "tasks/result", {{"taskId", id}});
    } else {
      send(peer, "tools/call", {{"name", "_codex_local_wait"}, {"arguments", {{"task_id", id}}}});
    }
    const Json form = elicitation(peer);
    ASSERT_TRUE(form.is_object());
    answer_elsewhere(id);
    EXPECT_TRUE(peer.channel->answer_to("call").contains("result"));
    const Json taken_back = peer.channel->wait_for(
        [](const Json& each) { return each.value("method", "") == "notifications/cancelled"; });
    ASSERT_TRUE(taken_back.is_object());
    EXPECT_EQ(taken_back["params"]["requestId"], form["id"]);
    // What its user says afterwards changes nothing.
    peer.send({{"jsonrpc", "2.0"},
               {"id", form["id"]},
               {"result", {{"action", "accept"}, {"content", {{"choice", "1"}}}}}});
    EXPECT_EQ(shown_answer(value_of(place_.service().desk().find(id + "/q1"))), "blue");
  }
}

TEST_F(DelegationAskingTest, AFormDoesNotStopTheClockOfAWait) {
  Peer peer(server_);
  peer.introduce(kForms);
  const std::string id = asking();
  send(peer, "tools/call",
       {{"name", "_codex_local_wait"}, {"arguments", {{"task_id", id}, {"timeout_sec", 1}}}});
  const Json form = elicitation(peer);
  ASSERT_TRUE(form.is_object());
  const Json answer = peer.channel->answer_to("call");
  ASSERT_TRUE(answer.contains("result")) << answer.dump();
  const Json envelope = answer["result"]["structuredContent"];
  EXPECT_EQ(envelope["status"], "ok");
  EXPECT_EQ(envelope["meta"].value("wait_expired", false), true);
  EXPECT_EQ(envelope["data"]["state"], "working");
  EXPECT_EQ(envelope["data"]["pending_questions"].size(), 1U);
  const Json taken_back = peer.channel->wait_for(
      [](const Json& each) { return each.value("method", "") == "notifications/cancelled"; });
  ASSERT_TRUE(taken_back.is_object());
  EXPECT_EQ(taken_back["params"]["requestId"], form["id"]);
  EXPECT_EQ(elicitations(peer), 1U);
  EXPECT_EQ(value_of(place_.service().desk().find(id + "/q1")).state, QuestionState::open);
}

TEST_F(DelegationAskingTest, AnAnswerThatDoesNotFitIsToldAsSuch) {
  const auto refused = [this](const Json& content) {
    Peer peer(server_);
    peer.introduce(kForms);
    const std::string id = asking();
    send(peer, "tools/call", {{"name", "_codex_local_wait"}, {"arguments", {{"task_id", id}}}});
    peer.send({{"jsonrpc", "2.0"},
               {"id", elicitation(peer)["id"]},
               {"result", {{"action", "accept"}, {"content", content}}}});
    const Json result = peer.channel->answer_to("call")["result"];
    EXPECT_EQ(result["structuredContent"]["data"]["pending_questions"].size(), 1U);
    std::string why = result["structuredContent"]["meta"].value("answer_refused", "");
    EXPECT_NE(result["content"][0]["text"].get<std::string>().find("The answer was not taken: "),
              std::string::npos);
    return why;
  };
  EXPECT_NE(refused({{"choice", "9"}}), "");
  EXPECT_EQ(refused({{"choice", "blue"}}), "'choice' is not the number of an option");
  EXPECT_EQ(refused(Json::object()), "nothing was chosen");
}

TEST_F(DelegationAskingTest, WhoIsAskedHearsHowTheTaskStands) {
  const std::string id = asking();
  FakeContext context;
  context.wants_progress_ = true;
  place_.tools().tell_progress({id + "/q1", "elicitation/create", "{}"}, context);
  place_.tools().tell_progress({"T-local-none/q1", "elicitation/create", "{}"}, context);
  EXPECT_EQ(context.told_.size(), 1U);
}

TEST_F(DelegationAskingTest, CallsWithTheSameSchemaAtTheSameMomentDoNotDisturbEachOther) {
  Peer peer(server_);
  peer.introduce();
  constexpr int kCalls = 16;
  for (int i = 0; i < kCalls; ++i) {
    peer.send({{"jsonrpc", "2.0"},
               {"id", i},
               {"method", "tools/call"},
               {"params",
                {{"name", "_codex_local_exec"},
                 {"arguments", {{"task", "x"}, {"output_schema", {{"type", "object"}}}}}}}});
  }
  for (int i = 0; i < kCalls; ++i) {
    const Json answer = peer.channel->answer_to(i);
    EXPECT_FALSE(answer["result"].value("isError", false)) << answer.dump();
  }
  EXPECT_EQ(value_of(place_.service().list({})).size(), std::size_t{kCalls});
}

}  // namespace
}  // namespace dragoman::test
