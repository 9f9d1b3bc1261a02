// SPDX-License-Identifier: Apache-2.0
// How a run is shown while it goes on, and what is said at its end.
#pragma once

#include <memory>
#include <string>

#include "dragoman/agent/session.hpp"
#include "dragoman/cli/console.hpp"
#include "dragoman/cli/run_setup.hpp"

namespace dragoman::cli {

// Never null. `asks`: open questions are put by somebody else, so they are not shown twice.
[[nodiscard]] std::unique_ptr<agent::Audience> make_run_view(RunView view, Console& console,
                                                             bool asks);

// Files, tokens, tools, questions and the verdict, for people.
[[nodiscard]] std::string run_summary(const agent::Ending& ending, const Console& console);

}  // namespace dragoman::cli
