// SPDX-License-Identifier: Apache-2.0
// What time it is on the server, without asking it and without trusting this machine's clock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "dragoman/base/mutex.hpp"

namespace dragoman {

// Every stored message carries the time of the server that stored it. When it reaches us the
// server's clock shows that time or a later one; from then on ours counts on, by the clock that
// nobody can set. So now() is never ahead of the server: a lease judged by it is never taken early,
// however wrong the time of day is here. Once newer messages have come, observations older than a
// minute or two are let go, so that a server clock that was corrected is believed again.
class ServerClock {
 public:
  // `here`: milliseconds of a clock that nobody sets; the machine's own unless given.
  explicit ServerClock(std::function<std::int64_t()> here = {});

  // Of a message that comes as it is stored.
  void saw(std::int64_t server_ms);
  // Of one that may have been stored long ago: it lets nothing go, because in a quiet fleet there
  // would be nothing else to know the time by.
  void read(std::int64_t server_ms);
  // Milliseconds since 1970; 0 before anything was seen.
  [[nodiscard]] std::int64_t now();

 private:
  struct Window {
    std::int64_t begun = 0;   // by our own clock since the machine started
    std::int64_t offset = 0;  // server time minus that clock, the largest seen
    bool any = false;
  };

  std::function<std::int64_t()> here_;
  Mutex mutex_;
  std::array<Window, 2> windows_ DRAGOMAN_GUARDED_BY(mutex_);  // this one, and the one before
};

}  // namespace dragoman
