// SPDX-License-Identifier: Apache-2.0
// Whose JSON this is.
#pragma once

#include <optional>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman {

struct Shape {
  enum class Form : std::uint8_t {
    whole,      // one good JSON value
    truncated,  // good so far
    broken,     // no JSON
  };
  Form form = Form::broken;
  std::optional<Dialect> dialect;  // absent: it could be anybody's
};

// Looks at one line. Of a line that is cut off, what is there may be enough to tell.
[[nodiscard]] Shape shape_of(std::string_view json, Arena& arena);

}  // namespace dragoman
