// SPDX-License-Identifier: Apache-2.0
// When a run has taken too long: a state machine that is told the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::process {

// Zero switches a limit off.
struct Limits {
  std::chrono::milliseconds idle{std::chrono::seconds(300)};         // without output
  std::chrono::milliseconds hard{std::chrono::seconds(1200)};        // in all
  std::chrono::milliseconds after_result{std::chrono::seconds(30)};  // see Watchdog::arm
  std::chrono::milliseconds warning{std::chrono::seconds(30)};       // that long before the end

  friend bool operator==(const Limits&, const Limits&) = default;
};

enum class Limit : std::uint8_t { idle, hard, after_result };
[[nodiscard]] std::string_view name(Limit limit);

// Times are those of a monotonic clock. An alarm is never early: at `limit` nanoseconds after its
// beginning the time is up, one nanosecond before it is not. Each limit warns once between two
// outputs and ends the run once; after the end there is nothing more to say.
class Watchdog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Alarm {
    enum class Level : std::uint8_t { warning, timeout };
    Level level = Level::warning;
    Limit limit = Limit::idle;
    std::chrono::milliseconds after{0};    // the limit itself
    std::chrono::milliseconds elapsed{0};  // since the run began, rounded down
    std::chrono::milliseconds silent{0};   // since the last output

    friend bool operator==(const Alarm&, const Alarm&) = default;
  };

  Watchdog(Limits limits, Time start);

  void output(Time now);  // a byte on any stream: the silence begins anew
  // The agent gave its result and nothing is under way any more: it has after_result to end.
  // disarm() when it took up work again. Armed twice the clock runs on from the first time.
  void arm(Time now);
  void disarm();
  // While a person is asked nothing is expected of the agent: silence and the hard limit stand
  // still.
  void pause(Time now);
  void resume(Time now);

  // Another turn of the agent begins: every clock does, whatever stood still.
  void begin(Time now);

  // When check() has something to say next, unless something happens before.
  [[nodiscard]] std::optional<Time> next() const;
  [[nodiscard]] std::optional<Alarm> check(Time now);

 private:
  struct Running {
    Limit limit;
    std::chrono::milliseconds length;
    Time since;
  };
  [[nodiscard]] std::optional<Running> running(Limit limit) const;
  [[nodiscard]] Time due(const Running& clock, Alarm::Level level) const;
  [[nodiscard]] bool may_warn(const Running& clock) const;

  Limits limits_;
  Time start_;
  Time hard_since_;
  Time last_output_;
  std::optional<Time> armed_;
  std::optional<Time> paused_;
  std::uint8_t warned_ = 0;  // a bit for each limit
  bool over_ = false;
};

}  // namespace dragoman::process
