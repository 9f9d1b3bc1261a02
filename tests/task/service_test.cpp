// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/service.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/values.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;
using test::value_of;
using namespace std::chrono_literals;

class ServiceTest : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  int woken_ = 0;
  Service service_{*log_, {2, [this]() -> Result<void> {
                             ++woken_;
                             return {};
                           }}};

  static Task asking(std::string text) {
    Task task;
    task.text = std::move(text);
    task.working_dir = "/tmp";
    return task;
  }
  std::string submit(std::string text) {
    return value_of(service_.submit(asking(std::move(text)))).task.id;
  }
  // As a runner does it: the claim, then the state.
  Claim begin(const ProcessIdentity& runner = identity_of(::getpid())) {
    const auto claim = value_of(log_->claim(kQueue, "me", 1min, 2));
    EXPECT_TRUE(claim);
    value_of(change_task(*log_, claim->key, [&](Task& task) {
      task.state = "working";
      task.started_at = now_ms() - 5000;
      task.runner_pid = runner.pid;
      task.runner_start = runner.start;
      task.boot = runner.boot;
      return true;
    }));
    return *claim;
  }
  bool end(const std::string& id, std::string state) {
    return value_of(change_task(*log_, id, [&](Task& task) {
      task.state = state;
      return true;
    }));
  }
  // Two days and two hours ago.
  void age(const std::string& id, const char* state) {
    auto task = value_of(find_task(*log_, id));
    task->state = state;
    task->created_at = now_ms() - 50LL * 3600 * 1000;
    if (task->terminal()) task->completed_at = task->created_at;
    value_of(write_one(*log_, Put{std::string(kTasks), record_of(*task), task->revision}));
  }
  // A process that has been there and is gone.
  static ProcessIdentity dead() {
    const pid_t child = ::fork();
    if (child == 0) ::pause();
    const ProcessIdentity identity = identity_of(child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return identity;
  }
};

TEST_F(ServiceTest, SubmitReturnsThePlaceInTheQueueAndWakesTheRunner) {
  std::vector<std::size_t> positions;
  for (int i = 0; i < 4; ++i)
    positions.push_back(value_of(service_.submit(asking("do it"))).queue_position);
  EXPECT_EQ(positions, (std::vector<std::size_t>{0, 0, 1, 2}));
  EXPECT_EQ(woken_, 4);
}

// They become words of an agent's command line.
TEST_F(ServiceTest, RefusesValuesThatWouldBeOptionsOfAnAgent) {
  struct Row {
    std::string agent;
    std::string Task::*field;
    std::string value;
  };
  const std::vector<Row> refused = {
      {"claude", &Task::model, "--settings={}"},
      {"codex", &Task::model, "-c"},
      {"codex", &Task::model, "a b"},
      {"codex", &Task::model, std::string(129, 'm')},
      {"codex", &Task::mode, "--yolo"},
      {"codex", &Task::mode, "preview"},
      {"claude", &Task::mode, "read-only"},
      {"claude", &Task::permission_mode, "--dangerously-skip-permissions"},
      {"codex", &Task::permission_mode, "plan"},
      {"codex", &Task::working_dir, "/tmp/.."},
      {"codex", &Task::working_dir, "tmp"},
  };
  for (const Row& row : refused) {
    Task task = asking("x");
    task.agent = row.agent;
    task.*row.field = row.value;
    const auto outcome = service_.submit(task);
    ASSERT_FALSE(outcome) << row.value;
    EXPECT_EQ(outcome.error().reason, "bad_value") << row.value;
  }
  EXPECT_TRUE(value_of(service_.list({})).empty());
  Task usual = asking("x");
  usual.model = "vendor/gpt-5.5:high";
  usual.mode = "workspace-write";
  EXPECT_TRUE(service_.submit(usual));
}

