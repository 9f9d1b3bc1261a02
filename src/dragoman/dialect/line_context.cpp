// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_context.hpp"

#include <algorithm>
#include <cstring>

#include "dragoman/framing/block_structure.hpp"

namespace dragoman {

void LineContext::add(char c) {
  if (length_ < head_.size()) head_[length_] = c;
  ++length_;
  if (c != ' ' && c != '\t') only_blanks_ = false;
  if (c != ' ' && c != '\t' && c != '>') only_quote_marks_ = false;
  if (!framing::is_container_sign(c)) only_container_signs_ = false;
}

void LineContext::advance(std::string_view text) {
  if (text.empty()) return;
  const void* newline = ::memrchr(text.data(), '\n', text.size());
  before_ = text.back();
  if (newline != nullptr) {
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) +
                       1);
    length_ = 0;
    only_blanks_ = only_quote_marks_ = only_container_signs_ = true;
  }
  // Once there are words, the rest of the line changes nothing but its length.
  std::size_t i = 0;
  while (i < text.size() && (length_ < head_.size() || only_container_signs_)) add(text[i++]);
  length_ += text.size() - i;
}

LineContext LineContext::at(std::string_view text, std::size_t place) const {
  LineContext context = *this;
  context.advance(text.substr(0, place));
  return context;
}

bool LineContext::indented() const {
  const std::size_t known = std::min<std::uint64_t>(length_, head_.size());
  for (std::size_t i = 0; i < known && i < 4; ++i) {
    if (head_[i] == '\t') return true;
    if (head_[i] != ' ') return false;
  }
  return known >= 4;
}

bool LineContext::block_quote() const {
  const std::size_t known = std::min<std::uint64_t>(length_, head_.size());
  for (std::size_t i = 0; i < known && i < 4; ++i) {
    if (head_[i] == '>') return true;
    if (head_[i] != ' ') return false;
  }
  return false;
}

}  // namespace dragoman
