// SPDX-License-Identifier: Apache-2.0
// The protocol of 2025-11-25 and before.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "dragoman/mcp/conformance_box.hpp"
#include "tests/mcp/peer.hpp"

namespace dragoman::mcp {
namespace {

using test::code_of;
using test::Json;
using test::Peer;

class Legacy : public testing::Test {
 protected:
  ConformanceBox box_{"1.2.3"};
  Server server_{box_};
  Peer peer_{server_};
};

TEST_F(Legacy, InitializeAgreesOnTheVersionOrOffersTheNewest) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"}, {"2025-03-26", "2025-03-26"},
      {"2024-11-05", "2024-11-05"}, {"1999-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"}};
  for (const auto& [asked, agreed] : rows) {
    const Json answer =
        peer_.ask("initialize", {{"protocolVersion", asked},
                                 {"capabilities", Json::object()},
                                 {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
    EXPECT_EQ(answer["result"]["protocolVersion"], agreed) << asked;
    EXPECT_EQ(answer["result"]["serverInfo"]["name"], "dragoman-conformance");
    EXPECT_EQ(answer["result"]["serverInfo"]["version"], "1.2.3");
    EXPECT_EQ(answer["result"]["capabilities"].contains("tasks"), agreed == "2025-11-25") << asked;
  }
}

TEST_F(Legacy, InitializeWithoutAVersionIsRefused) {
  EXPECT_EQ(code_of(peer_.ask("initialize", {{"capabilities", Json::object()}})), -32602);
}

TEST_F(Legacy, PingIsAnsweredAlsoBeforeInitialize) {
  EXPECT_EQ(peer_.ask("ping")["result"], Json::object());
  peer_.introduce();
  EXPECT_EQ(peer_.ask("ping")["result"], Json::object());
}

TEST_F(Legacy, IdsComeBackAsTheyWereSpelled) {
  for (const char* id : {"7", "\"7\"", "-1", "0", "\"\"", "9007199254740993", "\"a\\u0062\""}) {
    const auto channel = std::make_shared<test::Record>();
    peer_.session->handle(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}",
                          channel);
    ASSERT_EQ(channel->all().size(), 1U);
    EXPECT_EQ(channel->all()[0]["id"], Json::parse(id));
  }
}

TEST_F(Legacy, AToolIsCalledWithoutArguments) {
  peer_.introduce();
  const Json answer = peer_.ask("tools/call", {{"name", "test_simple_text"}});
  EXPECT_EQ(
      answer["result"],
      Json::parse(
          R"({"content":[{"type":"text","text":"This is a simple text response for testing."}]})"));
}

TEST_F(Legacy, AnUnknownToolIsAProtocolErrorAndAToolsErrorAResult) {
  peer_.introduce();
  EXPECT_EQ(code_of(peer_.ask("tools/call", {{"name", "no_such_tool"}})), -32602);
  EXPECT_EQ(peer_.ask("tools/call", {{"name", "test_error_handling"}})["result"]["isError"], true);
}

TEST_F(Legacy, ModernMethodsAreUnknown) {
  peer_.introduce();
  for (const char* method : {"server/discover", "subscriptions/listen", "tasks/update", "x/y"}) {
    EXPECT_EQ(code_of(peer_.ask(method)), -32601) << method;
  }
}

TEST_F(Legacy, ProgressCarriesTheClientsTokenAndStopsWithTheAnswer) {
  peer_.introduce();
  const Json answer = peer_.ask(
      "tools/call", {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", 0}}}});
  ASSERT_TRUE(answer.contains("result"));
  std::vector<double> values;
  bool answered = false;
  for (const Json& message : peer_.channel->all()) {
    if (message == answer) answered = true;
    if (message.value("method", "") != "notifications/progress") continue;
    EXPECT_FALSE(answered);
    EXPECT_EQ(message["params"]["progressToken"], 0);
    values.push_back(message["params"]["progress"].get<double>());
  }
  EXPECT_EQ(values, (std::vector<double>{0, 50, 100}));
}

TEST_F(Legacy, WithoutATokenThereIsNoProgress) {
  peer_.introduce();
  peer_.ask("tools/call", {{"name", "test_tool_with_progress"}});
  for (const Json& message : peer_.channel->all()) {
    EXPECT_NE(message.value("method", ""), "notifications/progress");
  }
}

TEST_F(Legacy, ACancelledRequestIsNotAnswered) {
  peer_.introduce();
  peer_.send({{"jsonrpc", "2.0"},
              {"id", "slow"},
              {"method", "tools/call"},
              {"params", {{"name", "slow_compute"}, {"arguments", {{"seconds", 3600}}}}}});
  peer_.send({{"jsonrpc", "2.0"},
              {"method", "notifications/cancelled"},
              {"params", {{"requestId", "slow"}, {"reason", "enough"}}}});
  while (peer_.session->in_flight() > 0) std::this_thread::yield();
  EXPECT_EQ(peer_.ask("ping")["result"], Json::object());
  for (const Json& message : peer_.channel->all()) EXPECT_NE(message.value("id", Json()), "slow");
}

// Counts its calls, which last until they are cancelled.
class WaitingBox final : public ToolBox {
 public:
  [[nodiscard]] const ServerInfo& info() const override { return info_; }
  [[nodiscard]] Abilities abilities() const override { return {}; }
  [[nodiscard]] const std::vector<ToolSpec>& tools() const override { return tools_; }
  [[nodiscard]] Result<ToolAnswer> call(const Call& call) override {
    ++calls;
    while (call.context.sleep(kNotice)) {
    }
    return ToolAnswer(ToolResult{});
  }

  std::atomic<int> calls = 0;

 private:
  ServerInfo info_;
  std::vector<ToolSpec> tools_ = {{.name = "wait", .input_schema = R"({"type":"object"})"}};
};

TEST(Cancelling, WhatIsCancelledInLineIsNeverBegun) {
  WaitingBox box;
  Server server(box, {.threads = 1, .waiting = 8});
  Peer peer(server);
  peer.introduce();
  for (int id = 101; id <= 105; ++id) {
    peer.send(
        {{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", {{"name", "wait"}}}});
  }
  while (box.calls == 0) std::this_thread::yield();
  for (int id = 105; id >= 101; --id) {
    peer.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", id}}}});
  }
  while (peer.session->in_flight() > 0) std::this_thread::yield();
  EXPECT_EQ(box.calls, 1);
}

TEST_F(Legacy, AnIdInUseIsRefused) {
  peer_.introduce();
  const Json call = {{"jsonrpc", "2.0"},
                     {"id", 77},
                     {"method", "tools/call"},
                     {"params", {{"name", "slow_compute"}, {"arguments", {{"seconds", 3600}}}}}};
  peer_.send(call);
  peer_.send(call);
  EXPECT_EQ(code_of(peer_.channel->answer_to(77)), -32600);
}

TEST_F(Legacy, AnIdInUseIsRefusedForWhatIsAnsweredAtOnceToo) {
  peer_.introduce();
  peer_.send({{"jsonrpc", "2.0"},
              {"id", 77},
              {"method", "tools/call"},
              {"params", {{"name", "slow_compute"}, {"arguments", {{"seconds", 3600}}}}}});
  peer_.send({{"jsonrpc", "2.0"}, {"id", 77}, {"method", "ping"}});
  EXPECT_EQ(code_of(peer_.channel->answer_to(77)), -32600);
}

TEST_F(Legacy, AnElicitationIsARequestWhileTheCallWaits) {
  peer_.introduce({{"elicitation", Json::object()}});
  peer_.send({{"jsonrpc", "2.0"},
              {"id", 50},
              {"method", "tools/call"},
              {"params", {{"name", "test_elicitation"}, {"arguments", {{"message", "Who?"}}}}}});
  const Json question = peer_.channel->wait_for(
      [](const Json& each) { return each.value("method", "") == "elicitation/create"; });
  ASSERT_TRUE(question.is_object());
  EXPECT_EQ(question["params"]["message"], "Who?");
  peer_.send({{"jsonrpc", "2.0"},
              {"id", question["id"]},
              {"result", {{"action", "accept"}, {"content", {{"username", "u"}}}}}});
  EXPECT_EQ(peer_.channel->answer_to(50)["result"]["content"][0]["text"],
            R"(User response: {"action":"accept","content":{"username":"u"}})");
}

TEST_F(Legacy, WhatTheClientDidNotDeclareIsNotAsked) {
  peer_.introduce();
  EXPECT_EQ(code_of(peer_.ask("tools/call",
                              {{"name", "test_elicitation"}, {"arguments", {{"message", "x"}}}})),
            -32602);
  for (const Json& message : peer_.channel->all()) EXPECT_FALSE(message.contains("method"));
}

TEST_F(Legacy, WhenTheInputEndsTheQuestionIsGivenUp) {
  peer_.introduce({{"elicitation", Json::object()}});
  peer_.send({{"jsonrpc", "2.0"},
              {"id", 51},
              {"method", "tools/call"},
              {"params", {{"name", "test_elicitation"}, {"arguments", {{"message", "x"}}}}}});
  peer_.channel->wait_for(
      [](const Json& each) { return each.value("method", "") == "elicitation/create"; });
  peer_.session->end_input();
  EXPECT_NE(code_of(peer_.channel->answer_to(51)), 0);
}

TEST_F(Legacy, MessagesBelowTheLevelAreNotSent) {
  peer_.introduce();
  EXPECT_EQ(peer_.ask("logging/setLevel", {{"level", "warning"}})["result"], Json::object());
  peer_.ask("tools/call", {{"name", "test_tool_with_logging"}});
  for (const Json& message : peer_.channel->all()) EXPECT_FALSE(message.contains("method"));
  peer_.ask("logging/setLevel", {{"level", "debug"}});
  peer_.ask("tools/call", {{"name", "test_tool_with_logging"}});
  int logged = 0;
  for (const Json& message : peer_.channel->all()) {
    logged += message.value("method", "") == "notifications/message" ? 1 : 0;
  }
  EXPECT_EQ(logged, 3);
  EXPECT_EQ(code_of(peer_.ask("logging/setLevel", {{"level", "loud"}})), -32602);
}

TEST_F(Legacy, ABatchIsAnsweredAsOneInTheRevisionThatHasThem) {
  peer_.introduce(Json::object(), "2025-03-26");
  const auto channel = std::make_shared<test::Record>();
  peer_.session->handle(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
          {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_simple_text"}},7,
          {"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}])",
      channel);
  const Json answers = channel->wait_for([](const Json& each) { return each.is_array(); });
  ASSERT_EQ(answers.size(), 4U);
  std::map<std::string, int> codes;
  for (const Json& answer : answers) codes[answer["id"].dump()] = code_of(answer);
  EXPECT_EQ(codes,
            (std::map<std::string, int>{{"1", 0}, {"2", 0}, {"3", -32600}, {"null", -32600}}));
}

TEST_F(Legacy, OtherRevisionsHaveNoBatches) {
  peer_.introduce();
  for (const char* text : {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "[]", "[1,2]"}) {
    const auto channel = std::make_shared<test::Record>();
    peer_.session->handle(text, channel);
    ASSERT_EQ(channel->all().size(), 1U);
    EXPECT_EQ(code_of(channel->all()[0]), -32600) << text;
  }
}

TEST_F(Legacy, ABatchOfNotificationsIsNotAnswered) {
  peer_.introduce(Json::object(), "2025-03-26");
  const auto channel = std::make_shared<test::Record>();
  peer_.session->handle(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])", channel);
  EXPECT_EQ(channel->http(), 202);
  EXPECT_TRUE(channel->all().empty());
}

TEST_F(Legacy, AnUnknownResourceHasItsOwnCode) {
  peer_.introduce();
  const Json answer = peer_.ask("resources/read", {{"uri", "test://nothing"}});
  EXPECT_EQ(code_of(answer), -32002);
  EXPECT_EQ(answer["error"]["data"]["uri"], "test://nothing");
}

TEST_F(Legacy, CursorsAreOpaqueAndOthersAreRefused) {
  peer_.introduce();
  EXPECT_TRUE(peer_.ask("tools/list", {{"cursor", ""}}).contains("result"));
  for (const Json& cursor : std::vector<Json>{"p", "x", "p0", "p1", "p-1", 5, nullptr}) {
    EXPECT_EQ(code_of(peer_.ask("tools/list", {{"cursor", cursor}})), -32602) << cursor;
  }
}

TEST_F(Legacy, ATaskIsCreatedPolledAndItsResultFetched) {
  peer_.introduce();
  const Json created = peer_.ask("tools/call", {{"name", "slow_compute"},
                                                {"arguments", {{"seconds", 0.1}, {"label", "x"}}},
                                                {"task", {{"ttl", 60000}}}});
  const Json task = created["result"]["task"];
  ASSERT_TRUE(task.is_object());
  EXPECT_EQ(task["status"], "working");
  EXPECT_EQ(task["ttl"], 60000);
  const Json id = task["taskId"];
  const Json result = peer_.ask("tasks/result", {{"taskId", id}});
  EXPECT_EQ(result["result"]["content"][0]["text"], "Computed x in 0.1 s");
  EXPECT_EQ(result["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], id);
  EXPECT_EQ(peer_.ask("tasks/get", {{"taskId", id}})["result"]["status"], "completed");
  EXPECT_EQ(code_of(peer_.ask("tasks/cancel", {{"taskId", id}})), -32602);
  EXPECT_EQ(code_of(peer_.ask("tasks/get", {{"taskId", "unknown"}})), -32602);
}

TEST_F(Legacy, ATaskThatAsksDoesSoOnTheResult) {
  peer_.introduce({{"elicitation", Json::object()}});
  const Json created = peer_.ask(
      "tools/call",
      {{"name", "confirm_delete"}, {"arguments", {{"filename", "f"}}}, {"task", Json::object()}});
  const Json id = created["result"]["task"]["taskId"];
  peer_.send(
      {{"jsonrpc", "2.0"}, {"id", 90}, {"method", "tasks/result"}, {"params", {{"taskId", id}}}});
  const Json question = peer_.channel->wait_for(
      [](const Json& each) { return each.value("method", "") == "elicitation/create"; });
  EXPECT_EQ(question["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], id);
  peer_.send({{"jsonrpc", "2.0"},
              {"id", question["id"]},
              {"result", {{"action", "accept"}, {"content", {{"confirm", true}}}}}});
  EXPECT_EQ(peer_.channel->answer_to(90)["result"]["content"][0]["text"],
            R"(Asked about f: {"action":"accept","content":{"confirm":true}})");
}

TEST_F(Legacy, ATaskIsCancelledAndAToolThatIsOnlyATaskIsRefusedOtherwise) {
  peer_.introduce();
  EXPECT_EQ(code_of(peer_.ask("tools/call", {{"name", "failing_job"}})), -32601);
  const Json created = peer_.ask(
      "tools/call",
      {{"name", "slow_compute"}, {"arguments", {{"seconds", 3600}}}, {"task", Json::object()}});
  const Json id = created["result"]["task"]["taskId"];
  EXPECT_EQ(peer_.ask("tasks/cancel", {{"taskId", id}})["result"]["status"], "cancelled");
}

TEST_F(Legacy, SubscribersHearOfChanges) {
  peer_.introduce();
  EXPECT_EQ(peer_.ask("resources/subscribe", {{"uri", "test://watched-resource"}})["result"],
            Json::object());
  box_.publish({.uris = {"test://static-text", "test://watched-resource"}});
  const Json told = peer_.channel->wait_for([](const Json& each) {
    return each.value("method", "") == "notifications/resources/updated";
  });
  EXPECT_EQ(told["params"]["uri"], "test://watched-resource");
}

}  // namespace
}  // namespace dragoman::mcp