TEST_F(ServiceTest, RefusesWhatCannotRunBeforeAnythingIsWritten) {
  Task nowhere = asking("x");
  nowhere.working_dir = "/does/not/exist";
  EXPECT_EQ(service_.submit(nowhere).error().reason, "bad_value");
  EXPECT_EQ(service_.submit(asking("  \n")).error().reason, "missing_parameter");
  EXPECT_EQ(service_.submit(asking(std::string("a\0b", 3))).error().reason, "bad_value");
  EXPECT_EQ(service_.submit(asking("git reset --hard")).error().reason, "git_blocked");
  for (const char* agent : {"foo", "", "command", "executor"}) {
    Task by_nobody = asking("x");
    by_nobody.agent = agent;
    const auto refused = service_.submit(by_nobody);
    ASSERT_FALSE(refused) << agent;
    EXPECT_EQ(refused.error().reason, "bad_value");
    EXPECT_THAT(refused.error().message, testing::StartsWith("agent: expected "));
  }
  EXPECT_TRUE(value_of(service_.list({})).empty());
  EXPECT_EQ(woken_, 0);
}

TEST_F(ServiceTest, ATaskIsInExactlyOneListOfASnapshot) {
  const std::string first = submit("one");
  const std::string second = submit("two");
  begin();
  auto snapshot = value_of(service_.status({}));
  ASSERT_EQ(snapshot.running.size(), 1U);
  EXPECT_EQ(snapshot.running[0].id, first);
  ASSERT_EQ(snapshot.queued.size(), 1U);
  EXPECT_EQ(snapshot.queued[0].task.id, second);
  EXPECT_EQ(snapshot.recent_count, 0U);
  EXPECT_TRUE(end(first, "failed"));
  snapshot = value_of(service_.status({}));
  EXPECT_TRUE(snapshot.running.empty());
  ASSERT_EQ(snapshot.recent.size(), 1U);
  EXPECT_EQ(snapshot.recent[0].state, "failed");
  EXPECT_GT(snapshot.recent[0].completed_at, 0);
}

TEST_F(ServiceTest, EveryTerminalStateIsFinal) {
  for (const std::string& state : terminal_states()) {
    const std::string id = submit("x");
    ASSERT_TRUE(end(id, state));
    EXPECT_FALSE(end(id, "completed")) << state;
    EXPECT_FALSE(end(id, "working")) << state;
    EXPECT_EQ(value_of(service_.get(id)).state, state);
  }
}

TEST_F(ServiceTest, ACancelledTaskStaysCancelled) {
  const std::string id = submit("x");
  const auto cancelled = value_of(service_.cancel(id, "changed my mind"));
  EXPECT_EQ(cancelled.previous_state, "queued");
  EXPECT_EQ(cancelled.task.summary, "Task cancelled: changed my mind");
  EXPECT_FALSE(end(id, "completed"));
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
  EXPECT_EQ(value_of(service_.cancel(id, "")).task.state, "cancelled");  // ok again
}

TEST_F(ServiceTest, CancelWaitsUntilTheRunnerGaveTheSlotBack) {
  const std::string id = submit("x");
  const Claim claim = begin();
  std::thread runner([&] {
    for (std::uint64_t seen = 0; value_of(service_.get(id)).state != "cancelled";)
      seen = log_->wait_for_change(seen, 50ms);
    value_of(log_->finish(claim));
  });
  EXPECT_EQ(value_of(service_.cancel(id, "")).previous_state, "working");
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
  runner.join();
}

TEST_F(ServiceTest, CancellingWhatHasEndedSaysHow) {
  const std::string id = submit("x");
  end(id, "completed");
  const auto refused = service_.cancel(id, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "already_terminal");
  EXPECT_EQ(refused.error().details, R"({"state":"completed"})");
  EXPECT_EQ(service_.cancel("T-local-unknown", "").error().code, ErrorCode::not_found);
}

TEST_F(ServiceTest, TasksOfADeadRunnerAreOrphanedAndThoseOfALivingOneAreNot) {
  const std::string lost = submit("lost");
  begin(dead());
  const std::string kept = submit("kept");
  begin();
  ASSERT_TRUE(service_.reconcile());
  EXPECT_EQ(value_of(service_.get(lost)).state, "failed");
  EXPECT_EQ(value_of(service_.get(lost)).reason, "orphaned");
  EXPECT_EQ(value_of(service_.get(kept)).state, "working");
  EXPECT_EQ(value_of(log_->queue(kQueue)).size(), 1U);
}

