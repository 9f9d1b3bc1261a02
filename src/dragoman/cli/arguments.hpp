// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

// Why a command line was not understood.
struct UsageError {
  std::string message;
  std::string hint;
  int exit_code = kUsage;
};

// `words` is what follows the command's name.
[[nodiscard]] std::variant<Invocation, UsageError> parse_arguments(const CommandSpec& spec,
                                                                   std::vector<std::string> words);

}  // namespace dragoman::cli
