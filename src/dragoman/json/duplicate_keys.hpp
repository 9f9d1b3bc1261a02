// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dragoman::json {

// Whether some object in the value, at any depth, has the same key twice. `json` is well formed;
// keys are compared decoded.
[[nodiscard]] bool has_duplicate_keys(std::string_view json);

}  // namespace dragoman::json
