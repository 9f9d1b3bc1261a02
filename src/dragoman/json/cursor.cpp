// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/cursor.hpp"

#include <array>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/scan.hpp"
#include "dragoman/json/short_string.hpp"

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

// Whether more bytes could make a scalar of `text`.
bool starts_a_scalar(std::string_view text) {
  for (const std::string_view literal : {"true", "false", "null"}) {
    if (literal.substr(0, text.size()) == text) return true;
  }
  std::string completed(text);
  completed.push_back('0');  // behind a sign, a point or an e
  return is_number(completed);
}

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

// The containers that are open, the innermost last: one bit each, whether it is an object. The last
// 64 are at hand, the others put aside in words.
class Cursor::Nesting {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] bool in_object() const { return (bits_ & 1U) != 0; }
  [[nodiscard]] char close() const { return in_object() ? '}' : ']'; }
  void push(bool object) {
    if (count_ % 64 == 0 && count_ != 0) aside_[count_ / 64 - 1] = bits_;
    bits_ = (bits_ << 1U) | (object ? 1U : 0U);
    ++count_;
  }
  void pop() {
    --count_;
    bits_ >>= 1U;
    if (count_ % 64 == 0 && count_ != 0) bits_ = aside_[count_ / 64 - 1];
  }

 private:
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
  std::array<std::uint64_t, kMaxDepth / 64> aside_;  // written before it is read
};

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

[[gnu::always_inline]] inline bool Cursor::pass_string(bool& escaped) {
  if (const char* close = close_quote_nearby(p_ + 1, end_); close != nullptr) {
    escaped = false;
    p_ = close + 1;
    return true;
  }
  return pass_long_string(escaped);
}

bool Cursor::pass_long_string(bool& escaped) {
  const char* const from = p_ + 1;
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
  if (p_ == end_ && starts_a_scalar(text)) {
    fail(Fault::truncated, end_);
    return false;
  }
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

// Goes to the next byte that is not white space, which must be there.
[[gnu::always_inline]] inline bool Cursor::at_byte() {
  skip_space();
  if (p_ != end_) return true;
  fail(Fault::truncated, p_);
  return false;
}

// Goes to the value of the next member; its key must come next.
[[gnu::always_inline]] inline bool Cursor::pass_key() {
  if (!at_byte()) return false;
  if (*p_ != '"') {
    fail(Fault::syntax, p_);
    return false;
  }
  bool escaped = false;
  return pass_string(escaped) && pass_colon() && at_byte();
}

// From an opening bracket to the first value inside, or behind the closing one when there is none.
[[gnu::always_inline]] inline bool Cursor::step_into(Nesting& nesting, bool& empty) {
  if (nesting.count() + depth_ >= kMaxDepth) {
    fail(Fault::too_deep, p_);
    return false;
  }
  nesting.push(*p_ == '{');
  ++p_;
  if (!at_byte()) return false;
  empty = *p_ == nesting.close();
  if (!empty) return !nesting.in_object() || pass_key();
  nesting.pop();
  ++p_;
  return true;
}

// From behind a value to the next one, out of as many containers as end here. False: there is none,
// because the outermost container has ended or because of a fault.
[[gnu::always_inline]] inline bool Cursor::step_on(Nesting& nesting) {
  while (!nesting.empty() && at_byte()) {
    if (*p_ == ',') {
      ++p_;
      return nesting.in_object() ? pass_key() : at_byte();
    }
    if (*p_ != nesting.close()) {
      fail(Fault::syntax, p_);
      return false;
    }
    ++p_;
    nesting.pop();
  }
  return false;
}

// Iterative: hostile nesting costs levels, never stack.
bool Cursor::pass_container(bool exact) {
  Nesting nesting;
  bool escaped = false;
  for (;;) {  // p_ is at a value
    if (*p_ == '"') {
      if (!pass_string(escaped)) return false;
    } else if (*p_ == '{' || *p_ == '[') {
      bool empty = false;
      if (!step_into(nesting, empty)) return false;
      if (!empty) continue;
    } else if (!pass_scalar(exact)) {
      return false;
    }
    if (!step_on(nesting)) return ok();
  }
}

void Cursor::pass_into(Value& out, bool exact) {
  const Kind kind = peek();
  const char* const from = p_;
  bool escaped = false;
  bool good = ok();
  if (good) {
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
  }
  out.kind = good ? kind : Kind::null_;
  out.escaped = good && escaped;
  out.raw = good ? std::string_view(from, static_cast<std::size_t>(p_ - from)) : std::string_view{};
}

Value Cursor::take() {
  Value value;
  pass_into(value, true);
  return value;
}

Value Cursor::skip() {
  Value value;
  pass_into(value, scalars_ == Scalars::exact);
  return value;
}

bool Cursor::finish() {
  if (!ok()) return false;
  skip_space();
  const bool ended = p_ == end_ || (extent_ == Extent::first_line && *p_ == '\n');
  if (!ended) fail(Fault::syntax, p_);
  return ok();
}

namespace {

// The next key where nothing stands between the tokens, as programs write JSON, and the key is
// short and plain: `p` is at its quote when it is the first, else at the comma before it. Returns
// the place of the value, or null when it has to be looked at more closely.
[[gnu::always_inline]] inline const char* compact_key(const char* p, const char* end, bool first,
                                                      std::string_view& key) {
#if defined(__SSE2__)
  constexpr std::ptrdiff_t kLongest = 32;
  if (end - p <= kLongest + 2) return nullptr;
  const char* const quote = first ? p : p + 1;
  if (*quote != '"' || (!first && *p != ',')) return nullptr;
  const std::uint32_t stops = not_plain(quote + 1) | not_plain(quote + 17) << 16U;
  if (stops == 0) return nullptr;
  const char* const close = quote + 1 + __builtin_ctz(stops);
  if (*close != '"' || close[1] != ':') return nullptr;
  key = {quote + 1, static_cast<std::size_t>(close - quote - 1)};
  return close + 2;
#else
  return nullptr;
#endif
}

}  // namespace

bool Members::next(std::string_view& key) {
  if (!open_ || !c_.ok()) return false;
  if (const char* const value = compact_key(c_.p_, c_.end_, first_, key); value != nullptr) {
    c_.p_ = value;
    first_ = false;
    return true;
  }
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
