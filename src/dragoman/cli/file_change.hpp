// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/cli/io.hpp"

namespace dragoman::cli {

enum class Change : std::uint8_t { none, grown, cut_off, replaced };

// What happened to the file of which `read` bytes are known. A file that is gone for the moment is
// not replaced: whoever rotates it has not made the new one yet.
[[nodiscard]] Change change_of(const std::string& path, const Input& input, std::uint64_t read);

}  // namespace dragoman::cli
