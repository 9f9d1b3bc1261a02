// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "dragoman/json/cursor.hpp"

namespace dragoman::json {

// Whether our reader takes the text for one JSON value and nothing else.
inline bool accepts(std::string_view text) {
  Cursor cursor(text, Cursor::Scalars::exact);
  cursor.take();
  return cursor.finish();
}

}  // namespace dragoman::json
