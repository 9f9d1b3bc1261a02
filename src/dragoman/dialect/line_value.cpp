// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_value.hpp"

#include "dragoman/base/utf8.hpp"

namespace dragoman {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";

bool is_wide_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string on_one_line(std::string_view text) {
  std::string mended;
  utf8::append_repaired(mended, trimmed(text));
  if (mended.find_first_of("\n\r") == std::string::npos) return mended;
  std::string out;
  for (std::size_t i = 0; i < mended.size();) {
    const std::size_t end = std::min(mended.find_first_not_of(kBlanks, i), mended.size());
    const std::string_view space = std::string_view(mended).substr(i, end - i);
    if (space.find_first_of("\n\r") != std::string_view::npos) {
      out.push_back(' ');
    } else {
      out.append(space);
    }
    i = std::min(mended.find_first_of(kBlanks, end), mended.size());
    out.append(mended, end, i - end);
  }
  return out;
}

std::size_t leading_space(std::string_view text) {
  std::size_t taken = 0;
  while (taken < text.size()) {
    const utf8::CodePoint c = utf8::first(text.substr(taken));
    if (!c.valid || !is_wide_space(c.value)) break;
    taken += c.length;
  }
  return taken;
}

std::string shortened(std::string_view text, std::size_t code_points) {
  if (utf8::count(text) <= code_points) return std::string(text);
  return std::string(utf8::prefix(text, code_points - 1)) + "\u2026";
}

}  // namespace dragoman
