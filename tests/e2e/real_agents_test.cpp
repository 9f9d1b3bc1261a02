// SPDX-License-Identifier: Apache-2.0
// The real Claude Code and Codex against our own model on loopback.
#include "tests/e2e/real_agents.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

class RealAgent : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { model() = std::make_unique<Model>(); }
  static void TearDownTestSuite() { model().reset(); }
  static std::unique_ptr<Model>& model() {
    static std::unique_ptr<Model> running;
    return running;
  }

  void SetUp() override {
    if (!have_real_agents()) GTEST_SKIP() << kNoRealAgents;
    give_real_agents(place_, model()->url());
  }

  [[nodiscard]] bool claude() const { return GetParam() == "claude"; }
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> options,
                                               const std::string& prompt) const {
    options.insert(options.begin(), {"--agent", GetParam(), "--env", "MODEL_KEY", "--as", "json"});
    options.push_back(prompt);
    if (!claude()) options.insert(options.end(), {"--", "--skip-git-repo-check"});
    return options;
  }
  [[nodiscard]] Ended run(std::vector<std::string> options, const std::string& prompt,
                          const std::string& input = {}) const {
    return place_.run(words(std::move(options), prompt), input);
  }
  [[nodiscard]] std::vector<std::string> free_hand() const {
    if (claude()) return {"--permission-mode", "bypassPermissions"};
    return {"--sandbox", "danger-full-access"};
  }
  static std::string session_in(const std::string& out) {
    const auto started = of_kind(out, "session_started");
    return started.empty() ? "" : started[0]["session_id"].get<std::string>();
  }
  static std::string texts(const std::string& out) {
    std::string all;
    for (const auto& text : of_kind(out, "text")) all += text["text"].get<std::string>();
    return all;
  }

  RunPlace place_;
};

TEST_P(RealAgent, AnswersPlainly) {
  const Ended ended = run({}, "script=plain");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(texts(ended.out).find("Hello from the model."), std::string::npos);
  EXPECT_EQ(verdict_in(ended.out), "completed");
}

TEST_P(RealAgent, UsesATool) {
  const Ended ended = run(free_hand(), "script=tool");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(read_file(place_.work() / "made.txt"), "made by a tool\n");
  EXPECT_EQ(of_kind(ended.out, "tool_finished").at(0)["outcome"], "ok");
}

TEST_P(RealAgent, IsResumedWithTheAnswerToItsQuestion) {
  const Ended asked = run({"--no-input"}, "script=question");
  EXPECT_EQ(asked.exit_code, 4) << asked.out << asked.err;
  const auto questions = of_kind(asked.out, "question");
  ASSERT_FALSE(questions.empty());
  const nlohmann::json answer = {{"type", "answer"}, {"id", questions[0]["id"]}, {"options", {2}}};
  const Ended ended = run({"--io", "jsonl"}, "script=question", answer.dump() + "\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(texts(ended.out).find("Going with: JWT"), std::string::npos) << ended.out;
}

TEST_P(RealAgent, GoesOnLaterWhereAQuestionWasLeftOpen) {
  const Ended asked = run({"--no-input"}, "script=question");
  const std::string session = session_in(asked.out);
  const auto questions = of_kind(asked.out, "question");
  ASSERT_FALSE(questions.empty()) << asked.out << asked.err;
  const nlohmann::json answer = {{"type", "answer"}, {"id", questions[0]["id"]}, {"answer", "1"}};
  std::vector<std::string> again = {"--resume", session, "--env", "MODEL_KEY", "--io", "jsonl"};
  if (!claude()) {
    std::filesystem::create_directory(place_.work() / ".git");
    write_file(place_.work() / ".git/HEAD", "ref: refs/heads/main\n");
    std::filesystem::create_directories(place_.work() / ".git/objects");
    std::filesystem::create_directories(place_.work() / ".git/refs");
  }
  const Ended ended = place_.run(again, answer.dump() + "\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(texts(ended.out).find("Going with: OAuth2"), std::string::npos) << ended.out;
}

TEST_P(RealAgent, SaysWhenASessionIsUnknown) {
  const Ended ended =
      run({"--resume", "11111111-2222-4333-8444-555555555555", "--no-input"}, "script=plain");
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("session_expired"), std::string::npos) << ended.out;
}

TEST_P(RealAgent, StartsAfreshWhenAllowedTo) {
  const Ended ended =
      run({"--resume", "11111111-2222-4333-8444-555555555555", "--yes"}, "script=plain");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
}

TEST_P(RealAgent, FailsWithTheModel) {
  const Ended ended = run({}, "script=error400");
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_EQ(verdict_in(ended.out), "failed");
}

TEST_P(RealAgent, StopsWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Running running(dragoman_program(), place_.start(words({}, "script=slow")));
    ASSERT_TRUE(eventually(
        [&] { return running.out_so_far().find("session_started") != std::string::npos; }));
    running.send(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.exit_code, 128 + signal) << ended.out << ended.err;
    EXPECT_EQ(verdict_in(ended.out), "cancelled");
  }
}

TEST_P(RealAgent, ThatHangsIsEnded) {
  const Ended ended = run({"--idle-timeout", "4s", "--grace", "1s"}, "script=hang");
  EXPECT_EQ(ended.exit_code, 124) << ended.out << ended.err;
}

INSTANTIATE_TEST_SUITE_P(Both, RealAgent, ::testing::Values("claude", "codex"),
                         [](const auto& agent) { return agent.param; });

