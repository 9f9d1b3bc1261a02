// SPDX-License-Identifier: Apache-2.0
// The protocol of 2026-07-28.
#include <gtest/gtest.h>

#include "dragoman/mcp/conformance_box.hpp"
#include "tests/mcp/peer.hpp"

namespace dragoman::mcp {
namespace {

using test::code_of;
using test::Json;
using test::Peer;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const Json kTasks = {{"elicitation", Json::object()},
                     {"extensions", {{"io.modelcontextprotocol/tasks", Json::object()}}}};

class Modern : public testing::Test {
 protected:
  ConformanceBox box_{"1.2.3"};
  Server server_{box_};
  Peer peer_{server_};
};

TEST_F(Modern, DiscoverSaysWhoWeAreAndWhatWeServe) {
  const Json result = peer_.ask_modern("server/discover")["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"], Json::parse(R"(["2026-07-28"])"));
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "dragoman-conformance");
  EXPECT_TRUE(result["capabilities"]["extensions"].contains("io.modelcontextprotocol/tasks"));
  EXPECT_FALSE(result["capabilities"].contains("tasks"));
  EXPECT_TRUE(result.contains("ttlMs") && result.contains("cacheScope"));
}

// The ladder: header and body, in the order in which they are looked at.
TEST_F(Modern, EachStepOfTheLadderHasItsCode) {
  struct Row {
    const char* what;
    Json meta;
    Headers headers;
    int code;
    int http;
  };
  const Json good = {{kVersionKey, "2026-07-28"}, {kCapabilitiesKey, Json::object()}};
  const Headers headers{.version = "2026-07-28", .method = "tools/list"};
  const std::vector<Row> rows = {
      {"good", good, headers, 0, 200},
      {"no claim, modern header", Json::object(), headers, -32602, 400},
      {"claim of another type", {{kVersionKey, 5}}, headers, -32602, 400},
      {"header says otherwise", {{kVersionKey, "v999"}}, headers, -32020, 400},
      {"unsupported",
       {{kVersionKey, "v999"}},
       {.version = "v999", .method = "tools/list"},
       -32022,
       400},
      {"no capabilities", {{kVersionKey, "2026-07-28"}}, headers, -32602, 400},
      {"capabilities no object",
       {{kVersionKey, "2026-07-28"}, {kCapabilitiesKey, Json::array()}},
       headers,
       -32602,
       400},
      {"no version header", good, {.method = "tools/list"}, -32020, 400},
      {"no method header", good, {.version = "2026-07-28"}, -32020, 400},
      {"another method", good, {.version = "2026-07-28", .method = "TOOLS/LIST"}, -32020, 400},
      {"bad level",
       {{kVersionKey, "2026-07-28"},
        {kCapabilitiesKey, Json::object()},
        {"io.modelcontextprotocol/logLevel", "loud"}},
       headers,
       -32602,
       400},
  };
  for (const Row& row : rows) {
    const auto channel = std::make_shared<test::Record>();
    const Json message = {{"jsonrpc", "2.0"},
                          {"id", "row"},
                          {"method", "tools/list"},
                          {"params", {{"_meta", row.meta}}}};
    Session::make(server_)->handle(message.dump(), channel, &row.headers);
    ASSERT_EQ(channel->all().size(), 1U) << row.what;
    EXPECT_EQ(code_of(channel->all()[0]), row.code) << row.what;
    EXPECT_EQ(channel->all()[0]["id"], "row") << row.what;
    EXPECT_EQ(channel->http(), row.http) << row.what;
  }
}

TEST_F(Modern, AnUnsupportedVersionIsToldWhatThereIs) {
  const Json answer = peer_.ask("tools/list", {{"_meta", {{kVersionKey, "2031-01-01"}}}});
  EXPECT_EQ(answer["error"]["data"],
            Json::parse(R"({"supported":["2026-07-28"],"requested":"2031-01-01"})"));
}

TEST_F(Modern, RemovedMethodsAreUnknown) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "tasks/result", "tasks/list", "x/y"}) {
    EXPECT_EQ(code_of(peer_.ask_modern(method, {}, kTasks)), -32601) << method;
  }
}

