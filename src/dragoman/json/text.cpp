// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/text.hpp"

#include <cstring>

#include "dragoman/base/utf8.hpp"

namespace dragoman::json {
namespace {

unsigned hex(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return (static_cast<unsigned char>(c) | 0x20U) - 'a' + 10U;
}

unsigned four_hex(const char* p) {
  return (hex(p[0]) << 12U) | (hex(p[1]) << 8U) | (hex(p[2]) << 4U) | hex(p[3]);
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // quote, backslash, slash
  }
}

// Calls put(view) for each decoded piece, in order.
template <typename Put>
void decode_pieces(std::string_view rest, Put put) {
  std::string encoded;
  while (!rest.empty()) {
    const void* found = std::memchr(rest.data(), '\\', rest.size());
    if (found == nullptr) {
      put(rest);
      return;
    }
    const auto plain = static_cast<std::size_t>(static_cast<const char*>(found) - rest.data());
    if (plain > 0) put(rest.substr(0, plain));
    rest.remove_prefix(plain);
    if (rest[1] == 'u') {
      const UnicodeEscape escape = unicode_escape(rest);
      encoded.clear();
      utf8::append(encoded, escape.value);
      put(encoded);
      rest.remove_prefix(escape.length);
    } else {
      const char c = simple_escape(rest[1]);
      put(std::string_view(&c, 1));
      rest.remove_prefix(2);
    }
  }
}

}  // namespace

UnicodeEscape unicode_escape(std::string_view text) {
  const unsigned first = four_hex(text.data() + 2);
  if (first < 0xD800 || first > 0xDFFF) return {first, 6, false};
  if (first <= 0xDBFF && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const unsigned second = four_hex(text.data() + 8);
    if (second >= 0xDC00 && second <= 0xDFFF) {
      return {0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00), 12, false};
    }
  }
  return {0xFFFD, 6, true};
}

std::string_view decode(Text text, Arena& arena) {
  if (!text.escaped) return text.bytes;
  // A decoded string is never longer than its escaped form: \u escapes take 6 bytes for at most 3.
  char* const start = arena.allocate(text.bytes.size() + 1);
  char* to = start;
  decode_pieces(text.bytes, [&to](std::string_view piece) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  });
  return {start, static_cast<std::size_t>(to - start)};
}

void decode_to(std::string& out, Text text) {
  if (!text.escaped) {
    out.append(text.bytes);
    return;
  }
  decode_pieces(text.bytes, [&out](std::string_view piece) { out.append(piece); });
}

std::string Text::str() const {
  std::string out;
  decode_to(out, *this);
  return out;
}

bool operator==(const Text& a, const Text& b) {
  if (a.absent() != b.absent()) return false;
  if (!a.escaped && !b.escaped) return a.bytes == b.bytes;
  return a.str() == b.str();
}

}  // namespace dragoman::json
