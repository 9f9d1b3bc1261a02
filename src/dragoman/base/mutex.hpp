// SPDX-License-Identifier: Apache-2.0
// A mutex that clang's thread-safety analysis understands: what it guards is said in the type, and
// touching it without the lock does not compile under the clang preset.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define DRAGOMAN_THREAD_ATTRIBUTE_(x) __attribute__((x))
#else
#define DRAGOMAN_THREAD_ATTRIBUTE_(x)
#endif

#define DRAGOMAN_GUARDED_BY(mutex) DRAGOMAN_THREAD_ATTRIBUTE_(guarded_by(mutex))
#define DRAGOMAN_REQUIRES(mutex) DRAGOMAN_THREAD_ATTRIBUTE_(requires_capability(mutex))

namespace dragoman {

class DRAGOMAN_THREAD_ATTRIBUTE_(capability("mutex")) Mutex {
 public:
  void lock() DRAGOMAN_THREAD_ATTRIBUTE_(acquire_capability()) { mutex_.lock(); }
  void unlock() DRAGOMAN_THREAD_ATTRIBUTE_(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class DRAGOMAN_THREAD_ATTRIBUTE_(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) DRAGOMAN_THREAD_ATTRIBUTE_(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~Lock() DRAGOMAN_THREAD_ATTRIBUTE_(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  [[nodiscard]] Mutex& mutex() { return mutex_; }

 private:
  Mutex& mutex_;
};

// Waits with a Lock held; the caller loops over its own condition, so that the analysis sees it.
using Condition = std::condition_variable_any;

}  // namespace dragoman
