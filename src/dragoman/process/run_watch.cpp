// SPDX-License-Identifier: Apache-2.0
// The clock of a run.
#include <algorithm>
#include <utility>

#include "dragoman/process/run.hpp"

namespace dragoman::process {
namespace {

// The CPU time is read this long after an output, when it turns out that a silence has begun.
constexpr std::chrono::seconds kSilence{1};

}  // namespace

Facts Supervisor::Run::facts() const {
  Facts facts = look_at(pid_);
  const auto cpu = cpu_of(facts);
  facts.cpu_since_output =
      sampled_ && cpu > cpu_at_output_ ? cpu - cpu_at_output_ : std::chrono::milliseconds(0);
  return facts;
}

void Supervisor::Run::tell_watchdog(const std::function<void(Watchdog&, Watchdog::Time)>& what) {
  what(watchdog_, Clock::now());
  schedule_watch();
}

// Output only moves the times on; the timer is set anew when it has run out, not for each chunk.
void Supervisor::Run::schedule_watch() {
  if (over_ || exited_) return;
  auto at = watchdog_.next();
  if (!at) return;
  if (!sampled_) at = std::min(*at, last_output_ + kSilence);
  watch_timer_.expires_at(*at);
  watch_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& e) {
    if (!e) self->watch();
  });
}

void Supervisor::Run::watch() {
  if (over_ || exited_) return;
  const auto now = Clock::now();
  if (!sampled_ && now >= last_output_ + kSilence) {
    cpu_at_output_ = cpu_of(look_at(pid_));
    sampled_ = true;
  }
  // What is in the pipes was written in time, even if we come late to read it.
  const auto due = watchdog_.next();
  if (due && now >= *due) {
    for (const Stream stream : {Stream::stdout_, Stream::stderr_}) {
      if (!over_ && pipe(stream).is_open()) (void)read_some(stream);
    }
    if (over_) return;
  }
  if (const auto alarm = watchdog_.check(Clock::now())) raise(*alarm);
  schedule_watch();
}

void Supervisor::Run::raise(const Watchdog::Alarm& alarm) {
  Alarm raised{alarm, facts()};
  if (alarm.level == Watchdog::Alarm::Level::timeout) {
    outcome_.timeout = raised;
    const bool stopped = outcome_.stopped;
    stop();
    outcome_.stopped = stopped;
  }
  if (handlers_.alarm) handlers_.alarm(raised);
}

}  // namespace dragoman::process
