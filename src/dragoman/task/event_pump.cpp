// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/event_pump.hpp"

#include <chrono>
#include <utility>

namespace dragoman::task {

namespace {

// Long enough that a talkative agent costs few commits, short enough that a live view is live.
constexpr std::chrono::milliseconds kGather(30);
constexpr std::chrono::milliseconds kRetry(500);

}  // namespace

EventPump::EventPump(Log& log) : log_(log), thread_([this] { work(); }) {}

EventPump::~EventPump() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EventPump::add(const std::string& stream, std::string line) {
  {
    const Lock lock(mutex_);
    if (held_ + line.size() > kMost) return;
    held_ += line.size();
    waiting_[stream].push_back(std::move(line));
  }
  changed_.notify_all();
}

void EventPump::flush() {
  Lock lock(mutex_);
  while ((!waiting_.empty() || writing_) && !failed_) changed_.wait(lock.mutex());
}

void EventPump::work() {
  for (;;) {
    std::map<std::string, std::vector<std::string>> batch;
    {
      Lock lock(mutex_);
      while (waiting_.empty() && !stop_) changed_.wait(lock.mutex());
      if (waiting_.empty()) return;
      if (!stop_) changed_.wait_for(lock.mutex(), failed_ ? kRetry : kGather);
      batch = std::exchange(waiting_, {});
      writing_ = true;
    }
    std::vector<LogWrite> writes;
    std::size_t bytes = 0;
    for (const auto& [stream, lines] : batch) {
      for (const auto& line : lines) bytes += line.size();
      writes.emplace_back(Append{stream, lines, {}});
    }
    const bool written = log_.write(std::move(writes)).has_value();
    {
      const Lock lock(mutex_);
      writing_ = false;
      failed_ = !written;
      if (written) {
        held_ -= bytes;
      } else if (stop_) {
        return;  // nobody is left to wait for space
      } else {
        // Back in front of what came meanwhile.
        for (auto& [stream, lines] : batch) {
          auto& later = waiting_[stream];
          lines.insert(lines.end(), std::make_move_iterator(later.begin()),
                       std::make_move_iterator(later.end()));
          later = std::move(lines);
        }
      }
    }
    changed_.notify_all();
  }
}

}  // namespace dragoman::task
