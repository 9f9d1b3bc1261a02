// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/cursor.hpp"

#include <array>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/scan.hpp"

namespace dragoman::json {
namespace {

// Bytes that can be part of a number or literal.
constexpr std::array<bool, 256> make_scalar_bytes() {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  table['+'] = table['-'] = table['.'] = true;
  return table;
}
constexpr std::array<bool, 256> kScalarBytes = make_scalar_bytes();

#if defined(__SSE2__)
// One bit for each of 16 bytes that is a quote, a backslash, a control character or above ASCII.
inline std::uint32_t not_plain(const char* p) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  // As signed bytes, control characters and everything above ASCII are both less than a blank.
  const __m128i odd = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(backslash, odd), quote)));
}

// The closing quote, when it lies in the next 64 bytes with only plain ASCII before it: nearly all
// keys and most short values, ids among them. Null when the full scan has to look. Steps of 32
// bytes, because how long a key is cannot be predicted, and that it is shorter can.
inline const char* close_quote_nearby(const char* p, const char* end) {
  for (int i = 0; i < 2 && end - p >= 32; ++i, p += 32) {
    const std::uint32_t stops = not_plain(p) | not_plain(p + 16) << 16U;
    if (stops == 0) continue;
    const char* const stop = p + __builtin_ctz(stops);
    return *stop == '"' ? stop : nullptr;
  }
  return nullptr;
}
#else
inline const char* close_quote_nearby(const char*, const char*) { return nullptr; }
#endif

Kind kind_of(char c) {
  switch (c) {
    case '"':
      return Kind::string;
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case 't':
    case 'f':
      return Kind::boolean;
    case 'n':
      return Kind::null_;
    default:
      return Kind::number;
  }
}

// One bit a level: whether it is an object.
class LevelBits {
 public:
  void set(unsigned level, bool object) {
    const std::uint64_t bit = std::uint64_t{1} << (level % 64);
    if (object) {
      words_[level / 64] |= bit;
    } else {
      words_[level / 64] &= ~bit;
    }
  }
  [[nodiscard]] bool object(unsigned level) const {
    return ((words_[level / 64] >> (level % 64)) & 1U) != 0;
  }

 private:
  std::array<std::uint64_t, kMaxDepth / 64 + 1> words_;  // set before it is read
};

}  // namespace

std::string_view name(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::syntax:
      return "syntax";
    case Fault::control:
      return "control character in a string";
    case Fault::bad_escape:
      return "unknown escape";
    case Fault::bad_number:
      return "not a JSON number";
    case Fault::number_range:
      return "number out of range";
    case Fault::newline:
      return "newline";
    case Fault::too_deep:
      return "nested too deep";
    case Fault::truncated:
      return "unexpected end";
  }
  return "";
}

void Cursor::fail(Fault fault, const char* at) {
  if (fault_ != Fault::none) return;
  fault_ = fault;
  fault_at_ = at;
}

Kind Cursor::peek() {
  if (!ok()) return Kind::null_;
  skip_space();
  if (p_ == end_) {
    fail(Fault::truncated, p_);
    return Kind::null_;
  }
  return kind_of(*p_);
}

bool Cursor::enter(char open) {
  if (!ok()) return false;
  skip_space();
  if (p_ == end_ || *p_ != open) {
    fail(p_ == end_ ? Fault::truncated : Fault::syntax, p_);
    return false;
  }
  if (++depth_ > kMaxDepth) {
    fail(Fault::too_deep, p_);
    return false;
  }
  ++p_;
  return true;
}

bool Cursor::pass_string(bool& escaped) {
  const char* const from = p_ + 1;
  if (const char* close = close_quote_nearby(from, end_); close != nullptr) {
    escaped = false;
    p_ = close + 1;
    return true;
  }
  const StringEnd scan = scan_string(from, end_);
  escaped = scan.escaped;
  switch (scan.stop) {
    case StringEnd::Stop::closed:
      break;
    case StringEnd::Stop::ran_out:
      fail(Fault::truncated, end_);
      return false;
    case StringEnd::Stop::control:
      fail(Fault::control, scan.at);
      return false;
    case StringEnd::Stop::bad_escape:
      fail(Fault::bad_escape, scan.at);
      return false;
  }
  lone_surrogate_ |= scan.lone_surrogate;
  if (scan.non_ascii && scan.utf8 != StringEnd::Utf8::good && !invalid_utf8_) {
    invalid_utf8_ = scan.utf8 == StringEnd::Utf8::bad ||
                    !utf8::valid({from, static_cast<std::size_t>(scan.at - from)});
  }
  p_ = scan.at + 1;
  return true;
}

bool Cursor::pass_scalar(bool exact) {
  const char* const from = p_;
  while (p_ != end_ && kScalarBytes[static_cast<unsigned char>(*p_)]) ++p_;
  const std::string_view text(from, static_cast<std::size_t>(p_ - from));
  if (text.empty()) {
    fail(Fault::syntax, from);
    return false;
  }
  if (!exact) return true;
  const bool literal = text == "true" || text == "false" || text == "null";
  if (literal || is_number(text)) return true;
  p_ = from;
  fail(kind_of(*from) == Kind::number ? Fault::bad_number : Fault::syntax, from);
  return false;
}

