// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/cli/console.hpp"

namespace dragoman::cli {

// Runs the program with the words behind its name and gives the exit code.
int run_program(std::vector<std::string> words, std::string_view version, Console& console);

}  // namespace dragoman::cli
