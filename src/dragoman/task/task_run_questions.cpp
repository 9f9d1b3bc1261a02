// SPDX-License-Identifier: Apache-2.0
// The questions of a task: put where people find them, and their answers handed over to the run.
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

void TaskRun::ask(const KeptQuestion& asked) {
  questions_.ask({asked, task_.id});
  put_questions();
}

void TaskRun::put_questions() {
  if (over_) return;
  if (!questions_.waits()) waiting_since_ = std::chrono::steady_clock::now();
  if (!questions_.put()) try_again([this] { put_questions(); });
}

void TaskRun::look_for_answers() {
  if (running_ == nullptr) return;
  auto news = questions_.look();
  if (!news) return;  // the log does not answer now
  for (ask::QuestionRecord& question : news->answered) slot_.answers.push_back(std::move(question));
  if (slot_.held) {
    hand_over_answers();
  } else if (!news->answered.empty()) {
    slot_.wanted = std::chrono::steady_clock::now();
    (void)change([](Task& task) {
      task.waits = kWaitsForSlot;
      return true;
    });
  }
  const auto waited = std::chrono::steady_clock::now() - waiting_since_;
  if (!news->given_up && (!questions_.waits() || waited <= options_.answer_within)) return;
  questions_.give_up();
  running_->end_answers();  // the run ends without them
}

void TaskRun::hand_over_answers() {
  for (const ask::QuestionRecord& question : std::exchange(slot_.answers, {})) {
    if (running_ == nullptr) return;
    running_->answer({.id = question.id, .meant = question.answer});
    questions_.delivered(question.key());
  }
}

}  // namespace dragoman::task