class RealClaude : public RealAgent {
 protected:
  // Its one question is answered from elsewhere while it runs; stdin stays open as a terminal's.
  [[nodiscard]] Ended answered(const std::string& prompt, const std::string& answer) const {
    Start start = place_.start({});
    start.arguments = {"-c", "mkfifo in; PATH=" + place_.bin().string() + ":/usr/local/bin:" +
                                 "/usr/bin:/bin exec " + dragoman_program().string() +
                                 " run --io jsonl --agent claude '" + prompt + "' <>in"};
    Running running("/bin/sh", start);
    const auto tool = [this](std::vector<std::string> words) {
      Start other = place_.start({});
      other.arguments = std::move(words);
      return dragoman(other);
    };
    nlohmann::json asked;
    EXPECT_TRUE(eventually(
        [&] {
          asked = nlohmann::json::parse(tool({"ask", "list", "--json"}).out, nullptr, false);
          return asked.is_array() && !asked.empty();
        },
        std::chrono::seconds(60)))
        << running.out_so_far() << running.err_so_far();
    if (!asked.is_array() || asked.empty()) return {};
    const Ended taken = tool({"answer", asked[0]["id"], answer});
    EXPECT_EQ(taken.exit_code, 0) << taken.err;
    return running.wait();
  }
};

TEST_P(RealClaude, WaitsForTheAnswerToItsOwnQuestion) {
  Running running(dragoman_program(), place_.start(words({"--io", "jsonl"}, "script=ask")));
  const Ended unanswered = running.wait();
  EXPECT_EQ(unanswered.exit_code, 4) << unanswered.out << unanswered.err;
}

TEST_P(RealClaude, AsksForPermission) {
  const Ended ended = run({"--no-input"}, "script=file");
  EXPECT_EQ(ended.exit_code, 4) << ended.out << ended.err;
  const auto questions = of_kind(ended.out, "question");
  ASSERT_FALSE(questions.empty());
  EXPECT_EQ(questions[0]["kind"], "approval");
  EXPECT_EQ(questions[0]["wants"]["tool"], "Write");
  EXPECT_EQ(questions[0]["wants"]["files"][0]["new_text"], "new\n");
  EXPECT_EQ(questions[0]["options"][2]["grants"], "allow_session") << questions[0];
  EXPECT_FALSE(std::filesystem::exists(place_.work() / "new.txt"));
}

// Answered while Claude waits, by control response, from another process.
TEST_P(RealClaude, HearsTheAnswerToItsOwnQuestion) {
  const Ended ended = answered("script=ask", "JWT");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(of_kind(ended.out, "session_started").size(), 1U) << ended.out;
  const auto questions = of_kind(ended.out, "question");
  ASSERT_FALSE(questions.empty());
  EXPECT_EQ(questions.back()["state"], "answered");
  EXPECT_EQ(questions.back()["answer"], "JWT");
  EXPECT_NE(texts(ended.out).find("Thank you for the answer."), std::string::npos) << ended.out;
  // What Claude itself made of it.
  EXPECT_NE(ended.out.find("=\\\"JWT\\\""), std::string::npos) << ended.out;
}

TEST_P(RealClaude, WritesWhatItWasAllowedTo) {
  const Ended ended = answered("script=file", "y");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(read_file(place_.work() / "new.txt"), "new\n");
}

TEST_P(RealClaude, DoesNotWriteWhatItWasDenied) {
  const Ended ended = answered("script=file", "no: use a database instead");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_FALSE(std::filesystem::exists(place_.work() / "new.txt"));
  EXPECT_EQ(of_kind(ended.out, "question").back()["decision"], "deny");
  const auto finished = of_kind(ended.out, "tool_finished");
  ASSERT_EQ(finished.size(), 1U) << ended.out;
  EXPECT_EQ(finished[0]["outcome"], "denied");
  EXPECT_NE(finished[0].dump().find("use a database instead"), std::string::npos) << finished[0];
}

// It gets its own suggestions back, and asks no more.
TEST_P(RealClaude, AsksOnceWhereTheSessionIsAllowed) {
  const Ended ended = answered("script=twice", "session");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  const auto questions = of_kind(ended.out, "question");
  ASSERT_EQ(questions.size(), 2U) << ended.out;
  EXPECT_EQ(questions[0]["wants"]["command"], "touch made.txt");
  EXPECT_EQ(questions[1]["decision"], "allow_session");
  const auto finished = of_kind(ended.out, "tool_finished");
  ASSERT_EQ(finished.size(), 2U) << ended.out;
  EXPECT_EQ(finished[1]["outcome"], "ok");
}

TEST_P(RealClaude, AsksEachTimeWhereTheOneCallIsAllowed) {
  const std::string yes = "{\"type\":\"input\",\"answer\":\"y\"}\n";
  const Ended ended = run({"--io", "jsonl"}, "script=twice", yes + yes);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(of_kind(ended.out, "question").size(), 4U) << ended.out;
}

TEST_P(RealClaude, GoesOnWhenTheUsageLimitIsOver) {
  // Limits of use, and when they end, are told to subscribers only.
  std::erase(place_.more_environment, "ANTHROPIC_API_KEY=nothing");
  place_.more_environment.emplace_back("CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-" +
                                       std::string(20, 'x'));
  const Ended ended = run({"--wait-for-limit"}, "script=limited");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  const auto states = of_kind(ended.out, "status");
  EXPECT_TRUE(std::any_of(states.begin(), states.end(), [](const auto& status) {
    return status.value("activity", "") == "waiting_limit" && status.contains("resets_at");
  })) << ended.out;
  EXPECT_NE(texts(ended.out).find("The limit is over."), std::string::npos) << ended.out;
  EXPECT_EQ(of_kind(ended.out, "session_started").size(), 2U) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(Alone, RealClaude, ::testing::Values("claude"),
                         [](const auto& agent) { return agent.param; });

}  // namespace
}  // namespace dragoman::test
