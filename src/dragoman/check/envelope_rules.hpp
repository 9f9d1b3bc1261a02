// SPDX-License-Identifier: Apache-2.0
// Delegator envelopes against the schema they name.
#pragma once

#include <string_view>

#include "dragoman/check/json_rules.hpp"

namespace dragoman::check {

// Looks at the envelope that `line` is, or at the one that a tool result in it wraps: the faults of
// the latter lie in a decoded text and go to `wrapped`.
void look_at_envelope(std::string_view line, JsonRules& rules, const JsonReport& report,
                      const JsonReport& wrapped);

}  // namespace dragoman::check
