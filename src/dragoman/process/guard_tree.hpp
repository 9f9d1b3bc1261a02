// SPDX-License-Identifier: Apache-2.0
// The agent and everything below it, as its guard sees them. Async-signal-safe throughout.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "dragoman/process/guard.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {

// The guard is a subreaper: who loses its parent becomes its child. So the tree is gone exactly
// when the guard has no child left, and every process of it is found below the guard in /proc.
class GuardTree {
 public:
  // `killer`: of the run's group, -1 where there is none.
  GuardTree(pid_t agent, int control, int killer)
      : agent_(agent), control_(control), killer_(killer) {}

  void reap();  // collects who has ended, and reports the agent's end
  // TERM to all, KILL after `grace`; a later call can only shorten it.
  void stop(std::int32_t grace_milliseconds);
  void signal_group(int number);
  void press_on();  // KILL when it is time, again and again: they may fork as fast as we kill

  [[nodiscard]] bool is_gone() const { return gone_; }
  [[nodiscard]] GuardReport last_report() const;
  [[nodiscard]] int patience() const;  // for poll: milliseconds until press_on() is due

 private:
  void send_to_all(int number);
  std::uint32_t count();

  pid_t agent_;
  int control_;
  int killer_;
  ProcessTable table_;
  bool agent_ended_ = false;
  bool gone_ = false;
  bool stopping_ = false;
  std::int64_t kill_at_ = 0;  // milliseconds of the monotonic clock
  std::int64_t next_kill_ = 0;
  std::int64_t kill_pause_ = 1;
  std::uint32_t leftovers_ = 0;
  std::uint32_t survivors_ = 0;
};

}  // namespace dragoman::process
