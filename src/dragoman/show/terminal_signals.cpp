// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/terminal_signals.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

#include "dragoman/show/terminal_echo.hpp"

namespace dragoman::show {
namespace {

constexpr std::array<int, 5> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};

volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t stop_wanted = 0;
volatile std::sig_atomic_t terminal_fd = -1;
std::array<struct sigaction, kSignals.size()> before;

void end_at_once(int signal) {
  TerminalEcho::give_back();
  // Below whatever stands there, with the cursor shown.
  constexpr char kRestore[] = "\x1b[?25h\r\n";
  if (terminal_fd >= 0) (void)!::write(terminal_fd, kRestore, sizeof kRestore - 1);
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);
}

extern "C" void note_terminal_signal(int signal) {
  if (signal == SIGWINCH) {
    resized = 1;
  } else if (signal == SIGTSTP) {
    stop_wanted = 1;
  } else if (end_signal != 0) {
    end_at_once(signal);
  } else {
    end_signal = signal;
  }
}

}  // namespace

TerminalSignals::TerminalSignals(int terminal) {
  end_signal = 0;
  resized = 0;
  stop_wanted = 0;
  terminal_fd = terminal;
  struct sigaction action {};
  action.sa_handler = note_terminal_signal;
  // Without SA_RESTART, so that waiting ends; without blocking, so that the second one gets in.
  action.sa_flags = static_cast<int>(SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    (void)::sigaction(kSignals[i], &action, &before[i]);
    // What was ignored (nohup) stays ignored.
    if (before[i].sa_handler == SIG_IGN) (void)::sigaction(kSignals[i], &before[i], nullptr);
  }
}

TerminalSignals::~TerminalSignals() {
  terminal_fd = -1;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    (void)::sigaction(kSignals[i], &before[i], nullptr);
  }
}

int TerminalSignals::ended() { return end_signal; }

bool TerminalSignals::take_resize() {
  const bool was = resized != 0;
  resized = 0;
  return was;
}

bool TerminalSignals::take_stop() {
  const bool was = stop_wanted != 0;
  stop_wanted = 0;
  return was;
}

void TerminalSignals::stop() { (void)::raise(SIGSTOP); }

}  // namespace dragoman::show
