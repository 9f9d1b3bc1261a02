// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/watchdog.hpp"

#include <array>

namespace dragoman::process {
namespace {

constexpr std::array<Limit, 3> kByRank = {Limit::hard, Limit::idle, Limit::after_result};

std::chrono::milliseconds whole(std::chrono::steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

std::uint8_t bit(Limit limit) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(limit));
}

}  // namespace

std::string_view name(Limit limit) {
  switch (limit) {
    case Limit::idle:
      return "idle";
    case Limit::hard:
      return "hard";
    case Limit::after_result:
      return "after_result";
  }
  return {};
}

Watchdog::Watchdog(Limits limits, Time start)
    : limits_(limits), start_(start), hard_since_(start), last_output_(start) {}

void Watchdog::output(Time now) {
  last_output_ = now;
  warned_ = static_cast<std::uint8_t>(warned_ & ~bit(Limit::idle));
}

void Watchdog::arm(Time now) {
  if (!armed_) armed_ = now;
}

void Watchdog::disarm() {
  armed_.reset();
  warned_ = static_cast<std::uint8_t>(warned_ & ~bit(Limit::after_result));
}

void Watchdog::pause(Time now) {
  if (!paused_) paused_ = now;
}

void Watchdog::resume(Time now) {
  if (!paused_) return;
  hard_since_ += now - *paused_;
  if (armed_) *armed_ += now - *paused_;
  paused_.reset();
  output(now);
}

void Watchdog::begin(Time now) {
  if (!over_) *this = Watchdog(limits_, now);
}

std::optional<Watchdog::Running> Watchdog::running(Limit limit) const {
  if (paused_ || over_) return std::nullopt;
  switch (limit) {
    case Limit::idle:
      if (limits_.idle.count() <= 0) return std::nullopt;
      return Running{limit, limits_.idle, last_output_};
    case Limit::hard:
      if (limits_.hard.count() <= 0) return std::nullopt;
      return Running{limit, limits_.hard, hard_since_};
    case Limit::after_result:
      if (limits_.after_result.count() <= 0 || !armed_) return std::nullopt;
      return Running{limit, limits_.after_result, *armed_};
  }
  return std::nullopt;
}

Watchdog::Time Watchdog::due(const Running& clock, Alarm::Level level) const {
  const Time end = clock.since + clock.length;
  return level == Alarm::Level::timeout ? end : end - limits_.warning;
}

// A warning that would come at the very beginning says nothing.
bool Watchdog::may_warn(const Running& clock) const {
  return limits_.warning.count() > 0 && limits_.warning < clock.length &&
         (warned_ & bit(clock.limit)) == 0;
}

std::optional<Watchdog::Time> Watchdog::next() const {
  std::optional<Time> first;
  for (const Limit limit : kByRank) {
    const auto clock = running(limit);
    if (!clock) continue;
    const Time at = due(*clock, may_warn(*clock) ? Alarm::Level::warning : Alarm::Level::timeout);
    if (!first || at < *first) first = at;
  }
  return first;
}

std::optional<Watchdog::Alarm> Watchdog::check(Time now) {
  for (const Alarm::Level level : {Alarm::Level::timeout, Alarm::Level::warning}) {
    for (const Limit limit : kByRank) {
      const auto clock = running(limit);
      if (!clock || now < due(*clock, level)) continue;
      if (level == Alarm::Level::warning && !may_warn(*clock)) continue;
      warned_ = static_cast<std::uint8_t>(warned_ | bit(limit));
      over_ = level == Alarm::Level::timeout;
      return Alarm{level, limit, clock->length, whole(now - start_), whole(now - last_output_)};
    }
  }
  return std::nullopt;
}

}  // namespace dragoman::process
