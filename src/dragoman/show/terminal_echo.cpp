// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/terminal_echo.hpp"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace dragoman::show {
namespace {

constexpr std::array<int, 6> kDeadly = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr tcflag_t kEcho = ECHO | ECHONL;

volatile std::sig_atomic_t silent_terminal = -1;  // whose echo we have switched off
volatile tcflag_t echo_before = 0;
std::array<struct sigaction, kDeadly.size()> deadly_before;
unsigned living = 0;  // objects: the first takes the deadly signals, the last gives them back

bool is_in_foreground(int terminal) { return ::tcgetpgrp(terminal) == ::getpgrp(); }

// Only these flags: whatever else was changed in the meantime is not ours. Who is put into the
// background between the look and the call must not be stopped by it.
bool set_echo(int terminal, tcflag_t echo) {
  termios now{};
  if (!is_in_foreground(terminal) || ::tcgetattr(terminal, &now) != 0) return false;
  now.c_lflag = (now.c_lflag & ~kEcho) | echo;
  sigset_t stops;
  sigset_t mask;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTTOU);
  (void)::pthread_sigmask(SIG_BLOCK, &stops, &mask);
  const bool set = ::tcsetattr(terminal, TCSANOW, &now) == 0;
  (void)::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return set;
}

extern "C" void give_back_and_die(int signal) {
  TerminalEcho::give_back();
  for (std::size_t i = 0; i < kDeadly.size(); ++i) {
    if (kDeadly[i] == signal) (void)::sigaction(signal, &deadly_before[i], nullptr);
  }
  (void)::raise(signal);
}

}  // namespace

TerminalEcho::TerminalEcho(int terminal) : terminal_(terminal) {
  if (terminal_ < 0 || living++ > 0) return;
  struct sigaction action {};
  action.sa_handler = give_back_and_die;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kDeadly.size(); ++i) {
    (void)::sigaction(kDeadly[i], &action, &deadly_before[i]);
    if (deadly_before[i].sa_handler == SIG_IGN)
      (void)::sigaction(kDeadly[i], &deadly_before[i], nullptr);
  }
}

TerminalEcho::~TerminalEcho() {
  if (terminal_ < 0) return;
  on();
  if (--living > 0) return;
  for (std::size_t i = 0; i < kDeadly.size(); ++i) {
    (void)::sigaction(kDeadly[i], &deadly_before[i], nullptr);
  }
}

void TerminalEcho::off() {
  termios now{};
  if (terminal_ < 0 || silent_terminal >= 0 || !is_in_foreground(terminal_)) return;
  if (::tcgetattr(terminal_, &now) != 0 || (now.c_lflag & kEcho) == 0) return;
  // Noted first: a signal in between gives back what has not been taken yet.
  echo_before = now.c_lflag & kEcho;
  silent_terminal = terminal_;
  if (!set_echo(terminal_, 0)) silent_terminal = -1;
}

// Who has been put into the background has lost the terminal to the shell, with its own settings.
void TerminalEcho::on() {
  if (silent_terminal >= 0) (void)set_echo(silent_terminal, echo_before);
  silent_terminal = -1;
}

void TerminalEcho::give_back() {
  constexpr char kShowCursor[] = "\x1b[?25h";
  const int terminal = silent_terminal;
  if (terminal < 0) return;
  (void)set_echo(terminal, echo_before);
  (void)!::write(terminal, kShowCursor, sizeof kShowCursor - 1);
}

}  // namespace dragoman::show
