// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/delegation_tools.hpp"

#include <algorithm>
#include <thread>

#include "dragoman/agent/table.hpp"
#include "dragoman/mcp/delegation_table.hpp"
#include "dragoman/run/run_id.hpp"
#include "tests/mcp/tools_support.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

class DelegationToolsTest : public testing::Test {
 protected:
  void add_output(const std::string& id, const std::string& text) { place_.add_output(id, text); }
  void expect_the_same_in_results(const std::string& id, const json& told);
  ToolPlace place_;
};

TEST_F(DelegationToolsTest, TheTextIsTheEnvelopeOrMarkdownAndTheStructureIsAlwaysThere) {
  const Answer markdown = place_.call("_codex_local_status");
  EXPECT_THAT(markdown.text, StartsWith("**0 running, 0 queued** - 0 ended in the last 24 h\n"));
  const Answer as_json = place_.call("_codex_local_status", {{"format", "json"}});
  EXPECT_EQ(json::parse(as_json.text), as_json.envelope);
  EXPECT_EQ(as_json.text.find('\n'), std::string::npos);
  // Errors follow the same rule.
  const Answer bad = place_.call("_codex_local_wait", {{"format", "json"}});
  EXPECT_EQ(json::parse(bad.text), bad.envelope);
  const Answer worse = place_.call("_codex_local_wait");
  EXPECT_THAT(worse.text, StartsWith("**Error** - VALIDATION (missing_parameter): "));
}

TEST_F(DelegationToolsTest, AnUnknownToolIsAnErrorOfTheProtocol) {
  const mcp::Call call{"_codex_local_fly", "{}", mcp::TaskWish::no, {}, {}, {}, place_.context};
  const auto answer = place_.tools().call(call);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::not_found);
}

TEST_F(DelegationToolsTest, RefusesWhatMustNotStart) {
  const struct {
    json arguments;
    const char* reason;
  } kRows[] = {
      {{{"task", "   "}}, "bad_value"},
      {{{"task", std::string(1024 * 1024 + 1, 'x')}}, "bad_value"},
      {{{"task", "x"}, {"mode", "workspace-write"}}, "confirmation_required"},
      {{{"task", "x"}, {"working_dir", "relative"}}, "bad_value"},
      {{{"task", "x"}, {"working_dir", "/does/not/exist"}}, "bad_value"},
      {{{"task", "x"}, {"working_dir", "/tmp/../tmp"}}, "bad_value"},
      {{{"task", "x"}, {"model", "--help"}}, "bad_value"},
      {{{"task", "x"}, {"model", "a b"}}, "bad_value"},
      {{{"task", "x"}, {"agent", "command"}}, "bad_value"},
      {{{"task", "x"}, {"agent", "executor"}}, "bad_value"},
      {{{"task", "x"}, {"env_allow_list", {"A"}}}, "bad_value"},
      {{{"task", "x"}, {"env_policy", "allow-list"}, {"env_allow_list", {"A=B"}}}, "bad_value"},
      {{{"task", "x"}, {"agent", "claude"}, {"output_schema", json::object()}}, "bad_value"},
      {{{"task", "x"}, {"output_schema", {{"type", 7}}}}, "bad_value"},
      {{{"task", "git reset --hard HEAD~1"}}, "git_blocked"},
      {{{"task", "git reset --hard"}, {"allow_destructive_git", true}}, "git_blocked"},
      {{{"task", "then git push --force-with-lease origin x"}}, "git_confirmation_required"},
  };
  for (const auto& row : kRows) {
    const Answer answer = place_.call("_codex_local_run", row.arguments);
    EXPECT_EQ(answer.reason(), row.reason) << row.arguments.dump().substr(0, 200);
  }
  EXPECT_TRUE(value_of(place_.service().list({})).empty());
}

TEST_F(DelegationToolsTest, AllowedRootsAreObeyedAlsoThroughLinks) {
  TempDir outside;
  place_.options.local.roots = {place_.work().string()};
  std::filesystem::create_symlink(outside.path(), place_.work() / "link");
  std::filesystem::create_directories(place_.work().string() + "-evil");
  place_.remake();
  for (const std::string& path : {outside.path().string(), (place_.work() / "link").string(),
                                  place_.work().string() + "-evil"}) {
    EXPECT_EQ(place_.call("_codex_local_run", {{"task", "x"}, {"working_dir", path}}).reason(),
              "bad_value")
        << path;
  }
  EXPECT_FALSE(place_.call("_codex_local_run", {{"task", "x"}}).is_error);
}

