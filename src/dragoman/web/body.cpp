// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/body.hpp"

#include "dragoman/base/duration.hpp"

namespace dragoman::web {

Error bad_body(std::string message, std::string reason) {
  return {ErrorCode::validation, std::move(message), std::move(reason)};
}

bool take_text(const json::Value& value, std::string& text) {
  if (value.is(json::Kind::null_)) return true;
  if (!value.is(json::Kind::string)) return false;
  text = value.text().str();
  return true;
}

bool take_flag(const json::Value& value, bool& flag) {
  flag = value.is_true();
  return value.is(json::Kind::boolean);
}

bool take_duration(const json::Value& value, std::optional<std::chrono::milliseconds>& time) {
  std::string text;
  if (!take_text(value, text)) return false;
  if (text.empty()) return value.is(json::Kind::null_);
  const auto read = parse_duration(text);
  if (read) time = *read;
  return static_cast<bool>(read);
}

}  // namespace dragoman::web