TEST_F(ServiceTest, ANumberThatAnotherProcessGotIsNotTheProcess) {
  ProcessIdentity self = identity_of(::getpid());
  EXPECT_TRUE(is_alive(self));
  ProcessIdentity later = self;
  ++later.start;
  EXPECT_FALSE(is_alive(later));
  ProcessIdentity other_boot = self;
  other_boot.boot = "another";
  EXPECT_FALSE(is_alive(other_boot));
  EXPECT_FALSE(is_alive(dead()));
}

TEST_F(ServiceTest, ARecordWithoutItsPlaceInTheQueueIsQueuedAgain) {
  const std::string id = submit("x");
  value_of(write_one(*log_, Dequeue{std::string(kQueue), id}));
  ASSERT_TRUE(service_.reconcile());
  EXPECT_EQ(value_of(log_->queue(kQueue)).size(), 1U);
  EXPECT_EQ(woken_, 2);
}

TEST_F(ServiceTest, WaitIsWokenByTheEnd) {
  const std::string id = submit("x");
  begin();
  EXPECT_EQ(value_of(service_.wait(id, 1ms)).state, "working");
  std::thread runner([&] { end(id, "completed"); });
  EXPECT_EQ(value_of(service_.wait(id, 30s)).state, "completed");
  runner.join();
}

TEST_F(ServiceTest, WaitReturnsWhenAPersonIsAsked) {
  const std::string id = submit("x");
  begin();
  ask::QuestionRecord question;
  question.task_id = id;
  question.id = "q1";
  question.text = "Which one?";
  ASSERT_TRUE(service_.desk().open(question));
  const auto task = value_of(service_.wait(id, 30s));
  EXPECT_EQ(task.state, "working");
  EXPECT_EQ(value_of(results_of(service_, task, {})).questions.size(), 1U);
}

TEST_F(ServiceTest, ResultsHaveTheLastEventsAlsoBehindLargeOnes) {
  const std::string id = submit("x");
  const std::string large =
      R"({"seq":1,"kind":"display_text","data":{"text":")" + std::string(3'000'000, 'x') + "\"}}";
  const std::vector<std::string> last = {R"({"seq":4,"kind":"display_text","data":{"text":"a"}})",
                                         R"({"seq":5,"kind":"display_text","data":{"text":"b"}})"};
  value_of(write_one(*log_, Append{event_stream(id), {large, large, large}, {}}));
  value_of(write_one(*log_, Append{event_stream(id), last, {}}));
  const auto results =
      value_of(results_of(service_, value_of(service_.get(id)), {.include_events = true}));
  EXPECT_EQ(results.event_count, 5U);
  EXPECT_EQ(results.events, last);
}

// Between two tasks a runner has claimed nothing.
TEST_F(ServiceTest, WhatWaitsForALivingRunnerIsNotStuck) {
  const std::string id = submit("x");
  age(id, "queued");
  bool lives = true;
  Service service(*log_, {.runner_lives = [&] { return lives; }});
  EXPECT_EQ(value_of(service.clean({})), Cleaned{});
  EXPECT_EQ(value_of(service.get(id)).state, "queued");
  EXPECT_EQ(value_of(log_->queue(kQueue)).size(), 1U);
  lives = false;
  EXPECT_EQ(value_of(service.clean({})).stuck, (std::vector<std::string>{id}));
  EXPECT_EQ(value_of(service.get(id)).reason, "stuck");
}

TEST_F(ServiceTest, ATaskThatBeginsWhileItIsJudgedIsNotStuck) {
  const std::string id = submit("x");
  age(id, "queued");
  bool begun = false;
  Service service(*log_, {.runner_lives = [&] {
    if (!std::exchange(begun, true)) (void)begin();
    return false;
  }});
  EXPECT_EQ(value_of(service.clean({})), Cleaned{});
  EXPECT_TRUE(begun);
  EXPECT_EQ(value_of(service.get(id)).state, "working");
  EXPECT_EQ(value_of(log_->queue(kQueue)).size(), 1U) << "its place";
}

