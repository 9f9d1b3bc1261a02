// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/state.hpp"

#include "dragoman/config/config.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {

Result<std::filesystem::path> state_directory() {
  std::filesystem::path found = config::state_directory(process::own_environment());
  if (found.empty()) {
    return Error{ErrorCode::not_found, "no state directory: set DRAGOMAN_STATE_DIR or HOME"};
  }
  return found;
}

}  // namespace dragoman::cli
