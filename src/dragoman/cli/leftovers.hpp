// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/cli/console.hpp"
#include "dragoman/process/leftovers.hpp"

namespace dragoman::cli {

// Every command that starts agents or opens the list of tasks ends what killed runs have left. It
// says so where much is to be said, and warns of what it could not end.
void end_leftovers(Console& console);
void say_leftovers(Console& console, const process::Leftovers& found);

}  // namespace dragoman::cli
