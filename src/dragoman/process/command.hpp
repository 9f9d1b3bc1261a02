// SPDX-License-Identifier: Apache-2.0
// What is to be started, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::process {

// Where the program's stdin comes from.
enum class Stdin : std::uint8_t {
  null,  // /dev/null: it reads the end at once
  pipe,  // what write() gives it, until close_stdin()
};

struct TerminalSize {
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;

  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};

// It is started directly, never through a shell: every argument arrives byte for byte.
struct Command {
  std::string program;  // a path, or a name that is looked up in PATH of `environment`
  std::vector<std::string> arguments;         // without the program's own name
  std::vector<std::string> environment = {};  // NAME=value, all of it: see environment.hpp
  std::string directory = {};                 // where it runs; empty: where we run
  Stdin stdin_from = Stdin::null;
  // It is a program of ours: what is secret in `environment` goes past what other processes see.
  bool ours = false;
  // A terminal of its own instead of pipes: stderr then comes as stdout, stdin is the terminal.
  std::optional<TerminalSize> terminal = {};

  friend bool operator==(const Command&, const Command&) = default;
};

// The file that `program` names, as execve wants it. not_found: there is none; unsupported: there
// is one that cannot be executed. What lies in the current directory is only found by a path.
[[nodiscard]] Result<std::string> find_program(const std::string& program,
                                               const std::vector<std::string>& environment);

// The exit code by which shells tell why a program was not started: 127 no such program, 126 it
// cannot be executed, 125 our own failure.
[[nodiscard]] int exit_code_of(const Error& start_failure);

}  // namespace dragoman::process
