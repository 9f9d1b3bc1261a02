// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/state.hpp"

#include <sys/random.h>

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

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

std::string new_run_id() {
  std::uint32_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) {
    random = static_cast<std::uint32_t>(std::clock());
  }
  return fmt::format("{:%Y%m%d-%H%M%S}-{:08x}", fmt::gmtime(std::time(nullptr)), random);
}

}  // namespace dragoman::cli
