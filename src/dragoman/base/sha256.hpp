// SPDX-License-Identifier: Apache-2.0
// SHA-256, for ids that have to be the same on every machine. The library stays free of libcrypto,
// whose loading costs more memory and time than everything else the reader does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// The first `digits` lower-case hex digits of it, at most 64.
[[nodiscard]] std::string sha256_hex(std::string_view bytes, std::size_t digits = 64);

}  // namespace dragoman
