// SPDX-License-Identifier: Apache-2.0
// A talk with the real Claude Code and Codex: turns that are begun from elsewhere, from the page's
// API, and after the process that ran them was killed.
#include <array>
#include <csignal>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/e2e/real_agents.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/raw_client.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Talk : public ::testing::TestWithParam<std::string> {
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
  // No runner may outlive the directory of its store.
  void TearDown() override {
    if (!have_real_agents()) return;
    EXPECT_TRUE(eventually([&] {
      return tool({"task", "work"}).exit_code == 0 &&
             tool({"task", "status"}).out.starts_with("0 running, 0 queued");
    }));
  }

  [[nodiscard]] bool claude() const { return GetParam() == "claude"; }
  [[nodiscard]] Start words(std::vector<std::string> arguments, std::string input = {}) const {
    Start start = place_.start({}, std::move(input));
    start.arguments = std::move(arguments);
    return start;
  }
  [[nodiscard]] Ended tool(std::vector<std::string> arguments, std::string input = {}) const {
    return dragoman(words(std::move(arguments), std::move(input)));
  }
  [[nodiscard]] std::vector<std::string> launch(const std::string& prompt,
                                                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--agent", GetParam(), "--env", "MODEL_KEY"};
    for (const char* word : claude() ? std::array{"--permission-mode", "bypassPermissions"}
                                     : std::array{"--sandbox", "danger-full-access"})
      all.emplace_back(word);
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(prompt);
    if (!claude()) all.insert(all.end(), {"--", "--skip-git-repo-check"});
    return all;
  }
  std::string submit(const std::string& prompt, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = launch(prompt, more);
    all.insert(all.begin(), {"task", "submit"});
    std::string id = tool(all).out;
    if (!id.empty()) id.pop_back();
    return id;
  }
  // The process that works the queue of this place, if one does.
  void kill_runner() const {
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      const std::string pid = process.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream in(process.path() / "cmdline");  // it may be gone by now
      const std::string words{std::istreambuf_iterator<char>(in), {}};
      const bool ours = words.find("--handed-lock") != std::string::npos &&
                        words.find(place_.state().string()) != std::string::npos;
      if (ours) ::kill(std::stoi(pid), SIGKILL);
    }
  }
  [[nodiscard]] json status(const std::string& id) const {
    for (const json& task : json::parse(tool({"task", "list", "--json"}).out))
      if (task["id"] == id) return task;
    return {};
  }
  void rests(const std::string& id) const {
    EXPECT_EQ(tool({"task", "wait", id, "--timeout", "90s"}).exit_code, 0) << id;
  }
  [[nodiscard]] std::string recorded(const std::string& id) const {
    const auto path = place_.state() / "runs" / id / "events.jsonl";
    return std::filesystem::exists(path) ? read_file(path) : "";
  }
  static std::string texts(const std::string& lines, const std::string& channel) {
    std::string all;
    for (const json& event : events_in(lines)) {
      if (event["kind"] == "text" && (event["origin"]["channel"] == "user") == (channel == "user"))
        all += event["data"]["text"].get<std::string>() + "\n";
    }
    return all;
  }
  static std::size_t turns_in(const std::string& lines) {
    return of_kind(lines, "finished").size();
  }

  RunPlace place_;
};

