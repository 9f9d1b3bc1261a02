// SPDX-License-Identifier: Apache-2.0
// JSON equality: 1 equals 1.0, the order of members does not count.
#pragma once

#include <string>

#include "dragoman/schema/tree.hpp"

namespace dragoman::schema {

// Two values are equal exactly when their canonical forms are. It is not JSON and is never shown.
void append_canonical(std::string& out, const Tree& tree, NodeId node);
[[nodiscard]] std::string canonical(const Tree& tree, NodeId node);

}  // namespace dragoman::schema
