// SPDX-License-Identifier: Apache-2.0
// The talk with a run over the API.
#include <functional>
#include <set>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/web/served.hpp"

namespace dragoman::web::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ApiOfTalk : public Served {
 protected:
  std::string add(const std::string& agent, const std::string& state,
                  const std::string& thread = "11111111-2222-4333-8444-555555555555") {
    const std::string id = add_task("do it", state);
    change(id, [&](task::Task& task) {
      task.agent = agent;
      task.thread_id = thread;
      task.turns = 1;
    });
    return id;
  }
  void change(const std::string& id, const std::function<void(task::Task&)>& how) {
    auto task = service_->get(id);
    ASSERT_TRUE(task);
    how(*task);
    ASSERT_TRUE(
        write_one(*log_, Put{std::string(task::kTasks), task::record_of(*task), task->revision}));
  }
  [[nodiscard]] RawResponse send(const std::string& id, const json& body) const {
    return ask("POST", "/api/v1/runs/" + id + "/messages", "", body.dump());
  }
  [[nodiscard]] RawResponse interrupt(const std::string& id) const {
    return ask("POST", "/api/v1/runs/" + id + "/interrupt", "", "{}");
  }
  static std::string code(const RawResponse& response) {
    return json::parse(response.body)["error"]["code"];
  }
};

TEST_F(ApiOfTalk, ARunAtRestGoesOnWithAMessage) {
  const std::string id = add("claude", "completed");
  EXPECT_EQ(get("/api/v1/runs/" + id)["hears"], "next_turn");
  const RawResponse sent = send(id, {{"text", "and now the docs"}, {"keep", "10m"}});
  ASSERT_EQ(sent.status, 202) << sent.body;
  const json said = json::parse(sent.body);
  EXPECT_EQ(said["id"], id);
  EXPECT_EQ(said["number"], 1);
  EXPECT_EQ(said["hears"], "next_turn");
  EXPECT_EQ(said["run"]["state"], "queued");
  EXPECT_EQ(service_->get(id)->keep_ms, 600'000);
  EXPECT_EQ(json::parse(send(id, {{"text", "and the tests"}}).body)["number"], 2);
  EXPECT_EQ(service_->get(id)->keep_ms, 600'000) << "as before";
  const json run = get("/api/v1/runs/" + id);
  EXPECT_EQ(run["said"], 2);
  EXPECT_EQ(run["heard"], 0);
  EXPECT_EQ(run["verdict"], nullptr) << "of the turn before";
  const json messages = get("/api/v1/runs/" + id + "/messages")["messages"];
  EXPECT_EQ(messages, run["messages"]);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["text"], "and now the docs");
  EXPECT_EQ(messages[0]["state"], "waiting");
  EXPECT_EQ(messages[0]["by"], "dashboard");
  EXPECT_EQ(messages[1]["reason"], nullptr);
  std::set<std::string> members;
  for (const auto& [name, value] : messages[0].items()) members.insert(name);
  EXPECT_EQ(json(members),
            json(std::set<std::string>(
                get("/api/v1/openapi.json")["components"]["schemas"]["Message"]["required"])));
}

TEST_F(ApiOfTalk, AnAgentAtWorkHearsItAsItCan) {
  EXPECT_EQ(json::parse(send(add("claude", "working"), {{"text", "x"}}).body)["hears"], "now");
  EXPECT_EQ(json::parse(send(add("codex", "working"), {{"text", "x"}}).body)["hears"],
            "after_turn");
}

TEST_F(ApiOfTalk, ARunThatCannotGoOnTakesNothing) {
  for (const std::string& id : {add("command", "completed"), add("codex", "failed", "")}) {
    const RawResponse sent = send(id, {{"text", "x"}});
    EXPECT_EQ(sent.status, 409) << sent.body;
    EXPECT_EQ(code(sent), "cannot_go_on");
    const json run = get("/api/v1/runs/" + id);
    EXPECT_EQ(run["said"], 0);
    EXPECT_EQ(run["hears"], nullptr);
    EXPECT_THAT(run["cannot_go_on"].get<std::string>(), HasSubstr(id));
  }
}

TEST_F(ApiOfTalk, WhatIsNoMessageIsRefused) {
  const std::string id = add("claude", "completed");
  EXPECT_EQ(send("r-nothere2", {{"text", "x"}}).status, 404);
  for (const json& body : {json::object(), json{{"text", " \n"}}, json{{"text", 7}},
                           json{{"text", "x"}, {"keep", "soon"}}, json{{"words", "x"}}}) {
    EXPECT_EQ(send(id, body).status, 422) << body;
  }
  EXPECT_EQ(send(id, {{"text", std::string(std::size_t{3} << 20U, 'x')}}).status, 413);
  const std::string target = "/api/v1/runs/" + id + "/messages";
  EXPECT_EQ(ask("POST", target, "Content-Type: text/plain\r\n", "{}").status, 415);
  EXPECT_EQ(ask("POST", target, "X-Nobody: yes\r\n", "{}").status, 401);
  EXPECT_EQ(ask("POST", target, "Origin: http://elsewhere.example\r\n", "{}").status, 403);
  EXPECT_EQ(get("/api/v1/runs/" + id)["said"], 0);
  EXPECT_EQ(ask("GET", "/api/v1/runs/r-nothere2/messages").status, 404);
}

TEST_F(ApiOfTalk, AnInterruptIsOfARunAtWork) {
  const std::string id = add("claude", "working");
  const RawResponse done = interrupt(id);
  EXPECT_EQ(done.status, 202) << done.body;
  EXPECT_EQ(json::parse(done.body)["id"], id);
  EXPECT_EQ(service_->get(id)->interrupts, 1U);
  const RawResponse refused = interrupt(add("claude", "completed"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(code(refused), "not_at_work");
  EXPECT_EQ(interrupt("r-nothere2").status, 404);
}

TEST_F(ApiOfTalk, ATaskOfThePageKeepsItsAgent) {
  const RawResponse made =
      ask("POST", "/api/v1/tasks", "", R"({"task":"do it","working_dir":"/tmp","keep":"10m"})");
  ASSERT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(service_->get(json::parse(made.body)["run"]["id"].get<std::string>())->keep_ms,
            600'000);
}

// What is over may go on: its tokens are those of all turns, and each turn took its time.
TEST_F(ApiOfTalk, MetricsCountEachTurnOnceAndNoTokenTwice) {
  const std::string id = add("claude", "working");
  const auto ends = [&](const std::string& input, std::uint64_t turn) {
    change(id, [&](task::Task& task) {
      task.state = "completed";
      task.turns = turn;
      task.completed_at = task::now_ms();
      task.metadata.json = R"({"thread_info":{"token_usage":{"input_tokens":)" + input + "}}}";
    });
  };
  const auto metrics_say = [&](const std::string& line) {
    return dragoman::test::eventually(
        [&] { return ask("GET", "/metrics").body.find(line) != std::string::npos; });
  };
  ends("10", 1);
  EXPECT_TRUE(metrics_say("tokens_total{type=\"input\"} 10\n"));
  ends("10", 1);
  ends("25", 2);
  EXPECT_TRUE(metrics_say("tokens_total{type=\"input\"} 25\n"));
  EXPECT_TRUE(metrics_say("task_duration_seconds_count 2\n"));
}

}  // namespace
}  // namespace dragoman::web::test
