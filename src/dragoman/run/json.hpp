// SPDX-License-Identifier: Apache-2.0
// Summary and verdict as JSON, for scripts.
#pragma once

#include <string>

#include "dragoman/run/summary.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman {

// {"dialect":…,"session_id":…,"status":{…},"files":[…],…}: absent parts are left out, lists are
// always there.
void append_json(std::string& out, const RunSummary& run);

// {"verdict":"completed","exit_code":0,"rule":6,"reasons":[…],"warnings":[…],"facts":[…],
//  "run":{…}}
void append_json(std::string& out, const Verdict& verdict, const RunSummary& run);

}  // namespace dragoman
