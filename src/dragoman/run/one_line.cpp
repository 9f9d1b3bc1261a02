// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/one_line.hpp"

#include "dragoman/base/hidden.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman {

std::string one_line(std::string_view text) {
  std::string line;
  utf8::Around around;
  while (!text.empty()) {
    const utf8::CodePoint c = utf8::first(text);
    const std::string_view rest = text.substr(c.length);
    around.after = rest.empty() ? 0 : utf8::first(rest).value;
    if (!c.valid) {
      line += utf8::kReplacement;
    } else if (c.value != ' ' && !utf8::is_hidden(c.value, around)) {
      line += text.substr(0, c.length);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
    around.before = c.valid ? c.value : 0xFFFD;
    text = rest;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace dragoman