bool Cursor::pass_colon() {
  skip_space();
  if (p_ == end_ || *p_ != ':') {
    fail(p_ == end_ ? Fault::truncated : Fault::syntax, p_);
    return false;
  }
  ++p_;
  return true;
}

// Iterative: hostile nesting costs levels, never stack.
bool Cursor::pass_container(bool exact) {
  LevelBits levels;
  unsigned level = 0;
  bool value_expected = true;  // else a comma or the end of the container
  bool may_close = false;      // just behind an opening bracket
  bool escaped = false;
  for (;;) {
    skip_space();
    if (p_ == end_) {
      fail(Fault::truncated, p_);
      return false;
    }
    const char c = *p_;
    if (value_expected) {
      if (level > 0 && (c == '}' || c == ']') && may_close && (c == '}') == levels.object(level)) {
        ++p_;
        may_close = false;
        if (--level == 0) return true;
        value_expected = false;
        continue;
      }
      if (level > 0 && levels.object(level)) {
        if (c != '"') {
          fail(Fault::syntax, p_);
          return false;
        }
        if (!pass_string(escaped) || !pass_colon()) return false;
        skip_space();
        if (p_ == end_) continue;
      }
      may_close = false;
      if (*p_ == '"') {
        if (!pass_string(escaped)) return false;
        value_expected = false;
      } else if (*p_ == '{' || *p_ == '[') {
        if (++level + depth_ > kMaxDepth) {
          fail(Fault::too_deep, p_);
          return false;
        }
        levels.set(level, *p_ == '{');
        may_close = true;
        ++p_;
      } else {
        if (!pass_scalar(exact)) return false;
        value_expected = false;
      }
      continue;
    }
    if (c == ',') {
      value_expected = true;
      ++p_;
    } else if ((c == '}' || c == ']') && (c == '}') == levels.object(level)) {
      ++p_;
      if (--level == 0) return true;
    } else {
      fail(Fault::syntax, p_);
      return false;
    }
  }
}

Value Cursor::pass(bool exact) {
  const Kind kind = peek();
  if (!ok()) return {};
  const char* const from = p_;
  bool escaped = false;
  bool good = false;
  switch (kind) {
    case Kind::string:
      good = pass_string(escaped);
      break;
    case Kind::array:
    case Kind::object:
      good = pass_container(exact);
      break;
    case Kind::null_:
    case Kind::boolean:
    case Kind::number:
      good = pass_scalar(exact);
      break;
  }
  if (!good) return {};
  return {kind, escaped, {from, static_cast<std::size_t>(p_ - from)}};
}

Value Cursor::take() { return pass(true); }
Value Cursor::skip() { return pass(scalars_ == Scalars::exact); }

bool Cursor::finish() {
  if (!ok()) return false;
  skip_space();
  const bool ended = p_ == end_ || (extent_ == Extent::first_line && *p_ == '\n');
  if (!ended) fail(Fault::syntax, p_);
  return ok();
}

bool Members::next(std::string_view& key) {
  if (!open_ || !c_.ok()) return false;
  c_.skip_space();
  if (c_.p_ != c_.end_ && *c_.p_ == '}') {
    ++c_.p_;
    --c_.depth_;
    open_ = false;
    return false;
  }
  if (!first_) {
    if (c_.p_ == c_.end_ || *c_.p_ != ',') {
      c_.fail(c_.p_ == c_.end_ ? Fault::truncated : Fault::syntax, c_.p_);
      return false;
    }
    ++c_.p_;
    c_.skip_space();
  }
  first_ = false;
  if (c_.p_ == c_.end_ || *c_.p_ != '"') {
    c_.fail(c_.p_ == c_.end_ ? Fault::truncated : Fault::syntax, c_.p_);
    return false;
  }
  const char* const from = c_.p_ + 1;
  bool escaped = false;
  if (!c_.pass_string(escaped)) return false;
  key = {from, static_cast<std::size_t>(c_.p_ - 1 - from)};
  if (escaped) {
    c_.decoded_key_ = Text(key, true).str();
    key = c_.decoded_key_;
  }
  return c_.pass_colon();
}

bool Elements::next() {
  if (!open_ || !c_.ok()) return false;
  c_.skip_space();
  if (c_.p_ != c_.end_ && *c_.p_ == ']') {
    ++c_.p_;
    --c_.depth_;
    open_ = false;
    return false;
  }
  if (!first_) {
    if (c_.p_ == c_.end_ || *c_.p_ != ',') {
      c_.fail(c_.p_ == c_.end_ ? Fault::truncated : Fault::syntax, c_.p_);
      return false;
    }
    ++c_.p_;
    c_.skip_space();
    if (c_.p_ != c_.end_ && *c_.p_ == ']') {
      c_.fail(Fault::syntax, c_.p_);
      return false;
    }
  }
  first_ = false;
  return true;
}

}  // namespace dragoman::json
