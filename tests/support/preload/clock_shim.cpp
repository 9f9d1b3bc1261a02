// SPDX-License-Identifier: Apache-2.0
// LD_PRELOAD: a machine whose time of day is wrong by CLOCK_SHIM_SECONDS. The clocks that count
// from the start of the machine stay as they are, as they would on that machine.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

time_t wrong_by() {
  const char* text = ::getenv("CLOCK_SHIM_SECONDS");
  return text == nullptr ? 0 : static_cast<time_t>(::atol(text));
}

int ask_kernel(clockid_t clock, timespec* time) {
  const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += wrong_by();
  return result;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept { return ask_kernel(clock, time); }

time_t time(time_t* out) noexcept {
  timespec now{};
  (void)ask_kernel(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* out, void* /*zone*/) noexcept {
  timespec now{};
  const int result = ask_kernel(CLOCK_REALTIME, &now);
  if (result == 0 && out != nullptr) *out = {now.tv_sec, now.tv_nsec / 1000};
  return result;
}

}  // extern "C"
