// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dragoman::cli {

// From now on the first SIGINT, SIGTERM or SIGHUP is only noted, so that a command that runs until
// it is told to stop can end in good order; the second one ends the program as usual.
void note_interrupts();

// The signal that came, 0: none.
[[nodiscard]] int interrupted();

}  // namespace dragoman::cli
