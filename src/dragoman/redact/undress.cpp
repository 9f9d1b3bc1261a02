// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/undress.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/processor.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/redact/bytes.hpp"

namespace dragoman::redact {
namespace kernels {

bool begins_dress(const char* p, const char* const end) {
  if (*p == '\\') return p + 1 == end || p[1] == 'u';
  if (*p != '\xe2') return *p == '\x1b' || *p == '\x0f';
  if (p + 1 < end && p[1] != '\x80') return false;
  return p + 2 >= end || (p[2] >= '\x8b' && p[2] <= '\x8d');
}

const char* find_dress_scalar(const char* from, const char* const end) {
  for (const char* p = from; p < end; ++p) {
    if (begins_dress(p, end)) return p;
  }
  return end;
}

}  // namespace kernels

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr std::size_t kMostDoubled = 8;     // backslashes
constexpr std::size_t kLongestColour = 32;  // parameters

// How much of the text a dress takes. More must come before it can be told, or it is none.
struct Fit {
  enum class Answer : std::uint8_t { none, whole, more };
  Answer answer = Answer::none;
  std::size_t length = 0;
  char32_t value = 0;  // of a letter
};
constexpr Fit kMore{Fit::Answer::more};

// "\u0067", where several strings around it may have doubled the backslash.
Fit letter_in(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < kMostDoubled && text[at] == '\\') ++at;
  if (at == text.size()) return kMore;
  if (text[at] != 'u') return {};
  Fit fit{Fit::Answer::whole, at + 5};
  for (std::size_t i = at + 1; i < fit.length; ++i) {
    if (i == text.size()) return kMore;
    const int digit = ascii::hex_value(text[i]);
    if (digit < 0) return {};
    fit.value = fit.value * 16 + static_cast<char32_t>(digit);
  }
  return fit;
}

bool is_high_half(char32_t value) { return value >= 0xD800 && value < 0xDC00; }
bool is_low_half(char32_t value) { return value >= 0xDC00 && value < 0xE000; }

// A letter, of which some are spelled as two.
Fit whole_letter_in(std::string_view text) {
  const Fit first = letter_in(text);
  if (first.answer != Fit::Answer::whole || !is_high_half(first.value)) return first;
  const Fit second = letter_in(text.substr(first.length));
  if (second.answer == Fit::Answer::more) return kMore;
  if (second.answer == Fit::Answer::none || !is_low_half(second.value)) return first;
  return {Fit::Answer::whole, first.length + second.length,
          0x10000 + ((first.value - 0xD800) << 10U) + (second.value - 0xDC00)};
}

// "[1;31m", "[?25h" behind an escape.
Fit style_in(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (std::string_view("mKhl").find(text[i]) != std::string_view::npos)
      return {Fit::Answer::whole, i + 1};
    if (text[i] < '0' || text[i] > '?' || i > kLongestColour) return {};
  }
  return text.size() > kLongestColour + 1 ? Fit{} : kMore;
}

// What ends the address of a link: BEL, or an escape and a backslash, in any spelling.
Fit link_end_in(std::string_view text) {
  const Fit letter = text[0] == '\\' ? letter_in(text) : Fit{Fit::Answer::whole, 1};
  if (letter.answer != Fit::Answer::whole) return letter;
  const auto value = text[0] == '\\' ? letter.value : static_cast<unsigned char>(text[0]);
  if (value == kBell) return {Fit::Answer::whole, letter.length};
  if (value != kEscape) return {};
  // A string around it doubles the backslash as often as it did that of the letter, and once.
  const std::size_t slashes = text[0] == '\\' ? 2 * text.find('u') : 1;
  for (std::size_t i = 0; i < slashes; ++i) {
    if (letter.length + i == text.size()) return kMore;
    if (text[letter.length + i] != '\\') return {};
  }
  return {Fit::Answer::whole, letter.length + slashes};
}

// "]8;;https://host/" behind an escape, and its end.
Fit link_in(std::string_view text) {
  const std::size_t seen = std::min(text.size(), kLinkBegin.size());
  if (text.substr(0, seen) != kLinkBegin.substr(0, seen)) return {};
  for (std::size_t i = seen; i < text.size(); ++i) {
    if (i > kLongestLink) return {};
    if (text[i] >= ' ' && text[i] < '\x7f' && text[i] != '\\') continue;
    Fit end = link_end_in(text.substr(i));
    end.length += i;
    return end;
  }
  return kMore;
}

