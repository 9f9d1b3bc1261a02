// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/cli/console.hpp"

namespace dragoman::cli {

// Every command that starts agents or opens the list of tasks ends what killed runs have left. It
// says so where much is to be said, and warns of what it could not end.
void end_leftovers(Console& console);

}  // namespace dragoman::cli
