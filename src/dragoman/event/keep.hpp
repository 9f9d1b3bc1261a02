// SPDX-License-Identifier: Apache-2.0
// Events that outlive the sink call they came with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// A copy of `event` whose bytes live in `arena`.
[[nodiscard]] Event keep(const Event& event, Arena& arena);
[[nodiscard]] Wants keep(const Wants& wants, Arena& arena);

// Collects everything it is told; for tests, for small captures, for what must be looked at twice.
class EventList final : public EventSink {
 public:
  void on_event(const Event& event) override { events_.push_back(keep(event, arena_)); }
  void on_record(const Record& record) override { records_.push_back(record); }

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  [[nodiscard]] std::span<const Record> records() const { return records_; }

 private:
  Arena arena_;
  std::vector<Event> events_;
  std::vector<Record> records_;
};

}  // namespace dragoman
