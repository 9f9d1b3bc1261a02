// SPDX-License-Identifier: Apache-2.0
// Runs that `dragoman run` recorded.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::cli {

// Its events into the fold; gives how its process ended, as far as it is known: a run that crashed
// has no end.
[[nodiscard]] Result<ProcessEnd> fold_recorded_run(const std::filesystem::path& directory,
                                                   RunFold& fold);

}  // namespace dragoman::cli
