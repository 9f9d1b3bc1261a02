// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dragoman/run/summary.hpp"

namespace dragoman {

// A commit message for what the run did: the agent's own suggestion if there is one, else a subject
// from its last words and the files, and a body that lists the files. Files that were only claimed
// are marked so. Empty when the run changed no file and suggested nothing.
[[nodiscard]] std::string commit_message(const RunSummary& run);

}  // namespace dragoman