TEST_F(DelegationToolsTest, ATaskIsEnteredWithEverythingThatWasSaid) {
  const Answer ack = place_.call("_codex_local_run", {{"task", "x"},
                                                      {"mode", "workspace-write"},
                                                      {"confirm", true},
                                                      {"model", "vendor/any-9.9"},
                                                      {"env_policy", "allow-list"},
                                                      {"env_allow_list", {"MY_VAR"}},
                                                      {"skip_git_repo_check", true},
                                                      {"output_schema", {{"type", "object"}}},
                                                      {"idle_timeout_sec", 7},
                                                      {"hard_timeout_sec", 8},
                                                      {"kill_grace_sec", 0}});
  ASSERT_FALSE(ack.is_error) << ack.text;
  EXPECT_THAT(ack.text, StartsWith("**Started** - queue position 0\nTask ID: `T-local-"));
  EXPECT_THAT(ack.text, HasSubstr("Next: _codex_local_wait {\"task_id\":\"T-local-"));
  EXPECT_EQ(ack.envelope["meta"]["queue_position"], 0);
  EXPECT_EQ(ack.envelope["data"]["capability"], "background");
  const auto task =
      value_of(place_.service().get(ack.envelope["data"]["task_id"].get<std::string>()));
  EXPECT_EQ(task.tool, "_codex_local_run");
  EXPECT_EQ(task.mode, "workspace-write");
  EXPECT_EQ(task.model, "vendor/any-9.9");
  EXPECT_EQ(task.env_policy, "allow-list");
  EXPECT_EQ(task.environment, std::vector<std::string>{"MY_VAR"});
  EXPECT_EQ(task.words, std::vector<std::string>{"--skip-git-repo-check"});
  EXPECT_EQ(task.idle_ms, 7000);
  EXPECT_EQ(task.hard_ms, 8000);
  EXPECT_EQ(task.grace_ms, 0);
  EXPECT_EQ(json::parse(read_file(task.output_schema)), (json{{"type", "object"}}));
  EXPECT_EQ(std::filesystem::status(task.output_schema).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(DelegationToolsTest, AgentsOtherThanCodexAreTakenAsTheServerIsConfigured) {
  place_.options.local.programs = {{"command", {"my-agent", "--quiet"}},
                                   {"executor", {"/opt/executor"}}};
  place_.remake();
  const auto task_of = [&](json arguments) {
    arguments["task"] = "do it";
    const Answer ack = place_.call("_codex_local_exec", arguments);
    return value_of(place_.service().get(ack.envelope["data"]["task_id"].get<std::string>()));
  };
  const auto claude = task_of({{"agent", "claude"}, {"mode", "workspace-write"}});
  EXPECT_EQ(claude.permission_mode, "acceptEdits");
  EXPECT_EQ(claude.mode, "");
  EXPECT_TRUE(claude.words.empty());
  const auto reading = task_of({{"agent", "claude"}});
  EXPECT_EQ(reading.permission_mode, "default");
  EXPECT_EQ(reading.words,
            (std::vector<std::string>{"--disallowedTools", "Edit,Write,NotebookEdit"}));
  const auto command = task_of({{"agent", "command"}});
  EXPECT_EQ(command.words, (std::vector<std::string>{"my-agent", "--quiet"}));
  EXPECT_EQ(command.text, "do it");
  const auto executor = task_of({{"agent", "executor"}});
  ASSERT_EQ(executor.words.size(), 3U);
  EXPECT_EQ(executor.words[0], "/opt/executor");
  EXPECT_EQ(executor.words[2], "do it");
}

// Agents that start what the server is configured with are refused where it is not.
TEST_F(DelegationToolsTest, EveryAgentOfTheTableIsOfferedAndTaken) {
  const mcp::Parameter* const offered =
      mcp::find_delegation_tool("_codex_local_exec")->find("agent");
  EXPECT_EQ(offered->choices, agent::agent_names(agent::kDelegatedAgent));
  EXPECT_EQ(json::parse(offered->standard), agent::kDelegatedAgent);
  for (const agent::AgentRow& row : agent::agents()) {
    json arguments = {{"task", "do it"}, {"agent", row.name}};
    EXPECT_EQ(place_.call("_codex_local_exec", arguments).is_error, row.program.empty())
        << row.name;
    arguments["output_schema"] = {{"type", "object"}};
    const bool takes = row.options.has(agent::AgentOption::output_schema);
    EXPECT_EQ(place_.call("_codex_local_exec", arguments).is_error, !takes) << row.name;
  }
}

TEST_F(DelegationToolsTest, ResumeTakesTheThreadAndTheDirectoryOfTheEarlierTask) {
  const std::string id = place_.submitted();
  EXPECT_EQ(place_.call("_codex_local_resume", {{"task", "x"}}).reason(), "missing_parameter");
  EXPECT_EQ(place_.call("_codex_local_resume", {{"task", "x"}, {"thread_id", "../x"}}).reason(),
            "bad_value");
  EXPECT_EQ(place_.call("_codex_local_resume", {{"task", "x"}, {"task_id", id}}).reason(),
            "thread");
  const std::string thread = "0199a213-81c0-7800-8aa1-bbab2a035a53";
  value_of(task::change_task(place_.log(), id, [&](task::Task& task) {
    task.thread_id = thread;
    task.agent = "claude";
    return true;
  }));
  place_.end(id, "completed");
  EXPECT_EQ(place_.call("_codex_local_resume", {{"task", "x"}, {"task_id", id}, {"agent", "codex"}})
                .reason(),
            "bad_value");
  for (const json& how : {json{{"task_id", id}}, json{{"thread_id", thread}}}) {
    json arguments = how;
    arguments["task"] = "go on";
    const Answer ack = place_.call("_codex_local_resume", arguments);
    ASSERT_FALSE(ack.is_error) << ack.text;
    EXPECT_EQ(ack.envelope["data"]["thread_id"], thread);
    const auto task =
        value_of(place_.service().get(ack.envelope["data"]["task_id"].get<std::string>()));
    EXPECT_EQ(task.resume, thread);
    EXPECT_EQ(task.parent, id);
    EXPECT_EQ(task.agent, "claude");
    EXPECT_EQ(task.working_dir, place_.work());
    place_.end(task.id, "cancelled");
  }
}

TEST_F(DelegationToolsTest, StartsThatFailAtOnceAreErrorsOfTheCall) {
  const auto started = [&](const char* reason) {
    std::thread runner([&] {
      for (std::uint64_t seen = 0;;) {
        const auto tasks = value_of(place_.service().list({.states = {"queued"}}));
        if (!tasks.empty()) {
          place_.begin(tasks.front().id);
          place_.end(tasks.front().id, "failed", reason);
          return;
        }
        seen = place_.log().wait_for_change(seen, 50ms);
      }
    });
    Answer answer = place_.call("_codex_local_exec", {{"task", "x"}});
    runner.join();
    return answer;
  };
  for (const char* reason : {"spawn_failed", "not_a_git_repo", "session_expired"}) {
    const Answer answer = started(reason);
    // On a machine that is too busy the 300 ms pass first, and the answer is an acknowledgement.
    if (answer.is_error) {
      EXPECT_EQ(answer.reason(), reason);
      EXPECT_EQ(answer.envelope["error"]["retryable"], false);
    }
  }
  // The agent began: however soon it failed, what it did is to be had by the id of its task.
  for (const char* reason : {"exit_nonzero", "rate_limited", "signal", "turn_failed"}) {
    const Answer answer = started(reason);
    ASSERT_FALSE(answer.is_error) << answer.text;
    EXPECT_EQ(answer.envelope["data"]["accepted"], true);
    const std::string id = answer.envelope["data"]["task_id"];
    const Answer results = place_.call("_codex_local_results", {{"task_id", id}});
    EXPECT_EQ(results.envelope["data"]["state"], "failed");
  }
}

// What was answered to the call is what the metadata say of it, as far as there is room.
void DelegationToolsTest::expect_the_same_in_results(const std::string& id, const json& told) {
  const json data = place_.call("_codex_local_results", {{"task_id", id}, {"include_events", true}})
                        .envelope["data"];
  const json partial = data["metadata"]["error_context"]["partial_results"];
  EXPECT_EQ(data["events"]["items"], told["last_events"]);
  const auto output = [](const json& of) { return of["last_output"].get<std::string>(); };
  EXPECT_TRUE(output(told).ends_with(output(partial)));
  EXPECT_GE(output(partial).size(), std::min<std::size_t>(output(told).size(), 8190));
  const auto events = [](const json& of) { return of["last_events"].get<std::vector<json>>(); };
  const std::vector<json> all = events(told);
  const std::vector<json> last = events(partial);
  ASSERT_LE(last.size(), all.size());
  EXPECT_TRUE(std::equal(last.begin(), last.end(), all.end() - static_cast<long>(last.size())));
  const bool has_room = told.dump().size() < 4096;
  EXPECT_TRUE(partial == told || !has_room) << partial;
}

TEST_F(DelegationToolsTest, ATimeoutTellsTheEndOfBothStreamsAndOfTheAgentsEvents) {
  const auto late = [&](const std::string& out, const std::string& err, std::size_t lines) {
    const std::string id = place_.submitted();
    place_.begin(id);
    const std::vector<std::string> body(1000, R"({"kind":"text","data":{"text":"a line"}})");
    for (std::size_t i = 0; i < lines; i += body.size())
      value_of(write_one(place_.log(), Append{task::event_stream(id), body, {}}));
    if (!out.empty()) place_.add_output(id, out);
    if (!err.empty()) place_.add_complaint(id, err);
    json events = json::array();
    for (int i = 0; i < 50; ++i) events.push_back(std::string(1000, 'e'));
    place_.add_event(id, {{"kind", "diagnostic"},
                          {"data", {{"rule", "timeout"}, {"level", "warning"}, {"message", "m"}}},
                          {"origin",
                           {{"dialect", "text"},
                            {"stream", "stdout"},
                            {"offset", 1},
                            {"length", 0},
                            {"line", 1},
                            {"channel", "control"}}}});
    place_.add_event(id, {{"kind", "finished"},
                          {"data",
                           {{"verdict", "timeout"},
                            {"reasons", {"timeout"}},
                            {"last_events", events},
                            {"last_output", "x"}}}});
    place_.end(id, "timeout", "idle");
    const auto view = value_of(place_.tools().task(id));
    const json told = json::parse(view.result->structured)["error"]["details"]["partial_results"];
    expect_the_same_in_results(id, told);
    return told;
  };
  const json partial = late("so far", "and a complaint", 0);
  EXPECT_EQ(partial["last_output"], "so far\nand a complaint\n");
  ASSERT_EQ(partial["last_events"].size(), 2U);
  EXPECT_EQ(partial["last_events"][1]["data"]["text"], "and a complaint");

  const json many = late("the last", "", test::scaled(60'000));
  ASSERT_EQ(many["last_events"].size(), 50U);
  EXPECT_EQ(many["last_events"][49]["data"]["text"], "the last");

  constexpr std::size_t kLimit = 65'536;
  const std::string large(100'000, 'o');
  const std::string complaints(100'000, 'e');
  const auto count = [](const std::string& text, char c) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  };
  const std::string both = late(large, complaints, 0)["last_output"];
  EXPECT_LE(both.size(), kLimit);
  EXPECT_GT(count(both, 'o'), kLimit / 2 - 3);
  EXPECT_GT(count(both, 'e'), kLimit / 2 - 3);
  const std::string beside = late(large, "short", 0)["last_output"];
  EXPECT_EQ(beside.size(), kLimit);
  EXPECT_TRUE(beside.ends_with("short\n"));
}

TEST_F(DelegationToolsTest, ForegroundAnswersWithTheEnd) {
  const auto finish = [&](const std::string& state, const std::string& reason) {
    std::thread runner([&] {
      for (std::uint64_t seen = 0;;) {
        const auto tasks = value_of(place_.service().list({.states = {"queued"}}));
        if (!tasks.empty()) {
          place_.begin(tasks.front().id);
          add_output(tasks.front().id, "so far");
          place_.end(tasks.front().id, state, reason);
          return;
        }
        seen = place_.log().wait_for_change(seen, 50ms);
      }
    });
    Answer answer = place_.call("_codex_local_exec", {{"task", "x"}, {"async", false}});
    runner.join();
    return answer;
  };
  const Answer done = finish("completed", "");
  ASSERT_FALSE(done.is_error);
  EXPECT_EQ(done.envelope["data"]["capability"], "foreground");
  EXPECT_EQ(done.envelope["data"]["state"], "completed");
  EXPECT_THAT(done.text, StartsWith("**Completed** - Task completed\n"));
  const Answer failed = finish("failed", "rate_limited");
  EXPECT_EQ(failed.code(), "TOOL_ERROR");
  EXPECT_EQ(failed.reason(), "rate_limited");
  EXPECT_EQ(failed.envelope["error"]["retryable"], true);
  EXPECT_THAT(failed.envelope["error"]["details"]["task_id"].get<std::string>(),
              StartsWith("T-local-"));
  const Answer late = finish("timeout", "idle");
  EXPECT_EQ(late.code(), "TIMEOUT");
  EXPECT_EQ(late.envelope["error"]["details"]["timeout_type"], "idle");
  EXPECT_EQ(late.envelope["error"]["details"]["partial_results"]["last_output"], "so far\n");
  EXPECT_EQ(late.envelope["error"]["details"]["partial_results"]["last_events"].size(), 1U);
  EXPECT_GE(late.envelope["error"]["duration_ms"], 5000);
}

TEST_F(DelegationToolsTest, ATaskIsNamedByAnyOfItsNamesAndToldByTwo) {
  const std::string id = place_.submitted();
  for (const std::string& word : {id, task_id_of(id), id.substr(0, 9), std::string("last")}) {
    const json data = place_.call("_codex_local_results", {{"task_id", word}}).envelope["data"];
    EXPECT_EQ(data["task_id"], task_id_of(id)) << word;
    EXPECT_EQ(data["id"], id) << word;
  }
  EXPECT_EQ(place_.call("_codex_local_cancel", {{"task_id", id.substr(2)}}).envelope["data"]["id"],
            id);
}

TEST_F(DelegationToolsTest, IdsAreHeldToTheirFormAndToTheirTool) {
  EXPECT_EQ(place_.call("_codex_local_results", {{"task_id", "T-local-' OR 1=1"}}).reason(),
            "bad_value");
  const Answer unknown = place_.call("_codex_local_results", {{"task_id", "T-local-unknown"}});
  EXPECT_EQ(unknown.code(), "NOT_FOUND");
  EXPECT_EQ(unknown.reason(), "task");
  EXPECT_THAT(unknown.text, StartsWith("**Error** - NOT_FOUND (task): no run T-local-unknown\n"));
  const Answer cloud = place_.call("_codex_local_cancel", {{"task_id", "T-cloud-abc"}});
  EXPECT_EQ(cloud.reason(), "wrong_tool");
  EXPECT_THAT(cloud.envelope["error"]["message"].get<std::string>(),
              HasSubstr("call _codex_cloud_cancel"));
  EXPECT_EQ(place_.call("_codex_cloud_wait", {{"task_id", "T-local-abc"}}).reason(), "wrong_tool");
}

TEST_F(DelegationToolsTest, OutputIsThereWhenItIsAskedForAndWhenItIsNeeded) {
  const auto included = [&](const char* tool, const std::string& id, const json& more) {
    json arguments = {{"task_id", id}};
    arguments.update(more);
    if (std::string_view(tool).ends_with("wait")) arguments["timeout_sec"] = 1;
    return place_.call(tool, arguments).envelope["data"]["output"]["included"].get<bool>();
  };
  for (const auto& state : task::terminal_states()) {
    const std::string id = place_.submitted();
    place_.begin(id);
    add_output(id, "hello");
    place_.end(id, state);
    const bool always = state == "failed" || state == "timeout";
    for (const char* tool : {"_codex_local_results", "_codex_local_wait"}) {
      EXPECT_EQ(included(tool, id, json::object()), always) << state << tool;
      EXPECT_EQ(included(tool, id, {{"include_output", false}}), always) << state << tool;
      EXPECT_TRUE(included(tool, id, {{"include_output", true}})) << state << tool;
    }
  }
}

TEST_F(DelegationToolsTest, WaitIsBoundedAndSaysSo) {
  const std::string id = place_.submitted();
  place_.begin(id);
  const Answer answer = place_.call("_codex_local_wait", {{"task_id", id}, {"timeout_sec", 1}});
  EXPECT_FALSE(answer.is_error);
  EXPECT_EQ(answer.envelope["data"]["state"], "working");
  EXPECT_EQ(answer.envelope["meta"]["wait_expired"], true);
  EXPECT_THAT(answer.text, HasSubstr("Next: _codex_local_wait "));
}

TEST_F(DelegationToolsTest, WaitReturnsSoonWhenTheCallIsCancelled) {
  const std::string id = place_.submitted();
  place_.begin(id);
  place_.context.cancelled_ = true;
  const auto begin = std::chrono::steady_clock::now();
  (void)place_.call("_codex_local_wait", {{"task_id", id}, {"timeout_sec", 3600}});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
}

}  // namespace
}  // namespace dragoman::test
