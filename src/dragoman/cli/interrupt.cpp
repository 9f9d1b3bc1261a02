// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/interrupt.hpp"

#include <csignal>

#include "dragoman/process/ending_signals.hpp"

namespace dragoman::cli {
namespace {

volatile std::sig_atomic_t seen_signal = 0;

extern "C" void note_signal(int signal) { seen_signal = signal; }

}  // namespace

void note_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  // Without SA_RESTART, so that waiting ends; with SA_RESETHAND, so that the next one is final.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  (void)::sigaction(SIGINT, &action, nullptr);
  (void)::sigaction(SIGTERM, &action, nullptr);
  if (!process::hangup_is_ignored()) (void)::sigaction(SIGHUP, &action, nullptr);
}

int interrupted() { return seen_signal; }

}  // namespace dragoman::cli
