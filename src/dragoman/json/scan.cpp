// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/scan.hpp"

#include "dragoman/base/processor.hpp"
#include "dragoman/json/scan_common.hpp"

namespace dragoman::json {
namespace kernels {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

enum class Hex { yes, no, cut };

// Whether four hexadecimal digits stand at p.
Hex four_hex_at(const char* p, const char* end) {
  for (int i = 0; i < 4; ++i) {
    if (p + i == end) return Hex::cut;
    if (!is_hex(p[i])) return Hex::no;
  }
  return Hex::yes;
}

bool is_high_surrogate(const char* digits) {  // D800–DBFF
  return (digits[0] == 'd' || digits[0] == 'D') &&
         (digits[1] == '8' || digits[1] == '9' || (digits[1] | 0x20) == 'a' ||
          (digits[1] | 0x20) == 'b');
}

bool is_low_surrogate(const char* digits) {  // DC00–DFFF
  return (digits[0] == 'd' || digits[0] == 'D') && (digits[1] | 0x20) >= 'c' &&
         (digits[1] | 0x20) <= 'f';
}

const char* stop(StringEnd& result, const char* at, StringEnd::Stop why) {
  result.at = at;
  result.stop = why;
  return nullptr;
}

// `p` is the backslash of "\uD8xx"; what follows decides whether it is half of a pair.
const char* step_over_high_surrogate(const char* p, const char* end, StringEnd& result) {
  const char* second = p + 6;
  if (second == end || (*second == '\\' && second + 1 == end)) {
    return stop(result, p, StringEnd::Stop::ran_out);
  }
  if (second[0] == '\\' && second[1] == 'u') {
    switch (four_hex_at(second + 2, end)) {
      case Hex::cut:
        return stop(result, p, StringEnd::Stop::ran_out);
      case Hex::no:
        break;  // the lone half counts; the bad escape is met on the next step
      case Hex::yes:
        if (is_low_surrogate(second + 2)) return p + 12;
        break;
    }
  }
  result.lone_surrogate = true;
  return p + 6;
}

}  // namespace

const char* step_over_escape(const char* p, const char* end, StringEnd& result) {
  result.escaped = true;
  if (p + 1 == end) return stop(result, p, StringEnd::Stop::ran_out);
  if (is_simple_escape(p[1])) return p + 2;
  if (p[1] != 'u') return stop(result, p, StringEnd::Stop::bad_escape);
  switch (four_hex_at(p + 2, end)) {
    case Hex::cut:
      return stop(result, p, StringEnd::Stop::ran_out);
    case Hex::no:
      return stop(result, p, StringEnd::Stop::bad_escape);
    case Hex::yes:
      break;
  }
  if (is_high_surrogate(p + 2)) return step_over_high_surrogate(p, end, result);
  if (is_low_surrogate(p + 2)) result.lone_surrogate = true;
  return p + 6;
}

StringEnd scan_string_bytes(const char* p, const char* end, StringEnd result) {
  while (p != end) {
    const auto c = static_cast<unsigned char>(*p);
    if (c == '"') {
      result.at = p;
      return result;
    }
    if (c == '\\') {
      p = step_over_escape(p, end, result);
      if (p == nullptr) return result;
      continue;
    }
    if (c < 0x20) {
      stop(result, p, StringEnd::Stop::control);
      return result;
    }
    result.non_ascii |= c >= 0x80;
    ++p;
  }
  stop(result, p, StringEnd::Stop::ran_out);
  return result;
}

StringEnd scan_string_scalar(const char* from, const char* end) {
  return scan_string_bytes(from, end, StringEnd{});
}

}  // namespace kernels

namespace {

ScanString choose() {
#if defined(__x86_64__)
  if (processor::has_fast_avx512()) return kernels::scan_string_avx512;
  if (processor::has_avx2()) return kernels::scan_string_avx2;
  return kernels::scan_string_sse2;
#else
  return kernels::scan_string_scalar;
#endif
}

}  // namespace

StringEnd scan_string(const char* from, const char* end) {
  static const ScanString kernel = choose();
  return kernel(from, end);
}

}  // namespace dragoman::json
