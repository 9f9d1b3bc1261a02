// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648), strict: the one spelling of each value and no other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

[[nodiscard]] std::string base64(std::string_view bytes);      // with padding
[[nodiscard]] std::string base64_url(std::string_view bytes);  // URL alphabet, no padding

[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
[[nodiscard]] std::optional<std::string> from_base64_url(std::string_view text);

}  // namespace dragoman