// What stands behind an escape and is nothing in plain text.
Fit colour_in(std::string_view text) {
  if (text.empty()) return kMore;
  if (text[0] == '[') return style_in(text);
  if (text[0] == kLinkBegin[0]) return link_in(text);
  if (text[0] != '(' && text[0] != ')') return {};  // a set of characters: "(B"
  if (text.size() == 1) return kMore;
  return is_in(text[1], kDigit | kUpper) ? Fit{Fit::Answer::whole, 2} : Fit{};
}

// The shift back from another set of characters, and blanks without a width.
bool is_nothing(char32_t value) { return value == 0x0f || (value >= 0x200b && value <= 0x200d); }

Fit raw_in(std::string_view text) {
  if (text[0] == kEscape) {
    Fit colour = colour_in(text.substr(1));
    ++colour.length;
    return colour;
  }
  if (text[0] != '\xe2') return {Fit::Answer::whole, 1};
  if (text.size() < 3) return kMore;
  const bool nothing = text[1] == '\x80' && text[2] >= '\x8b' && text[2] <= '\x8d';
  return nothing ? Fit{Fit::Answer::whole, 3} : Fit{};
}

// A colour is told by the value 0: the letter of that number is taken as it stands.
Fit dress_in(std::string_view text) {
  if (text[0] != '\\') return raw_in(text);
  const Fit letter = whole_letter_in(text);
  if (letter.answer != Fit::Answer::whole) return letter;
  if (letter.value == 0) return {};
  if (is_nothing(letter.value)) return {Fit::Answer::whole, letter.length};
  if (letter.value != static_cast<char32_t>(kEscape)) return letter;
  const Fit colour = colour_in(text.substr(letter.length));
  if (colour.answer == Fit::Answer::none) return letter;
  return {colour.answer, letter.length + colour.length};
}

using Find = const char* (*)(const char*, const char*);

Find choose_dress() {
#if defined(__x86_64__)
  if (processor::has_avx2()) return kernels::find_dress_avx2;
#endif
  return kernels::find_dress_scalar;
}

}  // namespace

const char* find_dress(const char* from, const char* end) {
  static const Find chosen = choose_dress();
  return chosen(from, end);
}

std::string_view Undress::push(std::string_view bytes, std::vector<Dress>& dresses) {
  if (held_.empty()) return undress(bytes, false, dresses);
  work_.assign(std::exchange(held_, std::string())).append(bytes);
  return undress(work_, false, dresses);
}

std::string_view Undress::finish(std::vector<Dress>& dresses) {
  work_.assign(std::exchange(held_, std::string()));
  return undress(work_, true, dresses);
}

void Undress::earn(std::size_t plain_bytes) {
  if (colour_left_ == kMostColour) return;
  colour_left_ =
      std::min(kMostColour, colour_left_ + kColourForEach * std::min(plain_bytes, kMostColour));
}

std::string_view Undress::undress(std::string_view text, bool final, std::vector<Dress>& dresses) {
  plain_.clear();
  std::size_t copied = 0;  // what lies before it is in plain_ or in a dress
  std::size_t at = 0;
  while (at < text.size()) {
    at = static_cast<std::size_t>(find_dress(text.data() + at, text.data() + text.size()) -
                                  text.data());
    if (at == text.size()) break;
    // The backslashes before the one that was found.
    std::size_t begin = at;
    if (text[at] == '\\') {
      while (begin > copied && at - begin + 1 < kMostDoubled && text[begin - 1] == '\\') --begin;
    }
    const Fit fit = dress_in(text.substr(begin));
    if (fit.answer == Fit::Answer::more && !final) {
      held_.assign(text.substr(begin));
      text = text.substr(0, begin);
      break;
    }
    earn(begin - copied);
    const bool is_colour = fit.value == 0;
    if (fit.answer != Fit::Answer::whole || (is_colour && fit.length > colour_left_)) {
      at = at + 1;
      plain_.append(text.substr(copied, at - copied));
      earn(at - begin);
      copied = at;
      continue;
    }
    plain_.append(text.substr(copied, begin - copied));
    Dress dress{plain_.size(), 0, std::string(text.substr(begin, fit.length))};
    if (is_colour) {
      colour_left_ -= fit.length;
    } else {
      utf8::append(plain_, fit.value);
      dress.length = plain_.size() - dress.at;
      earn(dress.length);
    }
    dresses.push_back(std::move(dress));
    at = copied = begin + fit.length;
  }
  earn(text.size() - copied);
  if (copied == 0) return text;
  plain_.append(text.substr(copied));
  return plain_;
}

}  // namespace dragoman::redact
