// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/short_line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/field_writer.hpp"
#include "dragoman/event/origin_writer.hpp"

namespace dragoman {
namespace {

// What stands behind the backslash; 0: nothing has to be escaped, or it is a rare \u00xx.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}
constexpr std::array<char, 256> kEscapes = make_escapes();

// What a text has in it besides plain ASCII.
struct Look {
  bool special = false;  // something to escape
  bool foreign = false;  // something that must be checked to be UTF-8
};

constexpr std::size_t kStep = 16;

#if defined(__SSE2__)
__m128i load(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
void store(char* p, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }

// Bytes that have to be escaped.
__m128i special_bytes(__m128i v) {
  return _mm_or_si128(
      _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v),
      _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

// At least a step. The last one goes back over bytes that were copied already, so that nothing
// behind the text is read.
Look copy_long(char* to, std::string_view text) {
  const char* const from = text.data();
  const std::size_t last = text.size() - kStep;
  __m128i special = _mm_setzero_si128();
  __m128i foreign = _mm_setzero_si128();
  for (std::size_t at = 0;; at = at + kStep < last ? at + kStep : last) {
    const __m128i v = load(from + at);
    store(to + at, v);
    special = _mm_or_si128(special, special_bytes(v));
    foreign = _mm_or_si128(foreign, v);
    if (at == last) return {_mm_movemask_epi8(special) != 0, _mm_movemask_epi8(foreign) != 0};
  }
}
#endif

#if defined(__SSE2__)
template <typename Word>
Word word_at(const char* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Less than a step: two words that overlap, or three bytes that may be the same ones. What is to be
// looked at is put together in a register; fetched back from where it was just written to, it would
// have to be waited for.
Look copy_short(char* to, std::string_view text) {
  const char* const from = text.data();
  const std::size_t size = text.size();
  __m128i v;
  if (size >= 8) {
    const auto first = word_at<std::int64_t>(from);
    const auto last = word_at<std::int64_t>(from + size - 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + size - 8, &last, 8);
    v = _mm_set_epi64x(last, first);
  } else if (size >= 4) {
    const auto first = word_at<std::int32_t>(from);
    const auto last = word_at<std::int32_t>(from + size - 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + size - 4, &last, 4);
    v = _mm_set_epi32(last, first, last, first);
  } else if (size > 0) {
    const char first = from[0];
    const char middle = from[size / 2];
    const char last = from[size - 1];
    to[0] = first;
    to[size / 2] = middle;
    to[size - 1] = last;
    v = _mm_setr_epi8(first, middle, last, first, first, first, first, first, first, first, first,
                      first, first, first, first, first);
  } else {
    return {};
  }
  return {_mm_movemask_epi8(special_bytes(v)) != 0, _mm_movemask_epi8(v) != 0};
}
#endif

// Copies a text and says what is in it.
Look copy_text(char* to, std::string_view text) {
#if defined(__SSE2__)
  return text.size() < kStep ? copy_short(to, text) : copy_long(to, text);
#else
  Look look;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    look.special |= byte < 0x20 || byte == '"' || byte == '\\';
    look.foreign |= byte >= 0x80;
    *to++ = c;
  }
  return look;
#endif
}

// Where writing goes on, and whether it could be written at all.
struct Written {
  char* end;
  bool fits;
};

Written put_escape(char* to, char c) {
  const char escape = kEscapes[static_cast<unsigned char>(c)];
  to[0] = '\\';
  to[1] = escape;
  return {to + 2, escape != 0};
}

// There is room for a step more than twice the text.
Written put_escaped(char* to, std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  Written written{to, true};
  const auto escape = [&written](char c) {
    const Written more = put_escape(written.end, c);
    written = {more.end, written.fits && more.fits};
  };
#if defined(__SSE2__)
  while (end - from >= static_cast<std::ptrdiff_t>(kStep)) {
    const __m128i v = load(from);
    store(written.end, v);
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(special_bytes(v)));
    const int plain = found != 0 ? std::countr_zero(found) : static_cast<int>(kStep);
    from += plain;
    written.end += plain;
    if (found != 0) escape(*from++);
  }
#endif
  for (; from != end; ++from) {
    if (*from == '"' || *from == '\\' || static_cast<unsigned char>(*from) < 0x20) {
      escape(*from);
    } else {
      *written.end++ = *from;
    }
  }
  return written;
}

Written put_string(char* to, std::string_view text) {
  const Look look = copy_text(to, text);
  if (look.foreign && !utf8::valid(text)) return {to, false};
  return look.special ? put_escaped(to, text) : Written{to + text.size(), true};
}

// Writes a number below 10^8, where the lowest byte of a word comes first: all eight digits at
// once, then those that count are moved to the front. Eight bytes can be written.
char* put_below_hundred_million(char* to, std::uint64_t value) {
  const std::uint64_t fours = value / 10000 | (value % 10000) << 32U;
  const std::uint64_t hundreds = (fours * 10486 >> 20U) & 0x0000007F0000007FU;
  const std::uint64_t pairs = hundreds | (fours - hundreds * 100) << 16U;
  const std::uint64_t tens = (pairs * 103 >> 10U) & 0x000F000F000F000FU;
  std::uint64_t digits = tens | (pairs - tens * 10) << 8U;
  const auto zeros = static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56U) /
                                           8);  // the last one always counts
  digits = (digits | 0x3030303030303030U) >> (8 * zeros);
  std::memcpy(to, &digits, sizeof digits);
  return to + sizeof digits - zeros;
}

constexpr std::size_t kMostDigits = 20;

char* put_number(char* to, std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::little) {
    if (value < 100'000'000) return put_below_hundred_million(to, value);
  }
  return std::to_chars(to, to + kMostDigits, value).ptr;
}
char* put_number(char* to, std::int64_t value) {
  if (value >= 0) return put_number(to, static_cast<std::uint64_t>(value));
  return std::to_chars(to, to + kMostDigits, value).ptr;
}

