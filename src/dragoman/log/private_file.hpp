// SPDX-License-Identifier: Apache-2.0
// Small files that only their owner can read, for what a log must not keep.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "dragoman/base/result.hpp"

namespace dragoman {

// Makes what is missing of a path, each directory 0700; one that is there keeps its mode.
[[nodiscard]] std::error_code make_private_directories(const std::filesystem::path& directory);
// A new file, 0600 in a directory of 0700, synced before this returns.
[[nodiscard]] Result<void> write_private_file(const std::filesystem::path& path,
                                              std::string_view bytes);
// Absent: there is none, or it cannot be read.
[[nodiscard]] std::optional<std::string> read_private_file(const std::filesystem::path& path);
void remove_private_file(const std::filesystem::path& path);

}  // namespace dragoman
