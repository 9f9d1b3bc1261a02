// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/short_line.hpp"

#include <algorithm>
#include <array>
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

// As many bytes as a step behind the text can be read.
constexpr std::size_t kStep = 16;

Look look_at(const char* p, std::size_t size) {
#if defined(__SSE2__)
  unsigned special = 0;
  unsigned foreign = 0;
  for (std::size_t at = 0; at < size; at += kStep) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
    const __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v),
                                     _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                                  _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
    const unsigned inside = size - at < kStep ? (1U << (size - at)) - 1U : ~0U;
    special |= static_cast<unsigned>(_mm_movemask_epi8(odd)) & inside;
    foreign |= static_cast<unsigned>(_mm_movemask_epi8(v)) & inside;
  }
  return {special != 0, foreign != 0};
#else
  Look look;
  for (std::size_t at = 0; at < size; ++at) {
    const auto byte = static_cast<unsigned char>(p[at]);
    look.special |= byte < 0x20 || byte == '"' || byte == '\\';
    look.foreign |= byte >= 0x80;
  }
  return look;
#endif
}

// The functions of json::Writer that short lines need. After the first thing that does not fit
// nothing counts any more.
class ShortLine {
 public:
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
    std::memcpy(p_, text.data(), text.size());
    const Look look = look_at(p_, text.size());
    if (look.foreign && !utf8::valid(text)) give_up();
    if (look.special) {
      put_escaped(text);
    } else {
      p_ += text.size();
    }
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

  // Our own words, between the fields.
  template <std::size_t N>
  ShortLine& operator<<(const char (&literal)[N]) {
    if (has_room(N)) p_ = copy(p_, literal);
    return *this;
  }
  ShortLine& operator<<(std::string_view word) {
    if (has_room(word.size())) put(word);
    return *this;
  }
  ShortLine& operator<<(std::uint64_t value) {
    if (has_room(kMostDigits)) put_digits(value);
    return *this;
  }

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::string_view str() const {
    return {bytes_.data(), static_cast<std::size_t>(p_ - bytes_.data())};
  }

 private:
  static constexpr std::size_t kMost = 4096;
  static constexpr std::size_t kMostDigits = 20;

  ShortLine& give_up() {
    fits_ = false;
    return *this;
  }
  [[nodiscard]] bool has_room(std::size_t size) {
    fits_ &= size <= static_cast<std::size_t>(bytes_.data() + kMost - p_);
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
  void put_escaped(std::string_view text) {
    for (const char c : text) {
      const char escape = kEscapes[static_cast<unsigned char>(c)];
      if (escape == 0 && static_cast<unsigned char>(c) < 0x20) give_up();
      if (escape != 0) *p_++ = '\\';
      *p_++ = escape != 0 ? escape : c;
    }
  }
  template <typename Integer>
  ShortLine& digits(Integer value) {
    if (!has_room(kMostDigits + 1)) return *this;
    separate();
    put_digits(value);
    return *this;
  }
  template <typename Integer>
  void put_digits(Integer value) {
    p_ = std::to_chars(p_, p_ + kMostDigits, value).ptr;
  }

  std::array<char, kMost + kStep> bytes_;
  char* p_ = bytes_.data();
  bool first_ = true;
  bool fits_ = true;
};

}  // namespace

bool append_short_line(std::string& out, const Event& event, std::uint64_t seq) {
  if (seq == 0 || event.ts.has_value() || event.partial || !event.extra.empty() ||
      event.origin.parent.data() != nullptr) {
    return false;
  }
  ShortLine line;
  line << R"({"seq":)" << seq << R"(,"kind":")" << name(event.kind()) << R"(","data":)";
  line.begin_object();
  FieldWriter<ShortLine> fields(line);
  std::visit([&fields](const auto& payload) { payload.fields(payload, fields); }, event.payload);
  line.end_object();
  put_origin(line, event.origin);
  line << "}}\n";
  if (!line.fits()) return false;
  out.append(line.str());
  return true;
}

}  // namespace dragoman
