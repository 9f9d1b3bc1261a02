// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/event_pump.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "dragoman/event/event.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::task {

namespace {

// Long enough that a talkative agent costs few commits, short enough that a live view is live.
constexpr std::chrono::milliseconds kGatherEvents(30);
constexpr std::chrono::milliseconds kRetry(500);

std::size_t size_of(const std::vector<std::string>& lines) {
  std::size_t bytes = 0;
  for (const auto& line : lines) bytes += line.size();
  return bytes;
}

std::string left_out_note(std::uint64_t count) {
  const std::string said =
      fmt::format("{} {} could not be stored in time: the recording has {}", count,
                  count == 1 ? "event" : "events", count == 1 ? "it" : "them");
  Event event;
  event.payload = Diagnostic{"events_left_out", Level::warning, said};
  return to_json(event);
}

}  // namespace

EventPump::EventPump(Log& log, std::size_t most)
    : log_(log), most_(most), thread_([this] { work(); }) {}

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
    const bool first = waiting_.empty();
    Lines& waiting = waiting_[stream];
    const auto guarded = guarded_.find(stream);
    waiting.guard = guarded == guarded_.end() ? 0 : guarded->second.id;
    if (waiting.left_out > 0 || held_ + line.size() > most_) {
      ++waiting.left_out;
    } else {
      held_ += line.size();
      waiting.lines.push_back(std::move(line));
    }
    if (!first) return;  // who gathers them is awake
  }
  changed_.notify_all();
}

bool EventPump::flush() {
  Lock lock(mutex_);
  hurry_ = true;
  changed_.notify_all();
  while ((!waiting_.empty() || writing_) && !failed_) changed_.wait(lock.mutex());
  hurry_ = false;
  return waiting_.empty() && !writing_;
}

void EventPump::guard(const std::string& stream, Ours ours, std::optional<std::uint64_t> last) {
  const Lock lock(mutex_);
  guarded_[stream] = {++guards_, last, std::move(ours)};
}

void EventPump::release(const std::string& stream) {
  const Lock lock(mutex_);
  if (guarded_.erase(stream) == 0) return;
  const auto waiting = waiting_.find(stream);
  if (waiting == waiting_.end()) return;
  held_ -= size_of(waiting->second.lines);
  waiting_.erase(waiting);
}

void EventPump::remember(const std::string& stream, std::uint64_t guard, std::uint64_t last) {
  const Lock lock(mutex_);
  const auto known = guarded_.find(stream);
  if (known != guarded_.end() && known->second.id == guard) known->second.last = last;
}

// How many of the lines are in the stream, right behind number `last` and with nothing of others
// between them: an answer may have been lost on its way to us.
Result<std::size_t> EventPump::already_there(const std::string& stream, std::uint64_t last,
                                             const std::vector<std::string>& lines) {
  DRAGOMAN_TRY(const auto found, log_.read(stream, last + 1, lines.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].body != lines[i]) return std::size_t{0};
  }
  return found.size();
}

bool EventPump::write_guarded(const std::string& stream, std::vector<std::string>& lines,
                              Guarded guarded) {
  while (!lines.empty()) {
    if (!guarded.last) {
      const auto last = log_.last(stream);
      if (!last) return false;
      // Asked behind that: whoever took the stream over before cannot be missed.
      const auto ours = guarded.ours();
      if (!ours) return false;
      if (!*ours) break;
      guarded.last = *last;
    }
    const auto written = write_one(log_, Append{stream, lines, guarded.last});
    if (!written) return false;
    auto stored = written->applied ? Result<std::size_t>(lines.size())
                                   : already_there(stream, *guarded.last, lines);
    if (!stored) return false;
    if (*stored == 0) {
      guarded.last.reset();
      continue;
    }
    *guarded.last += *stored;
    remember(stream, guarded.id, *guarded.last);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(*stored));
  }
  lines.clear();
  return true;
}

bool EventPump::write(Batch& batch) {
  std::vector<LogWrite> free;
  for (auto& [stream, waiting] : batch) {
    std::optional<Guarded> guarded;
    {
      const Lock lock(mutex_);
      const auto known = guarded_.find(stream);
      if (known != guarded_.end()) guarded = known->second;
    }
    if (waiting.guard == 0) {
      free.emplace_back(Append{stream, waiting.lines, {}});
    } else if (!guarded || guarded->id != waiting.guard) {
      waiting.lines.clear();  // it was released meanwhile
    } else {
      (void)write_guarded(stream, waiting.lines, *std::move(guarded));
    }
  }
  if (!free.empty() && log_.write(free)) {
    for (const auto& one : free) batch[std::get<Append>(one).stream].lines.clear();
  }
  std::erase_if(batch, [](const auto& one) { return one.second.lines.empty(); });
  return batch.empty();
}

// In front of what came meanwhile.
void EventPump::put_back(Batch batch) {
  for (auto& [stream, failed] : batch) {
    const auto guarded = guarded_.find(stream);
    if (failed.guard != (guarded == guarded_.end() ? 0 : guarded->second.id)) {
      held_ -= size_of(failed.lines);
      continue;
    }
    Lines& waiting = waiting_[stream];
    waiting.guard = failed.guard;
    waiting.lines.insert(waiting.lines.begin(), std::make_move_iterator(failed.lines.begin()),
                         std::make_move_iterator(failed.lines.end()));
  }
}

// While the log cannot be written the count goes on; then it is told, behind what was held.
EventPump::Batch EventPump::take_waiting() {
  Batch batch = std::exchange(waiting_, {});
  for (auto& [stream, lines] : batch) {
    if (lines.left_out == 0) continue;
    if (failed_) {
      waiting_[stream] = {lines.guard, {}, std::exchange(lines.left_out, 0)};
      continue;
    }
    lines.lines.push_back(left_out_note(std::exchange(lines.left_out, 0)));
    held_ += lines.lines.back().size();
  }
  return batch;
}

// False: the end.
bool EventPump::take(Batch& batch) {
  Lock lock(mutex_);
  while (waiting_.empty() && !stop_) changed_.wait(lock.mutex());
  if (waiting_.empty()) return false;
  const auto full = std::chrono::steady_clock::now() + (failed_ ? kRetry : kGatherEvents);
  while (!stop_ && (failed_ || !hurry_) &&
         changed_.wait_until(lock.mutex(), full) == std::cv_status::no_timeout) {
  }
  batch = take_waiting();
  writing_ = true;
  return true;
}

void EventPump::work() {
  for (Batch batch; take(batch); batch.clear()) {
    std::size_t bytes = 0;
    for (const auto& [stream, waiting] : batch) bytes += size_of(waiting.lines);
    const bool written = write(batch);
    for (const auto& [stream, waiting] : batch) bytes -= size_of(waiting.lines);
    {
      const Lock lock(mutex_);
      writing_ = false;
      failed_ = !written;
      held_ -= bytes;
      if (!written && stop_) return;  // nobody is left to wait for space
      if (!written) put_back(std::move(batch));
    }
    changed_.notify_all();
  }
}

}  // namespace dragoman::task
