// SPDX-License-Identifier: Apache-2.0
// What a dialect has no way to say, or a caller no right to.
#pragma once

#include <string>
#include <utility>

#include "dragoman/base/result.hpp"

namespace dragoman {

[[nodiscard]] inline Error refused(std::string message) {
  return Error{ErrorCode::validation, std::move(message)};
}

}  // namespace dragoman
