// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/leftovers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "dragoman/process/own_environment.hpp"
#include "dragoman/process/run_mark.hpp"

namespace dragoman::cli {

void end_leftovers(Console& console) {
  // Below another run, that one has looked.
  const auto ours = process::own_environment();
  if (std::ranges::any_of(ours, [](const std::string& line) {
        return line.starts_with(process::kRunMark) &&
               !process::names_the_dead(std::string_view(line).substr(process::kRunMark.size()));
      })) {
    return;
  }
  say_leftovers(console, process::end_leftovers());
}

void say_leftovers(Console& console, const process::Leftovers& found) {
  if (found.ended > 0) {
    console.detail(fmt::format("processes that a killed run had left are ended: {}", found.ended));
  }
  if (found.survivors > 0) {
    console.warn(fmt::format("processes that a killed run had left could not be ended: {}",
                             found.survivors));
  }
}

}  // namespace dragoman::cli
