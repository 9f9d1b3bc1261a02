// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/flat_object.hpp"

#include "dragoman/json/number.hpp"

namespace dragoman::json {
namespace {

// Longer ones are rare, and looking through them twice would cost.
constexpr std::size_t kLongest = std::size_t{16} << 10U;

bool is_flat(const Value& value) {
  switch (value.kind) {
    case Kind::null_:
    case Kind::boolean:
    case Kind::string:
      return true;
    case Kind::number:
      return parse_number(value.raw).fault == NumberFault::none;
    case Kind::array:
    case Kind::object:
      break;
  }
  return false;
}

}  // namespace

bool read_flat_object(std::string_view text, FlatObject& out) {
  text = text.substr(0, kLongest);
  out.members.clear();
  if (text.empty() || text[0] != '{') return false;
  const auto offset = [&](std::string_view part) {
    return static_cast<std::uint32_t>(part.data() - text.data());
  };
  Cursor cursor(text, Cursor::Scalars::exact, Cursor::Extent::first_line);
  std::string_view key;
  for (Members members(cursor); members.next(key);) {
    const bool escaped = key.data() < text.data() || key.data() > text.data() + text.size();
    const Kind kind = cursor.peek();
    if (escaped || kind == Kind::array || kind == Kind::object) return false;
    const Value value = cursor.take();
    if (value.absent() || !is_flat(value)) return false;
    const std::uint32_t begin = offset(value.raw);
    out.members.push_back({offset(key), offset(key) + static_cast<std::uint32_t>(key.size()), begin,
                           begin + static_cast<std::uint32_t>(value.raw.size()), value.kind, false,
                           value.escaped});
  }
  out.length = cursor.position();
  out.lone_surrogate = cursor.saw_lone_surrogate();
  out.invalid_utf8 = cursor.saw_invalid_utf8();
  return cursor.ok();
}

}  // namespace dragoman::json