// The functions of json::Writer that short lines need. After the first thing that does not fit
// nothing counts any more.
//
// It is a small value and hands its address to nobody: then its members live in registers, and are
// not stored and fetched again with every few bytes that are written.
class ShortLine {
 public:
  static constexpr std::size_t kMost = 4096;   // up to the last field
  static constexpr std::size_t kBehind = 512;  // our own words behind the fields
  using Bytes = std::array<char, kMost + kBehind>;

  explicit ShortLine(Bytes& bytes) : p_(bytes.data()), limit_(bytes.data() + kMost) {}

  ShortLine& begin_object() { return open('{'); }
  ShortLine& end_object() { return close('}'); }
  ShortLine& begin_array() { return open('['); }
  ShortLine& end_array() { return close(']'); }

  template <std::size_t N>
  ShortLine& name(const char (&literal)[N]) {
    if (!has_room(N + 4)) return *this;
    separate();
    *p_++ = '"';
    p_ = copy(p_, literal);
    p_ = copy(p_, "\":");
    first_ = true;  // no comma before the value
    return *this;
  }
  ShortLine& word(std::string_view word) {
    if (!has_room(word.size() + 3)) return *this;
    separate();
    *p_++ = '"';
    put(word);
    *p_++ = '"';
    return *this;
  }
  ShortLine& string(std::string_view text) {
    constexpr std::size_t kLongestEscape = 2;
    if (!has_room(kLongestEscape * text.size() + 3)) return *this;
    separate();
    *p_++ = '"';
    const Written written = put_string(p_, text);
    p_ = written.end;
    fits_ &= written.fits;
    *p_++ = '"';
    return *this;
  }
  ShortLine& text(const json::Text& text) { return text.escaped ? give_up() : string(text.bytes); }
  ShortLine& boolean(bool value) {
    if (!has_room(6)) return *this;
    separate();
    put(value ? std::string_view("true") : std::string_view("false"));
    return *this;
  }
  ShortLine& number(const Number& value) {
    return value.integral ? integer(value.integer) : give_up();
  }
  ShortLine& integer(std::int64_t value) { return digits(value); }
  ShortLine& count(std::uint64_t value) { return digits(value); }

  // Rare.
  ShortLine& key(std::string_view /*name*/) { return give_up(); }
  ShortLine& raw(const Raw& /*value*/) { return give_up(); }
  ShortLine& real(double /*value*/) { return give_up(); }

  // Our own words before and behind the fields, for which there is always room.
  template <std::size_t N>
  ShortLine& operator<<(const char (&literal)[N]) {
    p_ = copy(p_, literal);
    return *this;
  }
  ShortLine& operator<<(std::string_view word) {
    put(word);
    return *this;
  }
  ShortLine& operator<<(std::uint64_t value) {
    p_ = put_number(p_, value);
    return *this;
  }

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] const char* end() const { return p_; }

 private:
  ShortLine& give_up() {
    fits_ = false;
    return *this;
  }
  [[nodiscard]] bool has_room(std::size_t size) {
    fits_ &= size <= static_cast<std::size_t>(limit_ - p_);
    return fits_;
  }
  ShortLine& open(char bracket) {
    if (!has_room(2)) return *this;
    separate();
    *p_++ = bracket;
    first_ = true;
    return *this;
  }
  ShortLine& close(char bracket) {
    if (has_room(1)) *p_++ = bracket;
    first_ = false;
    return *this;
  }
  void separate() {  // whether there is a comma cannot be guessed
    *p_ = ',';
    p_ += first_ ? 0 : 1;
    first_ = false;
  }
  template <std::size_t N>
  static char* copy(char* to, const char (&literal)[N]) {
    std::memcpy(to, literal, N - 1);
    return to + N - 1;
  }
  void put(std::string_view text) {
    std::memcpy(p_, text.data(), text.size());
    p_ += text.size();
  }
  template <typename Integer>
  ShortLine& digits(Integer value) {
    if (!has_room(kMostDigits + 1)) return *this;
    separate();
    p_ = put_number(p_, value);
    return *this;
  }

  char* p_;
  const char* limit_;
  bool first_ = true;
  bool fits_ = true;
};

}  // namespace

bool append_short_line(std::string& out, const Event& event, std::uint64_t seq) {
  if (seq == 0 || event.ts.has_value() || event.partial || !event.extra.empty() ||
      event.origin.parent.data() != nullptr) {
    return false;
  }
  ShortLine::Bytes bytes;
  ShortLine line(bytes);
  line << R"({"seq":)" << seq << R"(,"kind":")" << name(event.kind()) << R"(","data":)";
  line.begin_object();
  line = std::visit(
      [line](const auto& payload) {
        ShortLine with_fields = line;
        FieldWriter<ShortLine> fields(with_fields);
        payload.fields(payload, fields);
        return with_fields;
      },
      event.payload);
  line.end_object();
  if (!line.fits()) return false;
  put_origin(line, event.origin);
  line << "}}\n";
  out.append(bytes.data(), static_cast<std::size_t>(line.end() - bytes.data()));
  return true;
}

}  // namespace dragoman
