// SPDX-License-Identifier: Apache-2.0
// What /proc says about a process and those below it: why a silent agent is silent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::process {

struct ProcessFact {
  pid_t pid = 0;
  std::string name;                  // comm, control characters mended
  char state = '?';                  // R running, S sleeping, D in the kernel, T stopped, Z zombie
  std::chrono::milliseconds cpu{0};  // user and system time so far
  std::string waiting_in;            // the kernel function it sleeps in; empty: unknown
  bool reads_stdin = false;          // it is blocked in a read of descriptor 0

  friend bool operator==(const ProcessFact&, const ProcessFact&) = default;
};

struct Facts {
  std::vector<ProcessFact> processes;  // the agent first, then its descendants; at most 64
  std::uint32_t more = 0;              // processes beyond those
  std::chrono::milliseconds cpu_since_output{0};

  friend bool operator==(const Facts&, const Facts&) = default;
};

// Processes that are gone are left out: nothing here is an error.
[[nodiscard]] Facts look_at(pid_t agent);
// The sum over all of them.
[[nodiscard]] std::chrono::milliseconds cpu_of(const Facts& facts);

// One sentence for people: "node (pid 71) is blocked reading stdin, 0 ms of CPU since its last
// output; 2 children: rg (72, running), sh (73, sleeping)".
[[nodiscard]] std::string describe(const Facts& facts);

}  // namespace dragoman::process
