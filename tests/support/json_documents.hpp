// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tests/support/random.hpp"

namespace dragoman::test {

// Bytes that mean something in JSON, for mutations that hit.
inline constexpr std::string_view kJsonAlphabet = "{}[]\",:\\u0019dDeE+-. \t\n\rtrfalsn\x01\x7F";

// Makes documents that are good JSON and full of the odd corners.
class JsonDocuments {
 public:
  explicit JsonDocuments(std::uint64_t seed) : random_(seed) {}

  std::string object() {
    std::string out;
    put_object(out, 0);
    return out;
  }
  std::string value() {
    std::string out;
    put_value(out, 0);
    return out;
  }
  Random& random() { return random_; }

 private:
  void space(std::string& out) {
    while (random_.one_in(6)) out += random_.pick(std::string_view(" \t\r "));
  }
  void put_string(std::string& out) {
    constexpr std::array<std::string_view, 18> kPieces = {
        "a",
        "long plain text without anything special in it, over a block",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u0000",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\uDFFF",
        "\\u00e9",
        "é",
        "😀",
        "} -->",
        "<!-- WXCODE:",
        "{[",
        "\x7F",
        "\\u2028"};
    out += '"';
    while (!random_.one_in(4)) out += random_.pick(kPieces);
    out += '"';
  }
  void put_number(std::string& out) {
    constexpr std::array<std::string_view, 14> kNumbers = {"0",
                                                           "-0",
                                                           "1",
                                                           "-1",
                                                           "9223372036854775807",
                                                           "-9223372036854775808",
                                                           "0.5",
                                                           "1e3",
                                                           "1E+3",
                                                           "1e-3",
                                                           "-0.0",
                                                           "123456789.123456789",
                                                           "1e-400",
                                                           "3.0"};
    out += random_.pick(kNumbers);
  }
  void put_object(std::string& out, unsigned depth) {
    out += '{';
    space(out);
    for (bool first = true; !random_.one_in(4); first = false) {
      if (!first) out += ',';
      space(out);
      put_string(out);
      space(out);
      out += ':';
      space(out);
      put_value(out, depth + 1);
      space(out);
    }
    out += '}';
  }
  void put_array(std::string& out, unsigned depth) {
    out += '[';
    space(out);
    for (bool first = true; !random_.one_in(4); first = false) {
      if (!first) out += ',';
      space(out);
      put_value(out, depth + 1);
      space(out);
    }
    out += ']';
  }
  void put_value(std::string& out, unsigned depth) {
    switch (depth > 5 ? random_.below(5) : random_.below(8)) {
      case 0:
        out += "true";
        break;
      case 1:
        out += random_.one_in(2) ? "false" : "null";
        break;
      case 2:
        put_number(out);
        break;
      case 3:
      case 4:
        put_string(out);
        break;
      case 5:
        put_array(out, depth);
        break;
      default:
        put_object(out, depth);
        break;
    }
  }

  Random random_;
};

}  // namespace dragoman::test
