// SPDX-License-Identifier: Apache-2.0
// Keys that are pressed while a program paints must not end up in its picture.
#pragma once

namespace dragoman::show {

// While echo is off, what is typed waits unseen for whoever reads next. It is switched off only in
// the foreground: behind it the terminal is the shell's.
//
// It comes back with on(), with the object, and before the program dies of a signal that nobody
// handles: SIGQUIT, SIGABRT and faults. Signals to end and to stop are their handlers' business.
// Nothing can be done about SIGKILL; `stty echo` or `reset` repair what it leaves. Several
// objects are for one terminal: what one has switched off, any of them switches on.
class TerminalEcho {
 public:
  explicit TerminalEcho(int terminal);  // -1: there is none, and nothing is done
  ~TerminalEcho();
  TerminalEcho(const TerminalEcho&) = delete;
  TerminalEcho& operator=(const TerminalEcho&) = delete;

  void off();  // cheap to repeat; tries again where we were in the background
  void on();

  // on() and the cursor shown, from within a signal handler.
  static void give_back();

 private:
  int terminal_;
};

}  // namespace dragoman::show