TEST_F(ServiceTest, CleansWhatIsStuckAndDeletesWhatIsOld) {
  const std::string stuck = submit("stuck");
  age(stuck, "queued");
  std::vector<std::string> old;
  for (const auto& state : terminal_states()) {
    old.push_back(submit("old"));
    age(old.back(), state.c_str());
  }
  const std::string fresh = submit("fresh");
  const auto plan = value_of(service_.clean({.dry_run = true}));
  EXPECT_EQ(plan.summary(true), "Would clean 1 stuck task, delete 4 old tasks");
  EXPECT_EQ(plan.oldest_age_hours, 50);
  const auto done = value_of(service_.clean({}));
  EXPECT_EQ(done.stuck, (std::vector<std::string>{stuck}));
  EXPECT_EQ(done.summary(false), "Cleaned 1 stuck task, deleted 4 old tasks");
  EXPECT_EQ(value_of(service_.get(stuck)).summary,
            "Task timeout - no activity for over 3600 seconds (60 minutes)");
  for (const auto& id : old) EXPECT_EQ(service_.get(id).error().code, ErrorCode::not_found);
  EXPECT_EQ(value_of(service_.get(fresh)).state, "queued");
}

// What lies in a record may have been written by another machine, or by somebody with an editor.
TEST_F(ServiceTest, CleaningDeletesRecordingsAndNothingElse) {
  const test::TempDir directory;
  const fs::path runs = directory.path() / "state/runs";
  const fs::path precious = directory.path() / "precious";
  fs::create_directories(runs / "inner");
  fs::create_directories(precious);
  fs::create_directory_symlink(precious, runs / "link");
  fs::create_directory_symlink(directory.path() / "state", directory.path() / "way");
  struct Row {
    fs::path recording;
    bool goes;
  };
  const auto inside = [&](const char* name) {
    fs::create_directories(runs / name);
    return runs / name;
  };
  const std::vector<Row> rows = {
      {inside("T-1"), true},
      {(inside("T-2"), directory.path() / "way/runs/T-2"), true},
      {precious, false},
      {runs / "link/kept", false},
      {runs / "../../precious", false},
      {runs / "inner/..", false},
      {runs, false},
      {runs / "", false},
      {"precious", false},
  };
  fs::create_directories(precious / "kept");
  for (const bool fleet : {true, false}) {
    Service service(*log_, {.fleet = fleet, .recordings = runs});
    for (const Row& row : rows) {
      const std::string id = value_of(service.submit(asking("x"))).task.id;
      value_of(change_task(*log_, id, [&](Task& task) {
        task.state = "completed";
        task.recording = row.recording.string();
        return true;
      }));
      EXPECT_EQ(value_of(service.clean({.old = -1ms})).deleted, 1U);
      EXPECT_EQ(fs::exists(row.recording), row.recording.is_absolute() && (fleet || !row.goes))
          << row.recording;
      EXPECT_TRUE(fs::exists(precious / "kept")) << row.recording;
    }
  }
}

TEST_F(ServiceTest, ListsByStateDirectoryAndWords) {
  const std::string a = submit("mend the refresh token");
  const std::string b = submit("write the manual");
  end(b, "completed");
  value_of(write_one(*log_,
                     Append{event_stream(b), {R"({"data":{"text":"chapter about tokens"}})"}, {}}));
  const auto ids = [&](const ListQuery& query) {
    std::vector<std::string> found;
    for (const Task& task : value_of(service_.list(query))) found.push_back(task.id);
    return found;
  };
  EXPECT_EQ(ids({.states = {"completed"}}), (std::vector<std::string>{b}));
  EXPECT_EQ(ids({.grep = "refresh"}), (std::vector<std::string>{a}));
  EXPECT_EQ(ids({.grep = "chapter"}), (std::vector<std::string>{b}));
  EXPECT_TRUE(ids({.working_dir = "/elsewhere"}).empty());
  EXPECT_EQ(ids({.limit = 1}).size(), 1U);
}

TEST_F(ServiceTest, EstimatesFromPastDurations) {
  EXPECT_EQ(estimate_start({1000, 3000}, 1, 2), std::nullopt);
  EXPECT_EQ(estimate_start({1000, 3000, 2000}, 3, 2), 3000);
  EXPECT_EQ(estimate_start({1000, 3000, 2000}, 0, 2), std::nullopt);
  EXPECT_EQ(expected_duration({300'000, 400'000, 600'000, 500'000}), "6-10 minutes");
  EXPECT_EQ(expected_duration({1, 2}), "");
}

