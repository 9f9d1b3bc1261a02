// SPDX-License-Identifier: Apache-2.0
// Summary and verdict as JSON, for scripts.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/run/summary.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman {

// {"dialect":…,"session_id":…,"status":{…},"files":[…],…}: absent parts are left out, lists are
// always there.
void append_json(std::string& out, const RunSummary& run);

// {"verdict":"completed","exit_code":0,"reasons":[…],"warnings":[…],"run":{…}}; explained also with
// the rule that decided and every fact in words.
enum class Explained : std::uint8_t { no, yes };
void append_json(std::string& out, const Verdict& verdict, const RunSummary& run,
                 Explained explained = Explained::no);

}  // namespace dragoman
