// SPDX-License-Identifier: Apache-2.0
// Signals for a program that has taken over a terminal.
#pragma once

namespace dragoman::show {

// From now on the signals are noted, for a loop that looks now and then; poll(2) and read(2) end
// with EINTR. The first signal to end is only noted, so that the loop can give the terminal back in
// good order; the second one shows the cursor, lets typed keys be seen and ends the program at
// once. One object at a time; the handlers from before come back with its end.
class TerminalSignals {
 public:
  explicit TerminalSignals(int terminal);
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  [[nodiscard]] static int ended();         // SIGINT, SIGTERM, SIGHUP; 0: none came
  [[nodiscard]] static bool take_resize();  // whether the size changed since the last call
  [[nodiscard]] static bool take_stop();    // whether Ctrl-Z was pressed since the last call
  // Stops the program as Ctrl-Z does; returns when it is continued.
  static void stop();
};

}  // namespace dragoman::show