// The words of the first turn are known in the third, so it is one session.
TEST_P(Talk, GoesOnThroughSendFromAnotherProcess) {
  const std::string id = submit("script=plain");
  rests(id);
  const Ended second = tool({"send", "--wait", id, "the second turn"});
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_THAT(second.err, HasSubstr(id + " goes on"));
  EXPECT_THAT(second.out, HasSubstr("Going with: the second turn"));
  const Ended third = tool({"send", id.substr(0, 6)}, "the third\n");
  EXPECT_EQ(third.out, id + " goes on\n");
  EXPECT_THAT(third.err, HasSubstr(id + ": script=plain"));
  rests(id);
  const std::string lines = recorded(id);
  EXPECT_EQ(turns_in(lines), 3U);
  EXPECT_EQ(texts(lines, "user"), "the second turn\nthe third\n");
  EXPECT_THAT(texts(lines, "agent"), testing::AllOf(HasSubstr("Hello from the model."),
                                                    HasSubstr("Going with: the third")));
  std::size_t seq = 0;
  for (const json& event : events_in(lines)) EXPECT_EQ(event["seq"], ++seq);
  EXPECT_THAT(tool({"task", "results", id}).out, HasSubstr("Going with: the third"));
  EXPECT_EQ(status(id)["state"], "completed");
  const Ended shown = tool({"show", id});
  EXPECT_THAT(shown.out, testing::AllOf(HasSubstr("the second turn"), HasSubstr("the third")));
  EXPECT_EQ(tool({"verdict", id}).exit_code, 0);
  const Ended replayed = tool({"replay", id, "--speed", "0"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("Going with: the third"));
}

TEST_P(Talk, GoesOnThroughTheApi) {
  Running server(dragoman_program(), words({"serve", "--port", "0", "--json"}));
  ASSERT_TRUE(eventually([&] { return server.out_so_far().find('\n') != std::string::npos; }))
      << server.err_so_far();
  const json told = json::parse(server.out_so_far());
  const std::string url = told["url"];
  const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  const auto ask = [&](const std::string& method, const std::string& path, const json& body) {
    const std::string text = body.is_null() ? "" : body.dump();
    const auto response = ask_once(
        port, fmt::format("{} /api/v1/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer "
                          "{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                          method, path, port, told["token"].get<std::string>(), text.size(), text));
    EXPECT_TRUE(response) << path;
    return response.value_or(RawResponse{});
  };
  const std::string id = submit("script=plain");
  rests(id);
  for (const char* message : {"over http", "once more"}) {
    const RawResponse sent = ask("POST", "runs/" + id + "/messages", {{"text", message}});
    ASSERT_EQ(sent.status, 202) << sent.body;
    EXPECT_EQ(json::parse(sent.body)["hears"], "next_turn");
    rests(id);
  }
  const json messages = json::parse(ask("GET", "runs/" + id + "/messages", {}).body)["messages"];
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1]["state"], "delivered") << messages;
  const json run = json::parse(ask("GET", "runs/" + id, {}).body);
  EXPECT_EQ(run["turns"], 3) << run;
  EXPECT_EQ(run["verdict"]["state"], "completed");
  EXPECT_EQ(run["hears"], "next_turn");
  EXPECT_THAT(recorded(id), HasSubstr("Going with: once more"));
  server.send(SIGTERM);
  (void)server.wait();
}

// What is at rest belongs to no process: killing the runner loses nothing.
TEST_P(Talk, GoesOnAfterTheRunnerWasKilled) {
  const std::string id = submit("script=plain", {"--keep", "10m"});
  rests(id);
  for (const char* message : {"second", "third"}) {
    kill_runner();
    const Ended sent = tool({"send", "--wait", id, message});
    EXPECT_EQ(sent.exit_code, 0) << sent.out << sent.err;
    EXPECT_THAT(sent.out, HasSubstr(fmt::format("Going with: {}", message)));
  }
  EXPECT_EQ(turns_in(recorded(id)), 3U);
  kill_runner();  // which keeps the agent
}

TEST_P(Talk, AnAgentAtWorkIsToldWhenItCanHear) {
  const std::string id = submit("script=nap");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(place_.work() / "napping"); },
                         std::chrono::seconds(60)));
  const Ended sent = tool({"send", id, "and hurry up"});
  EXPECT_EQ(sent.out, id + (claude() ? " is told\n" : " hears it after its turn\n")) << sent.err;
  const Ended waited = tool({"task", "wait", id, "--timeout", "90s"});
  EXPECT_EQ(waited.exit_code, 0) << waited.out << waited.err;
  if (!claude()) {
    EXPECT_THAT(waited.out, HasSubstr("Going with: and hurry up"));
  }
  const std::string lines = recorded(id);
  EXPECT_EQ(texts(lines, "user"), "and hurry up\n");
  EXPECT_EQ(turns_in(lines), claude() ? 1U : 2U) << lines;
}

TEST_P(Talk, AnInterruptEndsTheTurnAndNotTheRun) {
  const std::string id = submit("script=nap");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(place_.work() / "napping"); },
                         std::chrono::seconds(60)));
  const Ended done = tool({"interrupt", id});
  EXPECT_EQ(done.out, id + " is interrupted\n") << done.err;
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 130);
  const Ended again = tool({"interrupt", id});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_THAT(again.err, HasSubstr("not at work"));
  const Ended sent = tool({"send", "--wait", id, "never mind"});
  EXPECT_EQ(sent.exit_code, 0) << sent.out << sent.err;
  EXPECT_EQ(status(id)["state"], "completed");
}

TEST_P(Talk, AFollowerEndsAtARestAndALaterOneSeesAllTurns) {
  const std::string id = submit("script=plain");
  rests(id);
  const Ended first = tool({"replay", id, "--as", "json", "--speed", "0"});
  EXPECT_EQ(turns_in(first.out), 1U);
  EXPECT_EQ(tool({"send", "--wait", id, "again"}).exit_code, 0);
  const Ended both = tool({"replay", id, "--as", "json", "--speed", "0"});
  EXPECT_EQ(turns_in(both.out), 2U);
  EXPECT_TRUE(both.out.starts_with(first.out.substr(0, first.out.find('\n'))));
}

// ---- an agent that is kept by `dragoman run`

