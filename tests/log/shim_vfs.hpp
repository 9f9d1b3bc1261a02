// SPDX-License-Identifier: Apache-2.0
// A file system for SQLite that counts what reaches the disk, and can be full.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace dragoman::test {

struct DiskState {
  std::atomic<std::uint64_t> wal_syncs = 0;
  std::atomic<std::uint64_t> wal_writes = 0;
  std::atomic<std::uint64_t> unsynced = 0;  // writes to the write-ahead log since its last sync
  std::atomic<bool> full = false;           // every write says that there is no space
  std::atomic<std::uint64_t> refused = 0;   // writes for which there was none
  std::atomic<bool> keeps_synced = false;   // what_was_synced() is wanted
};

DiskState& disk();

// The write-ahead log as of its last sync: what a power cut would leave.
std::string what_was_synced();

// Registers it once; its name.
std::string shim_vfs();

// While it lives, files that name no other file system are there too.
class ShimForAll {
 public:
  ShimForAll();
  ~ShimForAll();
  ShimForAll(const ShimForAll&) = delete;
  ShimForAll& operator=(const ShimForAll&) = delete;
};

}  // namespace dragoman::test
