// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::bench {

struct ChildUsage {
  double cpu_seconds = 0;
  long peak_kilobytes = 0;  // of resident memory, shared libraries included
};

// Runs a program with its output going to /dev/null. Nothing when it cannot be
// started or fails: a contestant that is not installed is left out of the
// table.
std::optional<ChildUsage> run_child(const std::vector<std::string>& argv);

// The same with the child's standard input fed by `write`, which gets a
// function that takes bytes.
using Feed = std::function<void(std::string_view)>;
std::optional<ChildUsage> run_child_fed(const std::vector<std::string>& argv,
                                        const std::function<void(const Feed&)>& write);

}  // namespace dragoman::bench
