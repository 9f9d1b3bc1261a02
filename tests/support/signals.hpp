// SPDX-License-Identifier: Apache-2.0
// Signals to programs that a test has started.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cerrno>

namespace dragoman::test {

// To a child, which has stopped when a SIGSTOP returns: until its last thread has, it can still
// answer somebody. A pid of -1, of one that was waited for, would be everybody.
inline void send_signal(pid_t child, int signal) {
  if (child <= 0 || ::kill(child, signal) != 0 || signal != SIGSTOP) return;
  siginfo_t stopped{};
  const auto wait = [&] {
    return ::waitid(P_PID, static_cast<id_t>(child), &stopped, WSTOPPED | WEXITED | WNOWAIT);
  };
  while (wait() != 0 && errno == EINTR) {
  }
}

}  // namespace dragoman::test
