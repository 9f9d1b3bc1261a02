// SPDX-License-Identifier: Apache-2.0
// The id that every answer has for itself.
#pragma once

#include <array>

namespace dragoman::task {

// A UUID of version 4 in its usual spelling.
using RequestId = std::array<char, 36>;
[[nodiscard]] RequestId new_request_id();

}  // namespace dragoman::task
