// SPDX-License-Identifier: Apache-2.0
// Two workers of a fleet that have claimed the same task, one after the other.
#include "dragoman/task/task_run.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using namespace std::chrono_literals;

// An agent that works until it is killed, or told to be done.
class PretendedRun final : public engine::RunHandle {
 public:
  PretendedRun(boost::asio::io_context& io, engine::RunCalls calls)
      : io_(io), calls_(std::move(calls)) {}
  void answer(Reply /*reply*/) override {}
  void say(engine::Message /*message*/) override {}
  void interrupt_turn() override {}
  void rest() override {}
  void end_answers() override {}
  void stop() override { end(); }
  void kill() override { end(); }
  std::function<void()> kill_switch() override {
    return [] {};
  }

 private:
  void end() {
    boost::asio::post(io_, [calls = calls_] {
      engine::RunEnd end;
      end.not_started = Error{ErrorCode::tool_error, "killed"};
      calls.rested(end);
      calls.ended();
    });
  }
  boost::asio::io_context& io_;
  engine::RunCalls calls_;
};

class TwoRuns : public testing::Test {
 protected:
  struct Worker {
    Claim claim;
    std::unique_ptr<TaskRun> run;
    int launched = 0;
    bool ended = false;
  };

  TwoRuns() {
    options_.fleet = true;
    options_.start = [](boost::asio::io_context& io, const engine::RunOrder&, engine::Audience&,
                        engine::RunCalls calls) {
      return Result<std::unique_ptr<engine::RunHandle>>(
          std::make_unique<PretendedRun>(io, std::move(calls)));
    };
    Task task;
    task.text = "x";
    task.working_dir = "/tmp";
    id_ = value_of(Service(*log_, {}).submit(task)).task.id;
  }

  // As a worker does, up to the moment where it would write that it has begun.
  void take(Worker& worker, std::chrono::milliseconds lease) {
    std::optional<Claim> claim;
    ASSERT_TRUE(test::eventually([&] {
      claim = value_of(log_->claim(kQueue, "w", lease, 0));
      return claim.has_value();
    }));
    worker.claim = *claim;
    Task task = stored();
    task.claim = static_cast<std::int64_t>(claim->token);
    ++task.attempt;
    TaskRun::Calls calls;
    calls.ended = [&worker] { worker.ended = true; };
    calls.launched = [&worker](const auto&) { ++worker.launched; };
    calls.ours = [this, &worker] { return log_->heartbeat(worker.claim, 1min); };
    worker.run =
        std::make_unique<TaskRun>(io_, *log_, pump_, options_, std::move(task), std::move(calls));
  }
  [[nodiscard]] Task stored() { return value_of(find_task(*log_, id_)).value_or(Task{}); }
  void turn() {
    io_.restart();
    io_.poll();
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  EventPump pump_{*log_};
  RunnerOptions options_;
  boost::asio::io_context io_{1};
  std::string id_;
};

TEST_F(TwoRuns, WhoSleptBeforeItBeganLeavesTheTaskToItsNewOwner) {
  Worker slow;
  Worker quick;
  take(slow, 1ms);
  take(quick, 1min);
  quick.run->start();
  slow.run->start();
  turn();
  EXPECT_EQ(stored().claim, static_cast<std::int64_t>(quick.claim.token));
  EXPECT_TRUE(slow.run->lost());
  EXPECT_FALSE(slow.run->settled());
  EXPECT_TRUE(slow.ended);
  EXPECT_EQ(slow.launched, 0);
  quick.run->log_changed();
  turn();
  EXPECT_FALSE(quick.run->lost()) << "its agent would be killed";
  EXPECT_EQ(quick.launched, 1);
  EXPECT_FALSE(quick.ended);
}

TEST_F(TwoRuns, TheOwnerTakesTheTaskBackFromWhoWroteTooLate) {
  Worker slow;
  Worker quick;
  take(slow, 1ms);
  take(quick, 1min);
  slow.run->start();  // it has asked whether it may, and fell asleep then
  quick.run->start();
  turn();
  EXPECT_EQ(stored().claim, static_cast<std::int64_t>(quick.claim.token));
  EXPECT_FALSE(quick.run->lost());
  EXPECT_EQ(quick.launched, 1);
  slow.run->log_changed();
  turn();
  EXPECT_TRUE(slow.run->lost());
}

}  // namespace
}  // namespace dragoman::task
