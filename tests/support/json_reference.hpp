// SPDX-License-Identifier: Apache-2.0
// RFC 8259, transcribed rule by rule and as slow as that: the judge of our own JSON reader. Strings
// may hold any bytes from 0x20 up, valid UTF-8 or not, and lone surrogate escapes.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::test {

class JsonReference {
 public:
  static bool accepts(std::string_view text, unsigned max_depth = 512) {
    JsonReference reader(text, max_depth);
    reader.space();
    const bool good = reader.value(0);
    reader.space();
    return good && reader.at_ == text.size();
  }

 private:
  JsonReference(std::string_view text, unsigned max_depth) : text_(text), max_depth_(max_depth) {}

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  void space() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }
  bool digit() {
    if (peek() < '0' || peek() > '9') return false;
    ++at_;
    return true;
  }
  bool digits() {
    if (!digit()) return false;
    while (digit()) {
    }
    return true;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }
  bool hex() {
    const char c = peek();
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (good) ++at_;
    return good;
  }
  bool escape() {
    for (const char c : std::string_view("\"\\/bfnrt")) {
      if (take(c)) return true;
    }
    return take('u') && hex() && hex() && hex() && hex();
  }
  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      if (take('"')) return true;
      if (take('\\')) {
        if (!escape()) return false;
      } else if (static_cast<unsigned char>(text_[at_++]) < 0x20) {
        return false;
      }
    }
    return false;
  }
  bool member(unsigned depth) {
    space();
    if (!string()) return false;
    space();
    return take(':') && element(depth);
  }
  bool element(unsigned depth) {
    space();
    if (!value(depth)) return false;
    space();
    return true;
  }
  bool container(char close, unsigned depth) {
    if (depth > max_depth_) return false;
    ++at_;
    space();
    if (take(close)) return true;
    do {
      if (!(close == '}' ? member(depth) : element(depth))) return false;
    } while (take(','));
    return take(close);
  }
  bool value(unsigned depth) {
    switch (peek()) {
      case '{':
        return container('}', depth + 1);
      case '[':
        return container(']', depth + 1);
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  std::string_view text_;
  unsigned max_depth_;
  std::size_t at_ = 0;
};

}  // namespace dragoman::test
