// SPDX-License-Identifier: Apache-2.0
// Turns behind the first: what people say, and an agent that stays for it.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

// The next message goes to an agent that is started for it.
void TaskRun::tell_again() {
  if (over_ || lost_) return;
  if (turn_.cancelling) return settle({TaskState::cancelled, ""});
  inbox_.listen();
  auto message = inbox_.next(said_);
  if (!message) return try_again([this] { tell_again(); });
  // Its runner died with it in hands.
  if (!*message) return fail({ErrorCode::internal, "its message was not delivered", "undelivered"});
  const std::uint64_t number = (*message)->number;
  auto launched = launch(*std::move(message));
  if (launched) return;
  inbox_.fail(number, launched.error().message);
  fail(launched.error());
}

void TaskRun::go_on(Task task) {
  kept_ = false;
  slot_ = {};
  static_cast<TaskPlace&>(task_) = task;
  static_cast<TaskTalk&>(task_) = task;
  static_cast<TaskTurn&>(task_) = task;
  const bool begun = begin_turn(std::move(task));
  if (!begun) {
    turn_.concluded = true;
    return stay_or_finish();
  }
  guard_events();
  sink_.begin_turn();
  inbox_.listen();
  if (calls_.launched) calls_.launched(running_->kill_switch());
  hand_over();
}

void TaskRun::hand_over() {
  if (running_ == nullptr || turn_.rested || turn_.cancelling || lost_) return;
  // An agent that is deaf at work is told when it has stopped for an answer, or with its next turn.
  if (!task_agent().hears_at_work() && !questions_.waits()) return;
  auto message = inbox_.next(said_);
  if (message && *message) running_->say(**std::move(message));
}

void TaskRun::heard(std::uint64_t message) {
  inbox_.heard(message);
  if (std::exchange(turn_.in_doubt, std::nullopt)) {
    // It came when the turn had just ended, and an agent that stays works on with it.
    turn_.rested = false;
    sink_.begin_turn();
    (void)change([](Task& task) {
      ++task.turns;
      return true;
    });
  }
  hand_over();
}

// Where its process was to be started with it, the end says why it was not.
void TaskRun::unheard(std::uint64_t message) {
  if (message != turn_.prompt) inbox_.unheard(message);
  if (const auto end = std::exchange(turn_.in_doubt, std::nullopt)) turn_ended(*end);
}

void TaskRun::interrupt() {
  if (turn_.rested || turn_.cancelling) return;
  if (running_ != nullptr) return running_->interrupt_turn();
  if (workspace_ == nullptr || !workspace_->busy()) return;
  turn_.cancelling = true;  // before it began
  workspace_->stop();
}

// By another process, which has written the end of the turn.
void TaskRun::cancel() {
  turn_.cancelling = true;
  turn_.settled = true;
  if (running_ != nullptr) return running_->stop();
  if (workspace_ != nullptr && workspace_->busy()) return workspace_->stop();
  finish();
}

void TaskRun::leave() {
  if (kept_ && running_ != nullptr) running_->rest();
}

// The end of a turn is in the log, or was never ours.
void TaskRun::stay_or_finish() {
  if (running_ == nullptr) return finish();
  if (task_.keep_ms == 0 || !calls_.rested || turn_.cancelling) return;  // its program ends now
  kept_ = true;
  boost::asio::post(io_, calls_.rested);
}

bool TaskRun::needs_no_slot() const {
  return running_ != nullptr && !turn_.rested && questions_.waits() && slot_.answers.empty();
}

bool TaskRun::takes_slot() const {
  return !kept_ && (turn_.rested || running_ == nullptr || turn_.cancelling ||
                    (!questions_.waits() && slot_.answers.empty()));
}

std::optional<std::chrono::steady_clock::time_point> TaskRun::wants_slot() const {
  if (slot_.held || kept_ || (slot_.answers.empty() && !takes_slot())) return std::nullopt;
  return slot_.wanted;
}

void TaskRun::give_slot() {
  slot_.held = false;
  slot_.wanted = std::chrono::steady_clock::now();
  (void)change([](Task& task) {
    task.waits = kWaitsForAnswer;
    return true;
  });
}

void TaskRun::take_slot() {
  slot_.held = true;
  (void)change([](Task& task) {
    if (task.waits.empty()) return false;
    task.waits.clear();
    return true;
  });
  hand_over_answers();
}

}  // namespace dragoman::task
