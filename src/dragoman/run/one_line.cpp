// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/one_line.hpp"

#include "dragoman/base/utf8.hpp"

namespace dragoman {
namespace {

// Besides the ASCII ones: C1 controls, and what makes a terminal show text in another order.
bool is_control(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const utf8::CodePoint c = utf8::first(text);
    if (!c.valid) {
      line += utf8::kReplacement;
    } else if (!is_control(c.value)) {
      line += text.substr(0, c.length);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
    text.remove_prefix(c.length);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace dragoman
