// SPDX-License-Identifier: Apache-2.0
// A fleet as it is used: three servers, real workers.
#include "tests/e2e/fleet.hpp"

#include <signal.h>

#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

using task::Task;
using testing::HasSubstr;

TEST_F(Fleet, ATaskRunsOnAWorkerThatHasWhatItNeeds) {
  start_worker("plain");
  start_worker("gpu", "2", {"gpu=yes"});
  Task picky;
  picky.needs = {"gpu=yes", "os=linux"};
  const std::string id = submit("echo here", picky);
  const Task done = end_of(id);
  EXPECT_EQ(done.state, "completed");
  EXPECT_EQ(done.worker, "gpu");
  EXPECT_EQ(done.attempt, 1);
  const auto events = log_->read(task::event_stream(id), 1, 100);
  ASSERT_TRUE(events);
  EXPECT_FALSE(events->empty());
}

TEST_F(Fleet, ATaskWithARepositoryWorksInACloneAndLeavesADiff) {
  const auto origin = directory_.path() / "origin";
  std::filesystem::create_directories(origin);
  const std::string git =
      "cd " + origin.string() +
      " && git init -q . && git config user.email a@b && git config user.name a "
      "&& echo old > file && git add . && git commit -qm first";
  ASSERT_EQ(std::system(git.c_str()), 0);
  start_worker("w");
  Task task;
  task.repository = origin.string();
  const std::string id = submit("pwd >> \"$1\"; echo new > file; echo more > other", task);
  EXPECT_EQ(end_of(id).state, "completed");
  std::string diff;
  const auto lines = log_->read(task::diff_stream(id), 1, 1000);
  ASSERT_TRUE(lines) << lines.error().message;
  for (const auto& line : *lines) diff += line.body + "\n";
  EXPECT_THAT(diff, HasSubstr("-old\n+new\n"));
  EXPECT_THAT(diff, HasSubstr("+more\n"));
  EXPECT_EQ(read_file(origin / "file"), "old\n");
  const std::string workspace = ledger_lines("/spaces/").at(0);
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(workspace); }));
}

// The executor has ended by then; only the run waits.
TEST_F(Fleet, AQuestionOfATaskWaitsForItsAnswer) {
  const std::string executor = directory_.path() / "executor";
  write_file(executor,
             "#!/bin/sh\n"
             "case \"$2\" in\n"
             "  *Answer:*) echo '[CODEX_COMPLETE] Task completed';;\n"
             "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
             "esac\n");
  std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
  start_worker("w");
  Task task;
  task.agent = "executor";
  task.words = {executor, "t-1", "it"};
  task.working_dir = directory_.path().string();
  const auto ack = service_->submit(task);
  ASSERT_TRUE(ack) << ack.error().message;
  std::string question;
  ASSERT_TRUE(eventually([&] {
    const auto open = service_->desk().open_questions(ack->task.id);
    if (open && !open->empty()) question = open->front().key();
    return !question.empty();
  }));
  const auto answered = service_->desk().answer({.id = question, .typed = "2"}, "test");
  ASSERT_TRUE(answered) << answered.error().message;
  const Task done = end_of(ack->task.id);
  EXPECT_EQ(done.state, "completed") << done.summary;
}

TEST_F(Fleet, ARunThatWasKilledIsFoundByTheNextCommandOnItsMachine) {
  Start start;
  start.arguments = {"run", "--as", "quiet", "--store", url_, "--", "sleep", "600"};
  start.environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state/run").string(),
                       "HOME=" + directory_.path().string()};
  Running run(dragoman_program(), start);
  std::vector<Task> working;
  ASSERT_TRUE(eventually([&] {
    const auto found = service_->list({.states = {"working"}});
    if (found) working = *found;
    return !working.empty();
  })) << run.err_so_far();
  ASSERT_TRUE(service_->reconcile());
  EXPECT_EQ(now(working.front().id).state, "working");
  run.send(SIGKILL);
  (void)run.wait();
  ASSERT_TRUE(service_->reconcile());
  EXPECT_EQ(now(working.front().id).reason, "orphaned");
}

TEST_F(Fleet, AWorkerToldToStopFinishesWhatItHas) {
  start_worker("w", "1");
  const std::string first = submit("echo begun >> \"$1\"; sleep 2");
  const std::string second = submit("echo second >> \"$1\"");
  ASSERT_TRUE(eventually([&] { return !ledger_lines("begun").empty(); }));
  workers_["w"]->send(SIGTERM);
  EXPECT_EQ(workers_["w"]->wait().exit_code, 0);
  EXPECT_EQ(now(first).state, "completed");
  EXPECT_EQ(now(second).state, "queued");
}

TEST_F(Fleet, CancellingEndsTheAgentOnItsWorker) {
  start_worker("w");
  const std::string id = submit("echo begun $$ >> \"$1\"; sleep 100");
  ASSERT_TRUE(eventually([&] { return !ledger_lines("begun").empty(); }));
  const auto cancelled = service_->cancel(id, "enough");
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_TRUE(queue_is_empty());
  EXPECT_EQ(now(id).state, "cancelled");
  const pid_t pid = std::stoi(ledger_lines("begun")[0].substr(6));
  ASSERT_GT(pid, 1);
  EXPECT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(Fleet, TheFirstAnswerWinsAcrossNodes) {
  auto other = open_log(cluster_->url_of(1, space_), "");
  ASSERT_TRUE(other) << other.error().message;
  ask::Desk here(*log_);
  ask::Desk there(**other);
  for (int round = 0; round < 5; ++round) {
    ask::QuestionRecord question;
    question.task_id = "T-local-x";
    question.id = fmt::format("q{}", round);
    question.text = "Which?";
    question.free_text = true;
    ASSERT_TRUE(here.open(question));
    std::optional<bool> first;
    std::optional<bool> second;
    std::thread one([&] {
      const auto said = here.answer({.id = question.key(), .text = "one"}, "a");
      if (said) first = said->accepted;
    });
    std::thread two([&] {
      const auto said = there.answer({.id = question.key(), .text = "two"}, "b");
      if (said) second = said->accepted;
    });
    one.join();
    two.join();
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
  }
}

}  // namespace
}  // namespace dragoman::test
