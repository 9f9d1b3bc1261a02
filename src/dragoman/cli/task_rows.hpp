// SPDX-License-Identifier: Apache-2.0
// Tasks as rows for people: one line each, which a terminal does not break.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/cli/console.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::cli {

// What is to be done and what came of it, on one line that a terminal may see.
[[nodiscard]] std::string title_of(const task::Task& task);

// "r-k3vqm2xa  failed     5m  rest": the id whole, because it is what other commands take; the
// state in its colour; the age of what happened last. `now`: milliseconds, as the task counts them.
[[nodiscard]] std::string task_row(const task::Task& task, std::int64_t now, std::string_view rest,
                                   const Console& console);

// Cut at the width of the terminal; whole where stdout is none. With its newline.
[[nodiscard]] std::string fitted(std::string_view line, std::size_t taken = 0);

}  // namespace dragoman::cli
