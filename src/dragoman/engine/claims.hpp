// SPDX-License-Identifier: Apache-2.0
// Files that an agent says it changed, looked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/run/summary.hpp"

namespace dragoman::engine {

enum class ClaimState : std::uint8_t {
  there,              // it exists in the workspace, or was deleted and does not
  missing,            // it does not exist
  still_there,        // it was to be deleted
  outside_workspace,  // the path leads out: by name, or by a symbolic link
  not_a_path,         // nothing that names a file
};
[[nodiscard]] std::string_view name(ClaimState state);

struct Claim {
  std::string path;
  ClaimState state = ClaimState::there;
  friend bool operator==(const Claim&, const Claim&) = default;
};

// The state of each file that is only claimed. Files are looked up below `workspace` and never
// opened; nothing outside of it is touched, whatever the path and the links on it say.
[[nodiscard]] std::vector<Claim> check_claims(const RunSummary& run, const std::string& workspace);
[[nodiscard]] ClaimState check_claim(const std::string& workspace, std::string_view path,
                                     FileAction action);

}  // namespace dragoman::engine
