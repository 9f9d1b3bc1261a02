// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/event_pump.hpp"

#include <chrono>
#include <utility>

namespace dragoman::task {

namespace {

// Long enough that a talkative agent costs few commits, short enough that a live view is live.
constexpr std::chrono::milliseconds kGather(30);
constexpr std::chrono::milliseconds kRetry(500);

std::size_t size_of(const std::map<std::string, std::vector<std::string>>& batch) {
  std::size_t bytes = 0;
  for (const auto& [stream, lines] : batch) {
    for (const auto& line : lines) bytes += line.size();
  }
  return bytes;
}

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

bool EventPump::flush() {
  Lock lock(mutex_);
  while ((!waiting_.empty() || writing_) && !failed_) changed_.wait(lock.mutex());
  return waiting_.empty() && !writing_;
}

void EventPump::guard(const std::string& stream, std::function<bool()> ours) {
  const Lock lock(mutex_);
  guarded_[stream] = {std::nullopt, std::move(ours)};
}

void EventPump::release(const std::string& stream) {
  const Lock lock(mutex_);
  guarded_.erase(stream);
}

// Whether the lines are in the stream, right behind number `last`: an answer may have been lost on
// its way to us.
bool EventPump::is_there(const std::string& stream, std::uint64_t last,
                         const std::vector<std::string>& lines) {
  const auto found = log_.read(stream, last + 1, lines.size());
  if (!found || found->size() != lines.size()) return false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((*found)[i].body != lines[i]) return false;
  }
  return true;
}

bool EventPump::write_guarded(const std::string& stream, const std::vector<std::string>& lines,
                              Guarded guarded) {
  const auto remember = [&](std::uint64_t last) {
    const Lock lock(mutex_);
    const auto known = guarded_.find(stream);
    if (known != guarded_.end()) known->second.last = last;
  };
  for (;;) {
    if (!guarded.last) {
      const auto last = log_.last(stream);
      if (!last) return false;
      guarded.last = *last;
      remember(*last);
    }
    const auto written = write_one(log_, Append{stream, lines, guarded.last});
    if (!written) return false;
    if (written->applied || is_there(stream, *guarded.last, lines)) {
      remember(*guarded.last + lines.size());
      return true;
    }
    if (!guarded.ours()) return true;
    guarded.last.reset();
  }
}

bool EventPump::write(Batch& batch) {
  Batch failed;
  std::vector<LogWrite> free;
  for (auto& [stream, lines] : batch) {
    std::optional<Guarded> guarded;
    {
      const Lock lock(mutex_);
      const auto known = guarded_.find(stream);
      if (known != guarded_.end()) guarded = known->second;
    }
    if (!guarded) {
      free.emplace_back(Append{stream, lines, {}});
    } else if (!write_guarded(stream, lines, *std::move(guarded))) {
      failed[stream] = std::move(lines);
    }
  }
  if (!free.empty() && !log_.write(free)) {
    for (auto& one : free) {
      auto& append = std::get<Append>(one);
      failed[append.stream] = std::move(append.bodies);
    }
  }
  batch = std::move(failed);
  return batch.empty();
}

void EventPump::work() {
  for (;;) {
    Batch batch;
    {
      Lock lock(mutex_);
      while (waiting_.empty() && !stop_) changed_.wait(lock.mutex());
      if (waiting_.empty()) return;
      if (!stop_) changed_.wait_for(lock.mutex(), failed_ ? kRetry : kGather);
      batch = std::exchange(waiting_, {});
      writing_ = true;
    }
    std::size_t bytes = size_of(batch);
    const bool written = write(batch);
    bytes -= size_of(batch);
    {
      const Lock lock(mutex_);
      writing_ = false;
      failed_ = !written;
      held_ -= bytes;
      if (!written && stop_) return;  // nobody is left to wait for space
      if (!written) {
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
