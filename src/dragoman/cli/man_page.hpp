// SPDX-License-Identifier: Apache-2.0
// Manual pages, made from the table that parsing and help are made from, so that they cannot say
// anything else.
#pragma once

#include <string>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

// dragoman(1): the commands, what they have in common, exit codes, files.
[[nodiscard]] std::string man_page();

// dragoman-run(1): one command with its parts.
[[nodiscard]] std::string man_page(const CommandSpec& spec);

}  // namespace dragoman::cli
