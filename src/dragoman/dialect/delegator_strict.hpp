// SPDX-License-Identifier: Apache-2.0
// What the specification asks of an envelope, for strict mode: the schemas of schemas/delegator,
// which `check` and `dragoman schema` have as well.
#pragma once

#include <optional>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/finding.hpp"

namespace dragoman {

// The first thing in which the envelope is not what its schema wants.
[[nodiscard]] std::optional<Finding> delegator_fault(std::string_view json,
                                                     const DelegatorEnvelope& envelope,
                                                     Arena& arena);

}  // namespace dragoman
