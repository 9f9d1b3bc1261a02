// SPDX-License-Identifier: Apache-2.0
// Our own environment, kept where other processes do not see it.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/process/descriptor.hpp"

namespace dragoman::process {

// Our own environment as NAME=value lines.
[[nodiscard]] std::vector<std::string> own_environment();

// The kernel shows the environment with which a process was started to its whole user, as
// /proc/PID/environ, and an agent runs as the same user. So main() calls this before anything else:
// it copies all lines, overwrites that memory, and makes the process undumpable, so that other
// processes of the user can neither read its memory nor stop it as a debugger does. Behind it
// own_environment() has every line, and getenv() those that carry no secret.
void seal_environment();

// An environment for a program of ours. What is secret in it goes through a descriptor, from which
// the program's seal_environment() reads it, because the kernel shows the rest until then.
struct HandedEnvironment {
  std::vector<std::string> shown;
  Descriptor secret;  // not open: there is nothing secret

  // Says under which number the program gets the descriptor.
  void announce(int number);
};
[[nodiscard]] Result<HandedEnvironment> hand_over(std::vector<std::string> environment);

}  // namespace dragoman::process
