// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/duplicate_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "dragoman/json/cursor.hpp"

namespace dragoman::json {
namespace {

bool has_duplicates_next(Cursor& cursor);

bool has_duplicates_in_object(Cursor& cursor) {
  // A number for each key, so that many short ones take no more room than their text. Two keys with
  // the same number by accident would cost a needless remark.
  std::vector<std::size_t> keys;
  bool inside = false;
  std::string_view key;
  for (Members members(cursor); members.next(key);) {
    keys.push_back(std::hash<std::string_view>{}(key));
    inside |= has_duplicates_next(cursor);
  }
  std::sort(keys.begin(), keys.end());
  return inside || std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

bool has_duplicates_in_array(Cursor& cursor) {
  bool inside = false;
  for (Elements elements(cursor); elements.next();) inside |= has_duplicates_next(cursor);
  return inside;
}

// No deeper than kMaxDepth: the cursor goes no further.
bool has_duplicates_next(Cursor& cursor) {  // NOLINT(misc-no-recursion)
  if (cursor.next_is(Kind::object)) return has_duplicates_in_object(cursor);
  if (cursor.next_is(Kind::array)) return has_duplicates_in_array(cursor);
  cursor.skip();
  return false;
}

}  // namespace

bool has_duplicate_keys(std::string_view json) {
  Cursor cursor(json);
  return has_duplicates_next(cursor);
}

}  // namespace dragoman::json
