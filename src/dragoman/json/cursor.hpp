// SPDX-License-Identifier: Apache-2.0
// Reading one complete JSON text from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/json/text.hpp"

namespace dragoman::json {

inline constexpr unsigned kMaxDepth = 512;

enum class Kind : std::uint8_t { null_, boolean, number, string, array, object };

enum class Fault : std::uint8_t {
  none,
  syntax,        // not what the grammar allows here
  control,       // a raw control character in a string
  bad_escape,    // a backslash followed by something JSON does not know
  bad_number,    // a number spelled in a way JSON does not know
  number_range,  // a number that no machine number holds (only where numbers are read)
  newline,       // a newline where the caller forbids one
  too_deep,      // more than kMaxDepth levels
  truncated,     // the text ended first
};
[[nodiscard]] std::string_view name(Fault fault);

// A value that was passed over: what it is and where it lies.
struct Value {
  Kind kind = Kind::null_;
  bool escaped = false;  // strings: there is at least one backslash
  std::string_view raw;  // the whole value, quotes included

  [[nodiscard]] bool absent() const { return raw.data() == nullptr; }
  [[nodiscard]] bool given() const { return !absent() && kind != Kind::null_; }
  [[nodiscard]] bool is(Kind k) const { return !absent() && kind == k; }
  [[nodiscard]] bool is_true() const { return is(Kind::boolean) && raw[0] == 't'; }
  // Strings only: what stands between the quotes.
  [[nodiscard]] Text text() const { return {raw.substr(1, raw.size() - 2), escaped}; }
};

// A forward-only, validating pull reader. It checks the structure, the strings and the UTF-8 of
// everything it passes; how scalars are spelled only in what is taken, not in what is skipped
// (unless Scalars::exact). After the first fault every call fails and changes nothing.
//
//   Cursor c(line);
//   for (Members m(c); m.next(key);) key == "type" ? type = c.take() : c.skip();
//   if (!c.finish()) … c.fault(), c.fault_at() …
class Cursor {
 public:
  enum class Scalars : std::uint8_t { lax_when_skipped, exact };
  // first_line: the text goes on behind the newline that ends the value, and nobody has looked for
  // that newline yet. A good value is read as if it stood alone, and position() is then its end; a
  // faulty one has to be read again by itself before anything is said about the fault.
  enum class Extent : std::uint8_t { whole_text, first_line };

  explicit Cursor(std::string_view text, Scalars scalars = Scalars::lax_when_skipped,
                  Extent extent = Extent::whole_text)
      : begin_(text.data()),
        p_(text.data()),
        end_(text.data() + text.size()),
        scalars_(scalars),
        extent_(extent) {}

  // What the next value is. Scalars are told by their first byte only.
  [[nodiscard]] Kind peek();
  [[nodiscard]] bool next_is(Kind kind) { return peek() == kind && ok(); }

  Value take();  // the next value, checked in full
  Value skip();  // the next value, scalars unchecked
  // take() straight to where the value is kept: a copy made at once would wait for the parts of the
  // value to reach memory one by one.
  void take_into(Value& out) { pass_into(out, true); }

  // Nothing but white space may follow. True when the whole text (or its first line) was one good
  // value.
  [[nodiscard]] bool finish();

  [[nodiscard]] bool ok() const { return fault_ == Fault::none; }
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] std::size_t fault_at() const {
    return static_cast<std::size_t>(fault_at_ - begin_);
  }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }
  // Decoding will meet these; the values are readable all the same.
  [[nodiscard]] bool saw_lone_surrogate() const { return lone_surrogate_; }
  [[nodiscard]] bool saw_invalid_utf8() const { return invalid_utf8_; }

  // Marks the text as faulty at the current place; for callers that find a value unfit.
  void reject(Fault fault) { fail(fault, p_); }

 private:
  friend class Members;
  friend class Elements;
  class Nesting;

  void skip_space() {
    while (p_ != end_ && static_cast<unsigned char>(*p_) <= 0x20 && is_space(*p_)) ++p_;
  }
  [[nodiscard]] bool is_space(char c) const {
    return c == ' ' || c == '\t' || c == '\r' || (c == '\n' && extent_ == Extent::whole_text);
  }
  void fail(Fault fault, const char* at);
  bool enter(char open);
  bool pass_string(
      bool& escaped);  // p_ at the opening quote; afterwards just behind the closing one
  bool pass_long_string(bool& escaped);
  bool pass_scalar(bool exact);
  bool pass_container(bool exact);
  bool pass_colon();
  bool pass_key();
  bool at_byte();
  bool step_into(Nesting& nesting, bool& empty);
  bool step_on(Nesting& nesting);
  void pass_into(Value& out, bool exact);

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* fault_at_ = nullptr;
  Scalars scalars_;
  Extent extent_;
  Fault fault_ = Fault::none;
  bool lone_surrogate_ = false;
  bool invalid_utf8_ = false;
  unsigned depth_ = 0;
  std::string decoded_key_;  // only for keys with escapes
};

// Steps through the members of the object at the cursor. next() leaves the cursor at a value, which
// must be taken, skipped or stepped into before the next call. The key is valid until then.
class Members {
 public:
  explicit Members(Cursor& cursor) : c_(cursor), open_(cursor.enter('{')) {}
  [[nodiscard]] bool next(std::string_view& key);

 private:
  Cursor& c_;
  bool open_;
  bool first_ = true;
};

// The same for the elements of the array at the cursor.
class Elements {
 public:
  explicit Elements(Cursor& cursor) : c_(cursor), open_(cursor.enter('[')) {}
  [[nodiscard]] bool next();

 private:
  Cursor& c_;
  bool open_;
  bool first_ = true;
};

}  // namespace dragoman::json
