// SPDX-License-Identifier: Apache-2.0
// What a program on this machine says about itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::cli {

// The first executable of that name in $PATH.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

// The first line that `program` with `arguments` prints on stdout. Absent when it cannot be
// started, fails, or takes longer than `patience`; it is then killed.
[[nodiscard]] std::optional<std::string> first_line_of(const std::string& program,
                                                       const std::vector<std::string>& arguments,
                                                       std::chrono::milliseconds patience);

}  // namespace dragoman::cli
