// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>

#include <fmt/format.h>

#include "dragoman/cli/cannot_go_on.hpp"
#include "dragoman/cli/program.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/process/own_environment.hpp"

int main(int argc, char** argv) {
  using namespace dragoman::cli;
  contain_failures();
  dragoman::process::seal_environment();
  fill_standard_descriptors();
  Console console({.no_color = variable("NO_COLOR"),
                   .clicolor_force = variable("CLICOLOR_FORCE"),
                   .term = variable("TERM"),
                   .stdout_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                   .stderr_is_terminal = ::isatty(STDERR_FILENO) == 1});
  try {
    const int exit_code = run_program({argv + 1, argv + argc}, DRAGOMAN_VERSION, console);
    return console.finish(exit_code);
  } catch (const std::exception& e) {
    // Out of memory is all that is left; nothing below throws for an expected failure.
    return console.fail(fmt::format("cannot go on: {}", e.what()), {}, 125);
  }
}
