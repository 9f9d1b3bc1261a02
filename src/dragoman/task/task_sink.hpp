// SPDX-License-Identifier: Apache-2.0
// What the registry is told of a run while it goes on.
#pragma once

#include <optional>
#include <string>

#include "dragoman/base/mutex.hpp"
#include "dragoman/engine/stream.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/task_fold.hpp"

namespace dragoman::task {

class TaskSink final : public engine::Audience {
 public:
  // The pump must outlive it.
  TaskSink(EventPump& pump, std::string stream) : pump_(pump), stream_(std::move(stream)) {}

  // In the run's thread.
  void event(const Event& event, engine::EventLine& line) override;

  // Another turn begins: what follows is told of that one alone.
  void begin_turn();
  // From any thread: how far it is, when that is something new.
  [[nodiscard]] std::optional<Task> progress();
  // Its end, when the run is over.
  void put_end(Task& task, const RunFacts& facts);

 private:
  EventPump& pump_;
  std::string stream_;
  Mutex mutex_;
  TaskFold fold_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t told_ DRAGOMAN_GUARDED_BY(mutex_) = 0;  // events when progress was last said
};

}  // namespace dragoman::task
