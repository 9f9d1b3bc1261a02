// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/server_clock.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman {

namespace {
constexpr std::int64_t kWindow = 60'000;
}

ServerClock::ServerClock(std::function<std::int64_t()> here)
    : here_(here ? std::move(here) : milliseconds_since_boot) {}

void ServerClock::read(std::int64_t server_ms) {
  const std::int64_t here = here_();
  const Lock lock(mutex_);
  Window& current = windows_[0];
  if (!current.any) current = {here, server_ms - here, true};
  current.offset = std::max(current.offset, server_ms - here);
}

void ServerClock::saw(std::int64_t server_ms) {
  const std::int64_t here = here_();
  const Lock lock(mutex_);
  Window& current = windows_[0];
  if (current.any && here - current.begun > kWindow) {
    windows_[1] = current;
    current = {};
  }
  if (!current.any) current = {here, server_ms - here, true};
  current.offset = std::max(current.offset, server_ms - here);
}

std::int64_t ServerClock::now() {
  const std::int64_t here = here_();
  const Lock lock(mutex_);
  std::int64_t latest = 0;
  for (const Window& window : windows_) {
    if (window.any) latest = std::max(latest, here + window.offset);
  }
  return latest;
}

}  // namespace dragoman
