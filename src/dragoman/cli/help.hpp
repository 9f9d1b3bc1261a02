// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

// The list of commands.
[[nodiscard]] std::string overview(const Console& console);

// Everything about one command.
[[nodiscard]] std::string help_for(const CommandSpec& spec, const Console& console);

}  // namespace dragoman::cli
