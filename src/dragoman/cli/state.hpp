// SPDX-License-Identifier: Apache-2.0
// Where the program keeps what it has to remember.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/base/result.hpp"

namespace dragoman::cli {

// $DRAGOMAN_STATE_DIR, or $XDG_STATE_HOME/dragoman, or ~/.local/state/dragoman. Not created.
[[nodiscard]] Result<std::filesystem::path> state_directory();

}  // namespace dragoman::cli
