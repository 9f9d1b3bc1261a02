// SPDX-License-Identifier: Apache-2.0
// The files that a task made or changed, as evidence.
#pragma once

#include <string>

#include "dragoman/run/metadata.hpp"

namespace dragoman::task {

// A JSON array of {type, ref, size, sha256}, at most 100. Only regular files below `directory`
// count: a path that leads out of it, by its name or by a link, is never opened. A file of more
// than 16 MiB has no sha256, nor have those behind the first 128 MiB.
[[nodiscard]] std::string artifacts_of(const std::string& directory, const FileOperations& files);

}  // namespace dragoman::task
