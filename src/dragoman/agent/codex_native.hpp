// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dragoman::agent {

// The native Codex that belongs to the wrapper for Node at `path`; empty when there is none.
[[nodiscard]] std::string native_codex(const std::string& path);

}  // namespace dragoman::agent
