// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "dragoman/run/metadata.hpp"

namespace dragoman::mcp {

// Which files a unified diff of git touches and how many lines it changes. A renamed file is one
// deleted and one added. The text is hostile: what is no header or hunk is passed over.
[[nodiscard]] FileOperations files_of_diff(std::string_view diff);

}  // namespace dragoman::mcp
