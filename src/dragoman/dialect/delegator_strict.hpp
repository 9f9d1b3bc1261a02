// SPDX-License-Identifier: Apache-2.0
// The letter of the Delegator specification, as far as strict mode holds an envelope to it.
#pragma once

#include <optional>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/finding.hpp"

namespace dragoman {

// The first rule that the envelope breaks: a required field that is not there, one of the wrong
// type, a value out of its set, a schema_id that names another category than tool_category. The
// envelope has to be good JSON. Everything else is up to the schemas, which `check` applies.
[[nodiscard]] std::optional<Finding> delegator_fault(std::string_view envelope, Arena& arena);

}  // namespace dragoman
