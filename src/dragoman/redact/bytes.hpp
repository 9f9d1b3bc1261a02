// SPDX-License-Identifier: Apache-2.0
// Which bytes may belong to a secret.
#pragma once

#include <array>
#include <cstdint>

namespace dragoman::redact {

using ByteSet = std::uint32_t;

inline constexpr ByteSet kDigit = 1;
inline constexpr ByteSet kUpper = 2;
inline constexpr ByteSet kLower = 4;
inline constexpr ByteSet kUnderscore = 8;
inline constexpr ByteSet kDash = 16;
inline constexpr ByteSet kDot = 32;
inline constexpr ByteSet kBase64 = 64;  // + / =
inline constexpr ByteSet kTilde = 128;
inline constexpr ByteSet kColon = 256;
inline constexpr ByteSet kSign = 512;  // ! % * ^ ? #
inline constexpr ByteSet kAt = 1024;
inline constexpr ByteSet kSpace = 2048;     // blank and tab
inline constexpr ByteSet kHex = 4096;       // a-f and the digits
inline constexpr ByteSet kReserved = 8192;  // & ; , ( ) '
inline constexpr ByteSet kPlus = 16384;     // + = $, which addresses allow too
inline constexpr ByteSet kBracket = 32768;  // & ; , | and brackets: seldom how a value begins
inline constexpr ByteSet kHigh = 65536;     // of a letter beyond ASCII

inline constexpr ByteSet kAlnum = kDigit | kUpper | kLower;
inline constexpr ByteSet kWord = kAlnum | kUnderscore;
inline constexpr ByteSet kUrlSafe = kWord | kDash;
inline constexpr ByteSet kDotted = kUrlSafe | kDot;
inline constexpr ByteSet kBearer = kDotted | kBase64 | kTilde;
// All that can be seen, but for quotes and backslashes: what stands around a value mostly ends with
// them (see value_step).
inline constexpr ByteSet kValue = kBearer | kColon | kSign | kAt | kPlus | kBracket | kHigh;
// As RFC 3986 has it, and what people forget to escape.
inline constexpr ByteSet kUserInfo = kDotted | kTilde | kColon | kSign | kReserved | kPlus | kHigh;

namespace detail {
consteval std::array<ByteSet, 256> byte_sets() {
  std::array<ByteSet, 256> sets{};
  const auto put = [&](const char* bytes, ByteSet set) {
    for (; *bytes != '\0'; ++bytes) {
      sets[static_cast<unsigned char>(*bytes)] =
          static_cast<ByteSet>(sets[static_cast<unsigned char>(*bytes)] | set);
    }
  };
  put("0123456789", kDigit | kHex);
  put("ABCDEFGHIJKLMNOPQRSTUVWXYZ", kUpper);
  put("abcdefghijklmnopqrstuvwxyz", kLower);
  put("abcdef", kHex);
  put("_", kUnderscore);
  put("-", kDash);
  put(".", kDot);
  put("+/=", kBase64);
  put("~", kTilde);
  put(":", kColon);
  put("!%*^?#", kSign);
  put("@", kAt);
  put(" \t", kSpace);
  put("&;,()'", kReserved);
  put("+=$", kPlus);
  put("&;,|()[]{}<>", kBracket);
  for (std::size_t byte = 0x80; byte < sets.size(); ++byte) sets[byte] = kHigh;
  return sets;
}
inline constexpr std::array<ByteSet, 256> kSets = byte_sets();
}  // namespace detail

[[nodiscard]] constexpr bool is_in(char c, ByteSet set) {
  return (detail::kSets[static_cast<unsigned char>(c)] & set) != 0;
}

}  // namespace dragoman::redact
