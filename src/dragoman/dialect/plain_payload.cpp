// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_payload.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/field_table.hpp"
#include "dragoman/json/quote_walk.hpp"

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

bool looks_unfilled(std::string_view text) {
  return !text.empty() && text.front() == '{' && text.back() == '}';
}

// An integer of at most 18 digits, or null. More than that, fractions and exponents are rare.
const char* read_integer(const char* p, const char* end, std::int64_t& value) {
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t number = 0;
  while (p != end && *p >= '0' && *p <= '9' && p - digits < 18) number = number * 10 + (*p++ - '0');
  if (p == digits || (*digits == '0' && p - digits > 1)) return nullptr;
  value = negative ? -number : number;
  return p;
}

template <std::size_t N>
bool starts_with(const char* p, const char (&word)[N]) {
  return std::memcmp(p, word, N - 1) == 0;
}

}  // namespace

bool PlainPayload::read(const char* at, const char* end, const PlainKeys& keys, Arena& arena) {
  end -= kSlack;  // room to compare literals without looking for the end
  seen_ = given_ = 0;
  json::QuoteWalk walk(at, end, kWary);
  for (const char* p = at;;) {  // at the brace or comma before a key
    if (p >= end || p[1] != '"') return false;
    static_cast<void>(walk.next());
    const char* const key_end = walk.next();
    if (key_end == nullptr || key_end == p + 2 || key_end[1] != ':') return false;
    const std::string_view key(p + 2, static_cast<std::size_t>(key_end - p - 2));
    const std::size_t slot = keys.slot(key);
    const PlainKey& wanted = keys[slot];
    const unsigned bit = 1U << slot;
    if (wanted.key.size() != key.size() || (seen_ & bit) != 0 ||
        !same_key(wanted.key.data(), key.data(), key.size())) {
      return false;
    }
    seen_ |= bit;
    PlainField& field = fields_[slot];
    p = key_end + 2;
    if (*p == '"' && wanted.kind == PlainKind::text) {
      static_cast<void>(walk.next());
      const char* const close = walk.next();
      if (close == nullptr) return false;
      field.text = {p + 1, static_cast<std::size_t>(close - p - 1)};
      if (walk.backslash_between(p, close) && !decode_short_escapes(field.text, arena))
        return false;
      if (looks_unfilled(field.text)) return false;
      given_ |= bit;
      p = close + 1;
    } else if (starts_with(p, "null")) {
      p += 4;
    } else if (wanted.kind == PlainKind::number) {
      p = read_integer(p, end, field.number);
      if (p == nullptr) return false;
      given_ |= bit;
    } else if (wanted.kind == PlainKind::flag &&
               (starts_with(p, "true") || starts_with(p, "false"))) {
      field.flag = *p == 't';
      given_ |= bit;
      p += field.flag ? 4 : 5;
    } else {
      return false;
    }
    if (*p == ',') continue;
    if (*p != '}' || walk.odd_before(p)) return false;
    end_ = p + 1;
    return !walk.foreign_before(p) || utf8::valid({at, static_cast<std::size_t>(end_ - at)});
  }
}

}  // namespace dragoman
