// SPDX-License-Identifier: Apache-2.0
// What a run did, as the registry remembers it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/engine/stream.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/metadata.hpp"
#include "dragoman/run/progress.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// The state that a verdict means, and why.
struct EndState {
  TaskState state = TaskState::failed;
  std::string reason;
  friend bool operator==(const EndState&, const EndState&) = default;
};
[[nodiscard]] EndState end_state(std::string_view verdict, std::span<const std::string> reasons);

// Reads along with a run and fills in its record.
class TaskFold final : public EventSink {
 public:
  // What a run prints as plain text is in its recording; of that much the registry keeps every
  // line, so that one talkative command does not fill the store.
  static constexpr std::uint64_t kKeptText = std::uint64_t{32} << 20U;

  void on_event(const Event& event) override;

  // The line to store for an event that was seen just now: its own, once a note that text is left
  // out from here on, or nothing. Valid until the next call.
  [[nodiscard]] std::string_view stored(const Event& event, engine::EventLine& line);

  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  [[nodiscard]] RunSummary run() const { return run_.summary(); }
  [[nodiscard]] std::string thread_id() const { return run_.summary().session_id; }
  // The limit that ended it, as its last event names it; empty: none did.
  [[nodiscard]] std::string_view limit() const { return limit_; }

  // While it runs.
  void put_progress(Task& task) const;
  // At its end: state, summary, metadata, artifacts. `facts` need not say what git saw, nor what
  // was left of a timeout: the last event does.
  void put_end(Task& task, RunFacts facts) const;

 private:
  static constexpr std::size_t kLastLines = 5;

  [[nodiscard]] std::vector<std::string> last_lines() const;
  [[nodiscard]] std::string reason_in_words() const;
  void see_end(std::span<const Extra> extra);

  MetadataFold metadata_;
  RunFold run_;
  ProgressFold progress_;
  std::array<std::string, kLastLines> last_;
  std::uint64_t lines_ = 0;
  std::int64_t last_event_at_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t text_ = 0;
  std::optional<GitChanges> git_;  // over all starts
  std::string limit_;
  std::string partial_;
  std::string note_;
  bool told_ = false;
};

// What put_progress() and put_end() say, into the record as it is now.
void copy_progress(Task& task, const Task& progress);
void copy_end(Task& task, const Task& end);

}  // namespace dragoman::task
