// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/telling_argument.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "dragoman/json/cursor.hpp"

namespace dragoman::show {
namespace {

// The first one that is there is taken.
constexpr std::array<std::string_view, 7> kTelling = {"pattern", "query", "url", "skill",
                                                      "uri",     "name",  "path"};

}  // namespace

json::Text telling_argument(const Raw& input) {
  json::Cursor cursor(input.json);
  json::Text found;
  auto rank = kTelling.end();
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const auto at = std::find(kTelling.begin(), rank, key);
    if (at == rank || !cursor.next_is(json::Kind::string)) {
      cursor.skip();
      continue;
    }
    found = cursor.take().text();
    rank = at;
  }
  return cursor.finish() ? found : json::Text();
}

}  // namespace dragoman::show
