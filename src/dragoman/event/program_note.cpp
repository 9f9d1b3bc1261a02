// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/program_note.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman {

bool is_program_note(std::string_view words) {
  constexpr std::size_t kLongestTag = 64;
  words.remove_prefix(std::min(words.find_first_not_of(" \t\r\n"), words.size()));
  if (words.starts_with("[Request interrupted by user")) return true;
  if (!words.starts_with('<')) return false;
  words = words.substr(1, kLongestTag);
  const std::size_t end = words.find('>');
  if (end == std::string_view::npos) return false;
  const std::string_view tag = words.substr(0, end);
  return tag.find_first_of("-_") != std::string_view::npos && std::ranges::all_of(tag, [](char c) {
           return (c >= 'a' && c <= 'z') || ascii::is_digit(c) || c == '-' || c == '_';
         });
}

}  // namespace dragoman
