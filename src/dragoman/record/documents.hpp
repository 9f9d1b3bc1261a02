// SPDX-License-Identifier: Apache-2.0
// command.json and exit.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/record/recording.hpp"

namespace dragoman::record {

inline constexpr std::uint64_t kLargestDocument = 16 << 20;
inline constexpr int kFormat = 1;  // of the directory; a reader refuses a later one

[[nodiscard]] std::string to_json(const CommandRecord& command);
[[nodiscard]] std::string to_json(const ExitRecord& exit);
[[nodiscard]] Result<CommandRecord> read_command(std::string_view json);
[[nodiscard]] Result<ExitRecord> read_exit(std::string_view json);

}  // namespace dragoman::record