TEST_F(Modern, NamesInHeadersMirrorTheBody) {
  struct Row {
    const char* what;
    std::optional<std::string> name;
    int code;
  };
  const std::vector<Row> rows = {{"same", "test_simple_text", 0},
                                 {"encoded", "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?=", 0},
                                 {"other", "test_image_content", -32020},
                                 {"bad base64", "=?base64?dGVzdF9zaW1wbGVfdGV4dA?=", -32020},
                                 {"missing", std::nullopt, -32020}};
  for (const Row& row : rows) {
    const auto channel = std::make_shared<test::Record>();
    const Json message = {
        {"jsonrpc", "2.0"},
        {"id", 1},
        {"method", "tools/call"},
        {"params",
         {{"name", "test_simple_text"},
          {"_meta", {{kVersionKey, "2026-07-28"}, {kCapabilitiesKey, Json::object()}}}}}};
    const Headers headers{.version = "2026-07-28", .method = "tools/call", .name = row.name};
    const auto session = Session::make(server_);
    session->handle(message.dump(), channel, &headers);
    EXPECT_EQ(code_of(channel->answer_to(1)), row.code) << row.what;
  }
}

TEST_F(Modern, AMissingCapabilityIsNamed) {
  const Json answer = peer_.ask_modern("tools/call", {{"name", "test_missing_capability"}});
  EXPECT_EQ(code_of(answer), -32021);
  EXPECT_EQ(answer["error"]["data"]["requiredCapabilities"], Json::parse(R"({"sampling":{}})"));
}

TEST_F(Modern, AnUnknownResourceIsABadParameter) {
  const Json answer = peer_.ask_modern("resources/read", {{"uri", "test://nothing"}});
  EXPECT_EQ(code_of(answer), -32602);
  EXPECT_EQ(answer["error"]["data"]["uri"], "test://nothing");
}

