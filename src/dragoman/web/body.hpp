// SPDX-License-Identifier: Apache-2.0
// The body of a request that changes something: a JSON object with known members.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "dragoman/base/result.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman::web {

[[nodiscard]] Error bad_body(std::string message, std::string reason = "body");

// Hands every member of the body's object to `take`, which returns whether it knows the name and
// likes the value.
template <typename Take>
[[nodiscard]] Result<void> read_body(std::string_view body, Take take) {
  json::Cursor cursor(body.empty() ? "{}" : body, json::Cursor::Scalars::exact);
  if (!cursor.next_is(json::Kind::object)) return bad_body("the body has to be a JSON object");
  std::string wrong;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const std::string name(key);
    const json::Value value = cursor.take();
    if (cursor.ok() && wrong.empty() && !take(name, value)) wrong = name;
  }
  if (!cursor.finish()) return bad_body("the body is not JSON");
  if (!wrong.empty())
    return bad_body(fmt::format("'{}': not known here, or of another type", wrong));
  return {};
}

// Each says whether the value is of its type; null leaves what is there.
[[nodiscard]] bool take_text(const json::Value& value, std::string& text);
[[nodiscard]] bool take_flag(const json::Value& value, bool& flag);
// "10m", as the options of the command line.
[[nodiscard]] bool take_duration(const json::Value& value,
                                 std::optional<std::chrono::milliseconds>& time);

}  // namespace dragoman::web
