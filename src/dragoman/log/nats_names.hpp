// SPDX-License-Identifier: Apache-2.0
// How the log's names and values are spelled in subjects and answers of a NATS server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

// Any bytes as one token of a subject, legal as a key of a key-value bucket too: what is not a
// letter, a digit, '-', '_' or '/' becomes '=' and two hexadecimal digits.
[[nodiscard]] std::string to_token(std::string_view name);
[[nodiscard]] std::string from_token(std::string_view token);

// Of "2026-11-16T04:33:45.123456789Z"; 0 when it is not that.
[[nodiscard]] std::int64_t milliseconds_of(std::string_view timestamp);

}  // namespace dragoman