// Whoever heard of a failure submitted it again, and both were done when a runner came.
TEST_F(ServiceTest, WhatIsWrittenIsAcknowledgedAlsoWithoutARunner) {
  std::vector<std::string> told;
  Service service(*log_, {.wake_runner = []() -> Result<void> {
                            return Error{ErrorCode::internal, "no process to be had"};
                          },
                          .no_runner = [&](const Error& error) { told.push_back(error.message); }});
  const std::string id = value_of(service.submit(asking("one"))).task.id;
  EXPECT_EQ(value_of(service.get(id)).state, "queued");
  EXPECT_TRUE(service.reconcile());
  EXPECT_EQ(told, (std::vector<std::string>(2, "no process to be had")));
  EXPECT_TRUE(service.cancel(id, ""));
}

TEST_F(ServiceTest, AnAcknowledgementKnowsWhatHasEndedSinceTheLastOne) {
  const auto expected = [&] { return value_of(service_.submit(asking("x"))).expected_duration; };
  const auto complete = [&](std::int64_t duration) {
    const Claim claim = begin();
    value_of(change_task(*log_, claim.key, [&](Task& task) {
      task.started_at = now_ms() - duration;
      task.state = "completed";
      return true;
    }));
    value_of(log_->finish(claim));
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(expected(), "") << i;
    complete(300'000);
  }
  const std::string before = expected();
  EXPECT_NE(before, "");
  EXPECT_EQ(expected(), before);
  for (int i = 0; i < 5; ++i) {
    (void)submit("x");
    complete(3'000'000);
  }
  EXPECT_NE(expected(), before);
}

TEST_F(ServiceTest, ThePlaceInTheQueueIsBehindThoseWhoRun) {
  const auto position = [&] { return value_of(service_.submit(asking("x"))).queue_position; };
  EXPECT_EQ(position(), 0U);
  const Claim first = begin();
  EXPECT_EQ(position(), 0U) << "the second slot is free";
  (void)begin();
  EXPECT_EQ(position(), 1U);
  EXPECT_EQ(position(), 2U);
  value_of(log_->finish(first));
  EXPECT_EQ(position(), 2U) << "one of those who wait is about to run";
}

TEST_F(ServiceTest, AResumedTaskIsANewOneOfTheSameThread) {
  Task asked = asking("x");
  asked.agent = "codex";
  asked.mode = "read-only";
  asked.model = "small";
  asked.idle_ms = 7;
  asked.output_schema = "/tmp/schema.json";
  asked.environment = {"NAME", "KEY=[REDACTED:github_token]"};
  const std::string id = value_of(service_.submit(asked)).task.id;
  EXPECT_EQ(service_.next_in_thread(id).error().reason, "thread");
  value_of(change_task(*log_, id, [](Task& task) {
    task.thread_id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    task.state = "completed";
    return true;
  }));
  Task expected;
  expected.tool = "_codex_local_resume";
  expected.agent = "codex";
  expected.mode = "read-only";
  expected.model = "small";
  expected.idle_ms = 7;
  expected.environment = {"NAME"};
  expected.working_dir = "/tmp";
  expected.resume = "0199a213-81c0-7800-8aa1-bbab2a035a53";
  expected.parent = id;
  Task next = value_of(service_.next_in_thread(id, "codex"));
  EXPECT_EQ(record_of(next).value, record_of(expected).value);
  next.text = "go on";
  const auto ack = value_of(service_.submit(next));
  EXPECT_NE(ack.task.id, id);
  EXPECT_EQ(value_of(service_.get(ack.task.id)).state, "queued");
}

TEST_F(ServiceTest, AThreadBelongsToItsAgent) {
  const std::string id = submit("x");
  value_of(change_task(*log_, id, [](Task& task) {
    task.thread_id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    return true;
  }));
  const auto refused = service_.next_in_thread(id, "claude");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "agent: expected codex, whose thread it is");
  EXPECT_EQ(service_.next_in_thread("--last").error().reason, "bad_value");
  const Task unknown =
      value_of(service_.next_in_thread("0199a213-81c0-7800-8aa1-000000000000", "claude"));
  EXPECT_EQ(unknown.resume, "0199a213-81c0-7800-8aa1-000000000000");
  EXPECT_EQ(unknown.agent + unknown.parent, "claude");
}

