// SPDX-License-Identifier: Apache-2.0
// What help and manual pages say about a command, without how they look.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

struct HelpRow {
  std::string left;   // "-q, --quiet", or "    --json" where there is no letter
  std::string right;  // what it is for
};

// "dragoman run [OPTIONS] [PROMPT] [-- CMD…]"
[[nodiscard]] std::string usage_of(const CommandSpec& spec);

[[nodiscard]] HelpRow option_row(const OptionSpec& option);
// Its own options: not those that every command takes.
[[nodiscard]] std::vector<HelpRow> option_rows(const CommandSpec& spec);
[[nodiscard]] std::vector<HelpRow> argument_rows(const CommandSpec& spec);
[[nodiscard]] std::vector<HelpRow> part_rows(const CommandSpec& spec);

}  // namespace dragoman::cli
