// SPDX-License-Identifier: Apache-2.0
// Most payloads of markers: one object, on one line, whole, with nothing but scalars in it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "dragoman/json/object_scanner.hpp"

namespace dragoman::json {

struct FlatObject {
  std::vector<ObjectScanner::Member> members;
  std::size_t length = 0;
  bool lone_surrogate = false;
  bool invalid_utf8 = false;
};

// Reads the object at the start of `text` in one pass and says what ObjectScanner would say of it.
// False: it is broken, unfinished, nested or odd in another way, and ObjectScanner has to judge it.
[[nodiscard]] bool read_flat_object(std::string_view text, FlatObject& out);

}  // namespace dragoman::json
