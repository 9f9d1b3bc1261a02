// SPDX-License-Identifier: Apache-2.0
// What everything that an agent starts carries in its environment: which of our processes answers
// for it. So what is left is found when that process and its guard are both gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::process {

// The line is DRAGOMAN_RUN=MARK[:MARK…], the outermost first: an agent may run another one.
inline constexpr std::string_view kRunMark = "DRAGOMAN_RUN=";

// Of this very process: its PID namespace, its number and its start time, as in
// "4026531836-4711-90210".
[[nodiscard]] std::string own_mark();

// Puts the line for a child of ours into `environment`, with the marks that we carry ourselves.
void put_run_mark(std::vector<std::string>& environment, const std::string& mark);

// Whether one of the marks names a process that is no more. One of another PID namespace, or one
// that cannot be looked at, is taken to live.
[[nodiscard]] bool names_the_dead(std::string_view marks);

}  // namespace dragoman::process
