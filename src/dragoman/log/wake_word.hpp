// SPDX-License-Identifier: Apache-2.0
// A number that threads sleep on until it changes.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace dragoman {

// What std::atomic::wait does, without its spinning: sixty threads that wait for a disk would spend
// more time on yielding to each other than on their work. All that sleep are woken by one call, and
// none of them needs a mutex to go on.
class WakeWord {
 public:
  [[nodiscard]] std::uint32_t load() const { return word_.load(std::memory_order_acquire); }

  // Returns when the word is not `old`, or for no reason.
  void wait(std::uint32_t old) {
    ::syscall(SYS_futex, address(), FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
  }

  void set_and_wake(std::uint32_t value) {
    word_.store(value, std::memory_order_release);
    ::syscall(SYS_futex, address(), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  [[nodiscard]] std::uint32_t* address() { return reinterpret_cast<std::uint32_t*>(&word_); }

  std::atomic<std::uint32_t> word_ = 0;
};

}  // namespace dragoman
