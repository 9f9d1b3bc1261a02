// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_payload.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dragoman/base/utf8.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman {
namespace {

// "$ARGUMENTS" in a value is a template that was not filled in, which is worth a finding.
constexpr char kWary = '$';

// What the byte behind a backslash stands for; 0: not one of the short escapes.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}
constexpr std::array<char, 256> kEscapes = make_escapes();

constexpr std::ptrdiff_t kSlack = 16;  // bytes behind a value that can be read

// Copies up to the next backslash or `end`; there is room for kSlack bytes more. Returns how much.
std::ptrdiff_t copy_plain(char* to, const char* p, const char* end) {
  const char* const from = p;
#if defined(__SSE2__)
  for (; p < end; p += kSlack, to += kSlack) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
    const auto found =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
    if (found != 0) return std::min(p + std::countr_zero(found), end) - from;
  }
  return end - from;
#else
  while (p != end && *p != '\\') *to++ = *p++;
  return p - from;
#endif
}

// False: there is another escape than the short ones. kSlack bytes behind the text can be read.
bool decode_short_escapes(std::string_view& text, Arena& arena) {
  char* const start = arena.allocate(text.size() + kSlack);
  char* to = start;
  const char* p = text.data();
  const char* const end = p + text.size();
  for (;;) {
    const std::ptrdiff_t plain = copy_plain(to, p, end);
    p += plain;
    to += plain;
    if (p == end) break;
    const char decoded = kEscapes[static_cast<unsigned char>(p[1])];
    if (decoded == 0) return false;
    *to++ = decoded;
    p += 2;
  }
  text = {start, static_cast<std::size_t>(to - start)};
  return true;
}

// A lead, a number, the brace and what comes behind it.
constexpr std::ptrdiff_t kShortEnd = 64;

// Where nothing is found any more.
constexpr std::array<char, 64> kNowhere{};

// Eight digits or fewer at once: the value of `count` digits in `text`, the first one lowest.
std::int64_t value_of_digits(std::uint64_t text, std::size_t count) {
  text <<= 64 - 8 * count;  // the bytes that come in stand for leading zeros
  text = (text & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8U;
  text = (text & 0x00FF00FF00FF00FFU) * 6553601 >> 16U;
  return static_cast<std::int64_t>((text & 0x0000FFFF0000FFFFU) * 42949672960001 >> 32U);
}

// How many digits stand at the start of the eight bytes.
std::size_t count_digits(std::uint64_t text) {
  const std::uint64_t halves = text ^ 0x3030303030303030U;  // digits are 0…9 now
  const std::uint64_t others = ((halves + 0x7676767676767676U) | halves) & 0x8080808080808080U;
  return static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

// An integer of at most 18 digits, or null. More than that, fractions and exponents are rare. How
// long a number is cannot be guessed, so a short one is read without a loop.
const char* read_integer(const char* p, std::int64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t text = 0;
    std::memcpy(&text, p, sizeof text);
    const std::size_t count = count_digits(text);
    if (count > 0 && count < sizeof text && (*p != '0' || count == 1)) {
      value = value_of_digits(text, count);
      return p + count;
    }
  }
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t number = 0;
  while (*p >= '0' && *p <= '9' && p - digits < 18) number = number * 10 + (*p++ - '0');
  if (p == digits || (*digits == '0' && p - digits > 1)) return nullptr;
  value = negative ? -number : number;
  return p;
}

template <std::size_t N>
bool starts_with(const char* p, const char (&word)[N]) {
  return std::memcmp(p, word, N - 1) == 0;
}

}  // namespace

void PlainPayload::start(const char* at, const char* end, Arena& arena) {
  map_.build(at, kWary);
  at_ = p_ = at;
  limit_ = end - kShortEnd;
  arena_ = &arena;
  odd_ = foreign_ = false;
}

bool PlainPayload::give_up() {
  p_ = kNowhere.data();
  return false;
}

// A string that begins or ends where the map does not reach: the map is moved to its beginning.
std::string_view PlainPayload::take_far_text() {
  const char* const begin = p_ + 1;
  if (limit_ - begin < static_cast<std::ptrdiff_t>(json::QuoteMap::kBytes)) {
    give_up();
    return {};
  }
  odd_ |= map_.odd_before(begin);
  foreign_ |= map_.foreign_before(begin);
  map_.build(begin, kWary);
  const char* close = map_.next(begin);
  if (close == nullptr) close = map_.next(begin + 64);
  if (close == nullptr) {
    give_up();
    return {};
  }
  p_ = close + 1;
  if (std::memchr(begin, '\\', static_cast<std::size_t>(close - begin)) != nullptr) {
    return take_escaped_text(begin, close);
  }
  return checked({begin, static_cast<std::size_t>(close - begin)});
}

std::string_view PlainPayload::take_escaped_text(const char* begin, const char* close) {
  std::string_view text(begin, static_cast<std::size_t>(close - begin));
  if (!decode_short_escapes(text, *arena_)) give_up();
  return checked(text);
}

bool PlainPayload::take_integer(std::int64_t& value) {
  const char* const end = read_integer(p_, value);
  if (end == nullptr) {
    static_cast<void>(take_null());
    return false;
  }
  p_ = end;
  return true;
}

std::optional<bool> PlainPayload::take_flag() {
  if (starts_with(p_, "true")) {
    p_ += 4;
    return true;
  }
  if (starts_with(p_, "false")) {
    p_ += 5;
    return false;
  }
  static_cast<void>(take_null());
  return std::nullopt;
}

std::string_view PlainPayload::take_null() {
  if (starts_with(p_, "null")) {
    p_ += 4;
  } else {
    give_up();
  }
  return {};
}

bool PlainPayload::finish() {
  // All that the map does not cover has been compared byte by byte.
  if (*p_ != '}' || odd_ || map_.odd_before(p_)) return false;
  if (!foreign_ && !map_.foreign_before(p_)) return true;
  return utf8::valid({at_, static_cast<std::size_t>(end() - at_)});
}

}  // namespace dragoman