class KeptTalk : public Talk {
 protected:
  // Its stdin is a pipe that stays open.
  [[nodiscard]] Start kept(const std::string& prompt, const std::string& more) const {
    Start start = place_.start({});
    start.arguments = {
        "-c", "mkfifo in; HOME=" + place_.root().string() + " PATH=" + place_.bin().string() +
                  ":/usr/local/bin:/usr/bin:/bin exec " + dragoman_program().string() +
                  " run --io jsonl --keep 60s " + more + " --permission-mode bypassPermissions '" +
                  prompt + "' <>in"};
    return start;
  }
  void say(const json& line) const { write_file(place_.work() / "in", line.dump() + "\n"); }
  static bool has_turns(const Running& running, std::size_t turns) {
    return eventually(
        [&] {
          const std::string out = running.out_so_far();
          return turns_in(out.substr(0, out.rfind('\n') + 1)) == turns;
        },
        std::chrono::seconds(60));
  }
};

TEST_P(KeptTalk, AProgramBeginsTheNextTurn) {
  for (const std::string more : {"", "--no-store"}) {
    std::filesystem::remove(place_.work() / "in");
    Running running("/bin/sh", kept("script=plain", more));
    ASSERT_TRUE(has_turns(running, 1)) << running.out_so_far() << running.err_so_far();
    say({{"type", "message"}, {"text", "something else"}});
    ASSERT_TRUE(has_turns(running, 2)) << running.out_so_far() << running.err_so_far();
    EXPECT_THAT(texts(running.out_so_far(), "agent"), HasSubstr("Going with: something else"));
    running.send(SIGINT);
    EXPECT_EQ(running.wait().exit_code, 0);
  }
}

// However early it comes.
TEST_P(KeptTalk, AProgramInterruptsATurnAndBeginsTheNext) {
  Running running("/bin/sh", kept("script=slow", ""));
  ASSERT_TRUE(
      eventually([&] { return running.out_so_far().find("session_started") != std::string::npos; },
                 std::chrono::seconds(60)));
  say({{"type", "interrupt"}});
  ASSERT_TRUE(has_turns(running, 1)) << running.out_so_far() << running.err_so_far();
  EXPECT_EQ(of_kind(running.out_so_far(), "finished")[0]["verdict"], "cancelled");
  say({{"type", "message"}, {"text", "script=plain"}});
  ASSERT_TRUE(has_turns(running, 2)) << running.out_so_far() << running.err_so_far();
  EXPECT_EQ(of_kind(running.out_so_far(), "finished")[1]["verdict"], "completed");
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 0);
}

TEST_P(KeptTalk, IsToldFromAnotherTerminalAndSaysSo) {
  Running running("/bin/sh", kept("script=plain", ""));
  ASSERT_TRUE(has_turns(running, 1)) << running.out_so_far() << running.err_so_far();
  const Ended sent = tool({"send", "--wait", "last", "from elsewhere"});
  EXPECT_EQ(sent.exit_code, 0) << sent.out << sent.err;
  EXPECT_THAT(sent.out, HasSubstr("Going with: from elsewhere"));
  ASSERT_TRUE(has_turns(running, 2));
  const json task = json::parse(tool({"task", "list", "--json"}).out)[0];
  EXPECT_EQ(task["state"], "completed");
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 0);
  const Ended later = tool({"send", "--wait", "last", "and after it has left"});
  EXPECT_EQ(later.exit_code, 0) << later.out << later.err;
  EXPECT_EQ(turns_in(recorded(task["id"])), 3U);
}

INSTANTIATE_TEST_SUITE_P(Alone, KeptTalk, ::testing::Values("claude"),
                         [](const auto& agent) { return agent.param; });

INSTANTIATE_TEST_SUITE_P(Both, Talk, ::testing::Values("claude", "codex"),
                         [](const auto& agent) { return agent.param; });

// ---- without an agent

class Refused : public ::testing::Test {
 protected:
  [[nodiscard]] Ended tool(std::vector<std::string> arguments, std::string input = {}) const {
    Start start = place_.start({}, std::move(input));
    start.arguments = std::move(arguments);
    return dragoman(start);
  }
  RunPlace place_;
};

TEST_F(Refused, ARunThatIsNotThereOrCannotGoOn) {
  ASSERT_EQ(place_.run({"--as", "quiet", "--", "true"}).exit_code, 0);
  const json all = json::parse(tool({"task", "list", "--json"}).out);
  const std::string id = all[0]["id"];
  const Ended unknown = tool({"send", "r-nothere2", "hello"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("dragoman task list"));
  const Ended deaf = tool({"send", id, "hello"});
  EXPECT_EQ(deaf.exit_code, 3);
  EXPECT_THAT(deaf.err, testing::AllOf(HasSubstr("takes no messages"), HasSubstr("task submit")));
  EXPECT_EQ(json::parse(tool({"send", "--json", id, "hello"}).out)["error"]["details"]["reason"],
            "cannot_go_on");
  EXPECT_EQ(json::parse(tool({"task", "list", "--json"}).out), all) << "nothing is stored";
  EXPECT_EQ(tool({"interrupt", id}).exit_code, 3);
  EXPECT_EQ(tool({"interrupt", "r-nothere2"}).exit_code, 2);
  EXPECT_EQ(tool({"send", id}, "\n").exit_code, 3) << "an empty message";
}

}  // namespace
}  // namespace dragoman::test
