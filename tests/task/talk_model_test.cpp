// SPDX-License-Identifier: Apache-2.0
// Runs, and what people say to them, in any order: every message that was accepted is delivered
// once, in order, or undelivered with the reason.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "dragoman/task/queue_worker.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/turn_end.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/scale.hpp"
#include "tests/task/talking_run.hpp"

namespace dragoman::task {
namespace {

using test::value_of;

// Several runs of one worker, which dies now and then.
class TalkModel {
 public:
  explicit TalkModel(std::uint64_t seed) : chance_(seed) {
    options_.start = agents_.start();
    options_.concurrency = 1 + below(3);
    options_.waiting = below(3);
    options_.linger = std::chrono::hours(1);
  }

  void submit() {
    Task task;
    task.text = "x";
    task.agent = "claude";
    task.working_dir = "/tmp";
    task.keep_ms = below(2) == 0 ? 0 : 60'000;
    ids_.push_back(value_of(service_.submit(task)).task.id);
  }
  void step() {
    const std::string& id = ids_[below(ids_.size())];
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return send(id);
      case 4:
        return ask(id);
      case 5:
        return answer();
      case 6:
        return (void)service_.interrupt(id, "test");
      case 7:
        return below(4) == 0 ? cancel(id) : look();
      case 8:
        return below(4) == 0 ? crash() : look();
      case 9:
        agents_.listens = below(3) != 0;
        return;
      case 10:
        if (auto* const agent = agents_.of(id)) below(4) == 0 ? agent->die() : agent->leave();
        return;
      case 11:
      case 12:
        if (auto* const agent = agents_.of(id))
          agent->end_turn(below(3) == 0 ? VerdictKind::failed : VerdictKind::completed);
        return;
      default:
        return look();
    }
  }
  // Until nothing is to be done any more.
  void finish() {
    for (int i = 0; i < 200 && !all_rest(); ++i) {
      for (const std::string& id : ids_) {
        if (auto* const agent = agents_.of(id)) agent->end_turn();
      }
      look();
      answer();
    }
  }
  void check() {
    for (const std::string& id : ids_) {
      const Task task = value_of(service_.get(id));
      EXPECT_TRUE(task.terminal()) << id << " " << task.state;
      EXPECT_EQ(task.heard, task.said);
      const auto messages = value_of(service_.messages(id));
      EXPECT_EQ(messages.size(), accepted_[id]) << "none is lost";
      std::vector<std::uint64_t> delivered;
      for (const auto& message : messages) {
        EXPECT_TRUE(message.is_settled()) << message.key() << " " << message.state;
        EXPECT_EQ(message.reason.empty(), message.state == ask::kDelivered) << message.reason;
        if (message.state == ask::kDelivered) delivered.push_back(message.number);
      }
      const auto& heard = agents_.heard[id];
      EXPECT_TRUE(std::ranges::is_sorted(heard)) << "in order";
      EXPECT_EQ(std::set(heard.begin(), heard.end()).size(), heard.size()) << "once";
      // What an agent heard when its worker died is not known to be delivered.
      EXPECT_TRUE(std::ranges::includes(heard, delivered));
      EXPECT_TRUE(value_of(service_.desk().open_questions(id)).empty());
      undelivered_ += messages.size() - delivered.size();
      said_ += messages.size();
    }
    for (const std::string_view queue : {kNext, kQueue}) {
      for (const QueueItem& item : value_of(log_->queue(queue)))
        ADD_FAILURE() << queue << " " << item.key << (item.claimed ? " claimed" : "");
    }
  }
  [[nodiscard]] std::size_t said() const { return said_; }
  [[nodiscard]] std::size_t undelivered() const { return undelivered_; }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(chance_);
  }

  void look() {
    if (!worker_) {
      EXPECT_TRUE(service_.reconcile());
      worker_.emplace(*log_, options_);
    }
    worker_->step();
  }
  void send(const std::string& id) {
    const auto sent = service_.send(id, "more", "test");
    if (sent) {
      EXPECT_EQ(sent->number, ++accepted_[id]);
    } else {
      EXPECT_EQ(sent.error().reason, kCannotGoOn) << sent.error().message;
    }
  }
  void ask(const std::string& id) {
    auto* const agent = agents_.of(id);
    if (agent != nullptr && agent->at_work()) agent->ask("q" + std::to_string(++asked_));
  }
  void answer() {
    for (const auto& question : value_of(service_.desk().open_questions()))
      (void)value_of(service_.desk().answer({.id = question.key(), .typed = "1"}, "test"));
  }
  // As Service::cancel() does it before it waits for the runner.
  void cancel(const std::string& id) {
    if (value_of(service_.get(id)).state == "queued") return (void)service_.cancel(id, "enough");
    (void)value_of(conclude_turn(*log_, id,
                                 {.end =
                                      [](Task& task) {
                                        task.state = "cancelled";
                                        return true;
                                      },
                                  .last = "the run was cancelled"}));
  }
  // Its process is gone, with all that it had in hands.
  void crash() {
    worker_.reset();
    const ProcessIdentity dead = gone();
    for (const std::string& id : ids_) {
      Task task = value_of(service_.get(id));
      task.runner_pid = dead.pid;
      task.runner_start = dead.start;
      (void)value_of(write_one(*log_, Put{std::string(kTasks), record_of(task), task.revision}));
    }
    for (const std::string_view queue : {kNext, kQueue}) {
      // Its leases have run out.
      for (const QueueItem& item : value_of(log_->queue(queue))) {
        if (!item.claimed) continue;
        (void)value_of(write_one(*log_, Dequeue{std::string(queue), item.key}));
      }
    }
  }
  static ProcessIdentity gone() {
    static const ProcessIdentity kGone = [] {
      const pid_t child = ::fork();
      if (child == 0) ::pause();
      const ProcessIdentity identity = identity_of(child);
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      return identity;
    }();
    return kGone;
  }
  [[nodiscard]] bool all_rest() {
    return std::ranges::all_of(ids_, [&](const std::string& id) {
      const auto* const agent = agents_.of(id);
      return value_of(service_.get(id)).terminal() && (agent == nullptr || !agent->at_work());
    });
  }

  std::mt19937_64 chance_;
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  Service service_{*log_, {}};
  test::TalkingAgents agents_;
  RunnerOptions options_;
  std::vector<std::string> ids_;
  std::map<std::string, std::uint64_t> accepted_;
  std::size_t asked_ = 0;
  std::size_t said_ = 0;
  std::size_t undelivered_ = 0;
  std::optional<QueueWorker> worker_;
};

TEST(TalkModelTest, EveryMessageIsDeliveredOnceOrUndeliveredWithTheReason) {
  constexpr std::size_t kRunsOfOne = 4;
  std::size_t said = 0;
  std::size_t undelivered = 0;
  for (std::size_t seed = 0; seed < test::scaled(1000 / kRunsOfOne); ++seed) {
    TalkModel model(seed);
    for (std::size_t i = 0; i < kRunsOfOne; ++i) model.submit();
    for (int i = 0; i < 150; ++i) model.step();
    model.finish();
    model.check();
    said += model.said();
    undelivered += model.undelivered();
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(said, undelivered);
  std::printf("%zu messages, %zu of them undelivered\n", said, undelivered);
}

}  // namespace
}  // namespace dragoman::task
