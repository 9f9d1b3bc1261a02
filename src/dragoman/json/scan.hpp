// SPDX-License-Identifier: Apache-2.0
// Finding the end of a JSON string, fast.
#pragma once

#include <cstdint>

namespace dragoman::json {

struct StringEnd {
  enum class Stop : std::uint8_t {
    closed,      // `at` is the closing quote
    ran_out,     // the input ended; `at` is where to go on, the backslash of an unfinished escape
    control,     // `at` is a raw control character
    bad_escape,  // `at` is the backslash of an escape that JSON does not know
  };
  // What is known about the UTF-8 of a closed string.
  enum class Utf8 : std::uint8_t { unchecked, good, bad };

  const char* at = nullptr;
  Stop stop = Stop::closed;
  Utf8 utf8 = Utf8::unchecked;  // good or bad where it could be told in passing
  bool escaped = false;
  bool non_ascii = false;  // some byte >= 0x80 was passed
  bool lone_surrogate = false;
};

// Scans from just after the opening quote. Never reads at or behind `end`.
[[nodiscard]] StringEnd scan_string(const char* from, const char* end);

// The implementations behind scan_string, chosen at run time by what the processor can do. All
// give the same answer; a test holds them to it.
using ScanString = StringEnd (*)(const char*, const char*);
namespace kernels {
StringEnd scan_string_scalar(const char* from, const char* end);
#if defined(__x86_64__)
StringEnd scan_string_sse2(const char* from, const char* end);
StringEnd scan_string_avx2(const char* from, const char* end);
StringEnd scan_string_avx512(const char* from, const char* end);
#endif
}  // namespace kernels

}  // namespace dragoman::json
