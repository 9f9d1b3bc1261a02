// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/repeated_answers.hpp"

#include <set>

#include "tests/mcp/peer.hpp"
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

class RepeatedAnswersTest : public testing::Test {
 protected:
  // What a client gets: repeated where that is possible, else made.
  json ask(const std::string& arguments) {
    const auto again = place_.tools().repeat("_codex_local_status", arguments);
    repeated_ = again.has_value();
    if (!again) return place_.call_text("_codex_local_status", arguments).envelope;
    const json result = json::parse(*again);
    const json& envelope = result["structuredContent"];
    expect_valid(envelope);
    EXPECT_FALSE(result.contains("isError"));
    const std::string text = result["content"][0]["text"];
    if (arguments.find("\"json\"") != std::string::npos) {
      EXPECT_EQ(json::parse(text), envelope);
    } else {
      EXPECT_THAT(text, testing::StartsWith("**"));
    }
    return envelope;
  }
  // Asks until an answer was given twice; a slow machine may need more than a second for two.
  json ask_twice(const std::string& arguments) {
    for (int i = 0; i < 1000; ++i) {
      (void)ask(arguments);
      json answer = ask(arguments);
      if (repeated_) return answer;
    }
    ADD_FAILURE() << "never repeated";
    return {};
  }

  ToolPlace place_;
  std::unique_ptr<Log> other_ = value_of(open_sqlite_log({place_.store(), ""}));
  bool repeated_ = false;
};

TEST_F(RepeatedAnswersTest, ARepeatedAnswerIsTheSameButForItsRequestId) {
  const std::string id = place_.submitted();
  for (const char* arguments : {"{}", R"({"format":"json"})", R"({"limit":3})"}) {
    json first = ask_twice(arguments);
    EXPECT_EQ(first["data"]["queue"][0]["id"], id);
    EXPECT_EQ(first["request_id"].get<std::string>()[14], '4');
    json second = ask_twice(arguments);
    EXPECT_NE(first["request_id"], second["request_id"]);
    first["request_id"] = second["request_id"];
    for (json* each : {&first, &second}) {
      (*each)["ts"] = (*each)["meta"]["snapshot_ts"] = "";
    }
    EXPECT_EQ(first, second);
  }
}

TEST_F(RepeatedAnswersTest, NoTwoAnswersHaveTheSameRequestId) {
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.insert(ask("{}")["request_id"]);
  EXPECT_EQ(ids.size(), 200U);
}

TEST_F(RepeatedAnswersTest, WhatAnybodyChangedIsInTheNextAnswer) {
  for (std::size_t i = 1; i <= 10; ++i) {
    const std::string id = place_.submitted();
    EXPECT_EQ(ask("{}")["data"]["summary"]["queued"], 1U);
    (void)ask_twice("{}");
    // Another process takes it, asks a question, finishes.
    value_of(task::change_task(*other_, id, [](task::Task& task) {
      const auto self = task::identity_of(::getpid());
      task.state = "working";
      task.started_at = task::now_ms();
      task.runner_pid = self.pid;
      task.runner_start = self.start;
      task.boot = self.boot;
      return true;
    }));
    EXPECT_EQ(ask("{}")["data"]["tasks"][0]["id"], id);
    EXPECT_FALSE(repeated_);
    (void)ask_twice("{}");
    ask::Desk desk(*other_);
    auto question = color_question();
    question.task_id = id;
    EXPECT_TRUE(desk.open(question));
    EXPECT_EQ(ask("{}")["data"]["tasks"][0]["pending_questions"].size(), 1U);
    (void)ask_twice("{}");
    value_of(task::change_task(*other_, id, [](task::Task& task) {
      task.state = "completed";
      return true;
    }));
    const json done = ask("{}");
    EXPECT_EQ(done["data"]["summary"]["running"], 0U);
    EXPECT_EQ(done["data"]["summary"]["recently_completed"], i);
  }
}

TEST_F(RepeatedAnswersTest, WhatWasDeletedIsNotInTheNextAnswer) {
  const std::string id = place_.submitted();
  place_.end(id, "completed");
  EXPECT_EQ(ask_twice("{}")["data"]["summary"]["recently_completed"], 1U);
  const auto record = value_of(other_->get(task::kTasks, id));
  value_of(write_one(*other_, Drop{std::string(task::kTasks), id, record->revision}));
  EXPECT_EQ(ask("{}")["data"]["summary"]["recently_completed"], 0U);
}

TEST_F(RepeatedAnswersTest, OtherToolsAndRefusedArgumentsAreNotRepeated) {
  const std::string id = place_.submitted();
  const std::string task = R"({"task_id":")" + id + R"("})";
  for (int i = 0; i < 3; ++i) {
    (void)place_.call_text("_codex_local_results", task);
    (void)place_.call_text("_codex_local_status", R"({"limit":0})");
    EXPECT_FALSE(place_.tools().repeat("_codex_local_results", task));
    EXPECT_FALSE(place_.tools().repeat("_codex_local_status", R"({"limit":0})"));
    EXPECT_FALSE(place_.tools().repeat("_codex_local_fly", "{}"));
  }
}

// Repeated or not, a result has what every result of its era has, and nothing twice.
TEST_F(RepeatedAnswersTest, ARepeatedResultHasTheFormOfItsEra) {
  mcp::Server server(place_.tools());
  Peer peer(server);
  peer.introduce();
  const json call = {{"name", "_codex_local_status"}, {"arguments", {{"format", "json"}}}};
  const auto members = [](const json& answer) {
    std::vector<std::string> names;
    for (const auto& [name, value] : answer["result"].items()) names.push_back(name);
    return names;
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(members(peer.ask("tools/call", call)),
              (std::vector<std::string>{"content", "structuredContent"}));
    const json modern = peer.ask_modern("tools/call", call);
    EXPECT_EQ(members(modern),
              (std::vector<std::string>{"_meta", "content", "resultType", "structuredContent"}));
    EXPECT_EQ(modern["result"]["resultType"], "complete");
  }
}

TEST(RepeatedAnswers, AnOtherBasisIsAnOtherAnswer) {
  mcp::RepeatedAnswers answers;
  const mcp::ToolResult result{"text", "",
                               R"({"request_id":"00000000-0000-4000-8000-000000000000"})", false};
  answers.keep("tool", "{}", {1, 10}, result);
  EXPECT_TRUE(answers.find("tool", "{}", {1, 10}));
  EXPECT_FALSE(answers.find("tool", "{}", {2, 10}));
  EXPECT_FALSE(answers.find("tool", "{}", {1, 11}));
  EXPECT_FALSE(answers.find("tool", "{ }", {1, 10}));
  EXPECT_FALSE(answers.find("other", "{}", {1, 10}));
}

TEST(RepeatedAnswers, KeepsAFewAndNothingLarge) {
  mcp::RepeatedAnswers answers;
  mcp::ToolResult result{"text", "", R"({"request_id":"00000000-0000-4000-8000-000000000000"})",
                         false};
  for (int i = 0; i < 100; ++i) answers.keep("tool", std::to_string(i), {1, 1}, result);
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += answers.find("tool", std::to_string(i), {1, 1}) ? 1 : 0;
  EXPECT_EQ(kept, 8);
  result.text = std::string(200'000, 'x');
  answers.keep("tool", "large", {1, 1}, result);
  EXPECT_FALSE(answers.find("tool", "large", {1, 1}));
}

}  // namespace
}  // namespace dragoman::test