TEST_F(Modern, ListsCanBeCached) {
  for (const char* method :
       {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
    const Json result = peer_.ask_modern(method)["result"];
    EXPECT_TRUE(result["ttlMs"].is_number_unsigned()) << method;
    EXPECT_TRUE(result["cacheScope"] == "public" || result["cacheScope"] == "private") << method;
    EXPECT_EQ(result["resultType"], "complete");
  }
}

const Json kForm = {{"elicitation", Json::object()}};

TEST_F(Modern, ACallThatAsksIsMadeAgainWithTheAnswers) {
  Json call = {{"name", "test_input_required_result_multi_round"}};
  const Json first = peer_.ask_modern("tools/call", call, kForm)["result"];
  EXPECT_EQ(first["resultType"], "input_required");
  ASSERT_TRUE(first["inputRequests"].contains("step1"));
  call["requestState"] = first["requestState"];
  call["inputResponses"] = {{"step1", {{"action", "accept"}, {"content", {{"name", "Ada"}}}}}};
  const Json second = peer_.ask_modern("tools/call", call, kForm)["result"];
  ASSERT_TRUE(second["inputRequests"].contains("step2"));
  EXPECT_NE(second["requestState"], first["requestState"]);
  call["requestState"] = second["requestState"];
  call["inputResponses"] = {{"step2", {{"action", "accept"}, {"content", {{"color", "red"}}}}}};
  const Json third = peer_.ask_modern("tools/call", call, kForm)["result"];
  EXPECT_EQ(third["resultType"], "complete");
  EXPECT_EQ(third["content"][0]["text"], "Ada likes red");
}

TEST_F(Modern, AStateThatWasChangedOrBelongsElsewhereIsRefused) {
  Json call = {{"name", "test_input_required_result_request_state"}};
  const std::string state = peer_.ask_modern("tools/call", call, kForm)["result"]["requestState"];
  call["inputResponses"] = {{"confirm", {{"action", "accept"}, {"content", {{"ok", true}}}}}};
  std::string changed = state;
  changed[10] = changed[10] == 'A' ? 'B' : 'A';
  for (const Json& bad : std::vector<Json>{changed, state + "A", "", 5, nullptr}) {
    call["requestState"] = bad;
    EXPECT_EQ(code_of(peer_.ask_modern("tools/call", call, kForm)), -32602) << bad;
  }
  Json other = call;
  other["requestState"] = state;
  other["arguments"] = {{"more", 1}};
  EXPECT_EQ(code_of(peer_.ask_modern("tools/call", other, kForm)), -32602);
  call["requestState"] = state;
  EXPECT_EQ(peer_.ask_modern("tools/call", call, kForm)["result"]["content"][0]["text"],
            "state-ok");
}

TEST_F(Modern, NothingIsAskedThatTheClientDidNotDeclare) {
  const Json answer = peer_.ask_modern(
      "tools/call", {{"name", "test_input_required_result_multiple_inputs"}}, kForm);
  EXPECT_EQ(code_of(answer), -32021);
  EXPECT_EQ(answer["error"]["data"]["requiredCapabilities"],
            Json::parse(R"({"sampling":{},"roots":{}})"));
}

TEST_F(Modern, ATaskIsWatchedAnsweredAndHasItsResultInside) {
  const Json created = peer_.ask_modern("tools/call", {{"name", "multi_input"}}, kTasks)["result"];
  EXPECT_EQ(created["resultType"], "task");
  const Json id = created["taskId"];
  Json task;
  do {
    task = peer_.ask_modern("tasks/get", {{"taskId", id}}, kTasks)["result"];
  } while (task["status"] == "working");
  EXPECT_EQ(task["inputRequests"].size(), 2U);
  const Json accept = {{"action", "accept"}, {"content", {{"confirm", true}}}};
  const Json ack = peer_.ask_modern(
      "tasks/update", {{"taskId", id}, {"inputResponses", {{"first", accept}}}}, kTasks)["result"];
  EXPECT_EQ(ack["resultType"], "complete");
  EXPECT_FALSE(ack.contains("taskId"));
  task = peer_.ask_modern("tasks/get", {{"taskId", id}}, kTasks)["result"];
  EXPECT_EQ(task["status"], "input_required");
  EXPECT_FALSE(task["inputRequests"].contains("first"));
  peer_.ask_modern("tasks/update", {{"taskId", id}, {"inputResponses", {{"second", accept}}}},
                   kTasks);
  do {
    task = peer_.ask_modern("tasks/get", {{"taskId", id}}, kTasks)["result"];
  } while (task["status"] == "working");
  EXPECT_EQ(task["status"], "completed");
  EXPECT_EQ(task["result"]["content"][0]["text"], "2 answers");
  EXPECT_TRUE(peer_.ask_modern("tasks/cancel", {{"taskId", id}}, kTasks).contains("result"));
}

TEST_F(Modern, TasksAreForClientsThatDeclareThem) {
  EXPECT_EQ(code_of(peer_.ask_modern("tasks/get", {{"taskId", "x"}})), -32021);
  EXPECT_EQ(code_of(peer_.ask_modern("tools/call", {{"name", "failing_job"}})), -32021);
  EXPECT_EQ(
      peer_.ask_modern("tools/call", {{"name", "slow_compute"},
                                      {"arguments", {{"seconds", 0.01}}}})["result"]["resultType"],
      "complete");
}

TEST_F(Modern, AListenerHearsWhatItAskedForAndNothingElse) {
  const Json params = {
      {"notifications", {{"promptsListChanged", true}}},
      {"_meta", {{kVersionKey, "2026-07-28"}, {kCapabilitiesKey, Json::object()}}}};
  peer_.send(
      {{"jsonrpc", "2.0"}, {"id", "L"}, {"method", "subscriptions/listen"}, {"params", params}});
  const std::vector<Json> first = peer_.channel->all();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0]["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(first[0]["params"]["notifications"], Json::parse(R"({"promptsListChanged":true})"));
  box_.publish({.tools = true});
  box_.publish({.prompts = true});
  const Json told = peer_.channel->wait_for([](const Json& each) {
    return each.value("method", "") == "notifications/prompts/list_changed";
  });
  EXPECT_EQ(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L");
  EXPECT_EQ(peer_.channel->all().size(), 2U);
  peer_.session->end_input();
  const Json end = peer_.channel->answer_to("L");
  EXPECT_EQ(end["result"]["resultType"], "complete");
}

TEST_F(Modern, ACancelledListenerHearsNothingMore) {
  const Json params = {
      {"notifications", {{"toolsListChanged", true}}},
      {"_meta", {{kVersionKey, "2026-07-28"}, {kCapabilitiesKey, Json::object()}}}};
  peer_.send(
      {{"jsonrpc", "2.0"}, {"id", 5}, {"method", "subscriptions/listen"}, {"params", params}});
  peer_.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 5}}}});
  box_.publish({.tools = true});
  peer_.session->end_input();
  EXPECT_EQ(peer_.channel->all().size(), 1U);
}

TEST_F(Modern, LoggingIsForRequestsThatWantIt) {
  peer_.ask_modern("tools/call", {{"name", "test_logging_tool"}});
  for (const Json& message : peer_.channel->all()) EXPECT_FALSE(message.contains("method"));
  peer_.ask_modern("tools/call", {{"name", "test_logging_tool"},
                                  {"_meta", {{"io.modelcontextprotocol/logLevel", "debug"}}}});
  EXPECT_TRUE(peer_.channel
                  ->wait_for([](const Json& each) {
                    return each.value("method", "") == "notifications/message";
                  })
                  .is_object());
}

TEST_F(Modern, BothErasAreServedToOnePeer) {
  peer_.introduce();
  EXPECT_TRUE(peer_.ask_modern("server/discover").contains("result"));
  EXPECT_EQ(peer_.ask("ping")["result"], Json::object());
}

}  // namespace
}  // namespace dragoman::mcp
