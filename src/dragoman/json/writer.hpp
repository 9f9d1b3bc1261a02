// SPDX-License-Identifier: Apache-2.0
// Writing JSON by appending to a string.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "dragoman/json/number.hpp"
#include "dragoman/json/text.hpp"

namespace dragoman::json {

// What is escaped beyond what JSON demands.
enum class Escapes : std::uint8_t {
  minimal,
  in_comment,  // also '>' and U+2028/2029, so that no regex reader sees the end of a comment in a
               // string
};

// Appends `text` between quotes. What is not UTF-8 becomes U+FFFD.
void append_string(std::string& out, std::string_view text, Escapes escapes = Escapes::minimal);
void append_string(std::string& out, Text text, Escapes escapes = Escapes::minimal);

// Appends a value on one line: white space between tokens is left out, broken UTF-8 is mended.
void append_raw(std::string& out, Raw raw, Escapes escapes = Escapes::minimal);

void append_number(std::string& out, const Number& number);

// Puts the commas. The caller keeps the calls balanced: it is our code, not input.
class Writer {
 public:
  explicit Writer(std::string& out, Escapes escapes = Escapes::minimal)
      : out_(out), escapes_(escapes) {}

  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }

  // A key of our own: a literal without anything to escape.
  template <std::size_t N>
  Writer& name(const char (&literal)[N]) {
    std::array<char, N + 3> text;  // ,"literal":
    text[0] = ',';
    text[1] = '"';
    std::memcpy(text.data() + 2, literal, N - 1);
    text[N + 1] = '"';
    text[N + 2] = ':';
    const std::size_t skipped = first_ ? 1 : 0;
    out_.append(text.data() + skipped, text.size() - skipped);
    first_ = false;
    after_key_ = true;
    return *this;
  }
  // A word of our own as a value: nothing in it to escape.
  Writer& word(std::string_view word) {
    separate();
    out_.push_back('"');
    out_.append(word);
    out_.push_back('"');
    return *this;
  }

  Writer& key(std::string_view name) {
    separate();
    append_string(out_, name, escapes_);
    out_.push_back(':');
    after_key_ = true;
    return *this;
  }

  Writer& string(std::string_view text) {
    separate();
    append_string(out_, text, escapes_);
    return *this;
  }
  Writer& text(Text text) {
    separate();
    append_string(out_, text, escapes_);
    return *this;
  }
  Writer& raw(Raw value) {
    separate();
    append_raw(out_, value, escapes_);
    return *this;
  }
  Writer& number(const Number& value) {
    separate();
    append_number(out_, value);
    return *this;
  }
  Writer& integer(std::int64_t value);
  Writer& count(std::uint64_t value);
  Writer& real(double value) { return number(Number::of(value)); }
  Writer& boolean(bool value) {
    separate();
    out_.append(value ? "true" : "false");
    return *this;
  }
  Writer& null() {
    separate();
    out_.append("null");
    return *this;
  }

 private:
  Writer& open(char bracket) {
    separate();
    out_.push_back(bracket);
    first_ = true;
    return *this;
  }
  Writer& close(char bracket) {
    out_.push_back(bracket);
    first_ = false;
    return *this;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
    } else if (!first_) {
      out_.push_back(',');
    }
    first_ = false;
  }

  std::string& out_;
  Escapes escapes_;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace dragoman::json