// Claude has no sandbox: what it may not use stands in its words.
TEST_F(ServiceTest, AReadOnlyThreadOfClaudeStaysOne) {
  const auto next_of = [this](std::string_view mode) {
    Task asked = asking("look");
    asked.agent = "claude";
    EXPECT_TRUE(take_mode(mode, asked));
    const std::string id = value_of(service_.submit(asked)).task.id;
    value_of(change_task(*log_, id, [](Task& task) {
      task.thread_id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
      return true;
    }));
    return value_of(service_.next_in_thread(id));
  };
  Task next = next_of("read-only");
  EXPECT_EQ(next.words, (std::vector<std::string>{"--disallowedTools", "Edit,Write,NotebookEdit"}));
  EXPECT_EQ(mode_of(next), "read-only");
  ASSERT_TRUE(take_mode("workspace-write", next));  // unless another one is said
  EXPECT_TRUE(next.words.empty());
  EXPECT_EQ(mode_of(next), "workspace-write");
  EXPECT_EQ(mode_of(next_of("preview")), "read-only");
  EXPECT_EQ(mode_of(next_of("danger-full-access")), "danger-full-access");
  EXPECT_EQ(mode_of(next_of("")), "");
}

TEST(TaskModes, AreToldFromWhatTheyMeanToEachAgent) {
  for (const agent::AgentRow& row : agent::agents()) {
    for (const std::string_view word : agent::kModes) {
      Task task;
      task.agent = row.name;
      EXPECT_EQ(take_mode(word, task).operator bool(), !row.modes.empty()) << row.name;
      if (row.modes.empty()) continue;
      const auto words = task.words;
      EXPECT_EQ(mode_of(task), word == agent::kPreview ? "read-only" : word) << row.name;
      keep_words_of_mode(task);
      EXPECT_EQ(task.words, words) << row.name << " " << word;
    }
    Task task;
    task.agent = row.name;
    task.words = {"--verbose"};
    EXPECT_EQ(mode_of(task), "") << row.name;
    keep_words_of_mode(task);
    EXPECT_TRUE(task.words.empty()) << row.name;
  }
}

// It was given to the text of the first one.
TEST_F(ServiceTest, ThePermissionForRiskyGitIsNotTakenOver) {
  Task asked = asking("git rebase main");
  asked.allow_destructive_git = true;
  const std::string id = value_of(service_.submit(asked)).task.id;
  value_of(change_task(*log_, id, [](Task& task) {
    task.thread_id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    return true;
  }));
  Task next = value_of(service_.next_in_thread(id));
  next.text = "git push --force origin topic";
  EXPECT_EQ(service_.submit(next).error().reason, "git_confirmation_required");
}

TEST_F(ServiceTest, ARepeatedTaskAsksForTheSameWithItsSecrets) {
  const auto directory = log_->private_directory();
  Service service(*log_, {2, [] { return Result<void>(); }, directory});
  const std::string key = "ghp" + ("_" + std::string(36, 'R'));
  Task asked = asking("Use " + key);
  asked.agent = "claude";
  asked.idle_ms = 7;
  const Task first = value_of(service.submit(asked)).task;
  EXPECT_TRUE(end(first.id, "failed"));
  Task second = value_of(service.repeat(first.id)).task;
  EXPECT_NE(second.id, first.id);
  EXPECT_EQ(second.parent, first.id);
  EXPECT_EQ(second.state, "queued");
  EXPECT_EQ(second.text, "Use [REDACTED:github_token]");
  EXPECT_EQ(second.agent, "claude");
  EXPECT_EQ(second.working_dir, "/tmp");
  EXPECT_EQ(second.idle_ms, 7);
  reveal_secrets(second, directory);
  EXPECT_EQ(second.text, asked.text) << "for its agent";
}

}  // namespace
}  // namespace dragoman::task
