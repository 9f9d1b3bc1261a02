// SPDX-License-Identifier: Apache-2.0
// The processes of this machine and who started whom, read from /proc.
//
// The guard uses this between fork and exec, where only async-signal-safe calls are allowed:
// nothing here allocates from the heap, locks or throws.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace dragoman::process {

struct TableEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';
  bool chosen = false;           // by mark_descendants or choose
  std::uint64_t start_time = 0;  // in clock ticks since boot: with the pid it names a process
  std::uint64_t cpu_ticks = 0;
  char name[16] = {};
};

class ProcessTable {
 public:
  ProcessTable() = default;
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  // Reads all of /proc. False when it cannot be read. Processes that end meanwhile are left out.
  bool scan();
  // Chooses every process below `root`, which is not chosen itself.
  void mark_descendants(pid_t root);
  // Chooses one process, and every process below those that are chosen.
  void choose(pid_t pid);
  void mark_below_chosen() { mark_descendants(kNobody); }

  [[nodiscard]] const TableEntry* begin() const { return entries_; }
  [[nodiscard]] const TableEntry* end() const { return entries_ + size_; }
  [[nodiscard]] const TableEntry* find(pid_t pid) const;

 private:
  static constexpr pid_t kNobody = -1;  // is no process's parent

  bool reserve(std::size_t wanted);

  TableEntry* entries_ = nullptr;  // mapped memory, sorted by pid
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// One process; false when it is gone.
bool read_entry(pid_t pid, TableEntry& entry);

// Sends a signal to exactly the process that `entry` describes, never to a later one with its pid.
bool send_exactly(const TableEntry& entry, int signal);

}  // namespace dragoman::process
