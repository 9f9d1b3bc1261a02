// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task_sink.hpp"

#include <utility>

namespace dragoman::task {

void TaskSink::event(const Event& event, engine::EventLine& line) {
  if (event.partial) return;
  std::string stored;
  {
    const Lock lock(mutex_);
    fold_.on_event(event);
    stored = fold_.stored(event, line);
  }
  if (!stored.empty()) pump_.add(stream_, std::move(stored));
}

void TaskSink::begin_turn() {
  const Lock lock(mutex_);
  fold_ = TaskFold();
  told_ = 0;
}

std::optional<Task> TaskSink::progress() {
  const Lock lock(mutex_);
  if (std::exchange(told_, fold_.seen()) == fold_.seen()) return std::nullopt;
  Task progress;
  fold_.put_progress(progress);
  return progress;
}

void TaskSink::put_end(Task& task, const RunFacts& facts) {
  const Lock lock(mutex_);
  fold_.put_end(task, facts);
}

}  // namespace dragoman::task
