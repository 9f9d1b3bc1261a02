// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/simple_inlines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>

#include "dragoman/base/ascii.hpp"
#endif

namespace dragoman::show {
namespace {

enum class Sort : std::uint8_t {
  plain,
  newline,
  backtick,
  star,
  underscore,
  colon,  // of ://
  dot,    // of www.
  loner,  // means itself before a blank
  refused,
};

constexpr std::array<Sort, 256> sort_table() {
  std::array<Sort, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = Sort::refused;
  for (const char c : std::string_view("[]\\~@")) {
    table[static_cast<unsigned char>(c)] = Sort::refused;
  }
  table['\n'] = Sort::newline;
  table['`'] = Sort::backtick;
  table['*'] = Sort::star;
  table['_'] = Sort::underscore;
  table[':'] = Sort::colon;
  table['.'] = Sort::dot;
  table['<'] = table['&'] = Sort::loner;
  return table;
}
constexpr std::array<Sort, 256> kSorts = sort_table();

Sort sort_of(char c) { return kSorts[static_cast<unsigned char>(c)]; }

using ascii::is_alnum;

constexpr bool is_space(char c) { return c == ' ' || c == '\n'; }
constexpr bool is_punctuation(char c) { return c > ' ' && c < 0x7F && !is_alnum(c); }

// Letters, blanks and commas, which words mostly are: how many at least, in steps of 16 bytes.
std::size_t letters_run(std::string_view text) {
  std::size_t at = 0;
#if defined(__SSE2__)
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));
    const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)),
                                         _mm_cmpgt_epi8(_mm_set1_epi8('z' + 1), lower));
    const __m128i other =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8(',')));
    const auto plain = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(letter, other)));
    if (plain != 0xFFFFU) return at + static_cast<std::size_t>(std::countr_one(plain));
  }
#endif
  return at;
}

class InlineWalk {
 public:
  InlineWalk(std::string_view words, MarkdownVisitor* visitor) : words_(words), visitor_(visitor) {}

  bool run() {
    while (at_ < words_.size()) {
      at_ += letters_run(words_.substr(at_));
      if (at_ == words_.size()) break;
      const Sort sort = sort_of(words_[at_]);
      if (sort == Sort::plain) {
        ++at_;
      } else if (!special(sort)) {
        return false;
      }
    }
    put_text();
    return open_ == 0;
  }

 private:
  bool special(Sort sort) {
    switch (sort) {
      case Sort::newline:
        return newline();
      case Sort::backtick:
        return code();
      case Sort::star:
        return star();
      case Sort::underscore:
        return underscore();
      case Sort::colon:
        return !begins("://") && step();
      case Sort::dot:
        return !words_.substr(0, at_).ends_with("www") && step();
      case Sort::loner:
        return is_space(after(at_)) && step();
      case Sort::plain:
        return step();
      case Sort::refused:
        return false;
    }
    return false;
  }

  bool step() {
    ++at_;
    return true;
  }

  bool newline() {
    put_text();
    MarkdownPart part;
    part.kind = MarkdownKind::soft_break;
    visit(part);
    from_ = ++at_;
    return true;
  }

  // `code` on one line, between single quotes.
  bool code() {
    const std::size_t end = words_.find_first_of("`\n", at_ + 1);
    if (end == std::string_view::npos || words_[end] == '\n' || after(end) == '`') return false;
    const std::string_view literal = words_.substr(at_ + 1, end - at_ - 1);
    if (literal.empty() || literal.front() == ' ' || literal.back() == ' ') return false;
    if (literal.find('\0') != std::string_view::npos) return false;
    put_text();
    MarkdownPart part;
    part.kind = MarkdownKind::code;
    part.literal = literal;
    visit(part);
    from_ = at_ = end + 1;
    return true;
  }

  // Emphasis where each run of stars can only open or only close, and none stands inside another.
  bool star() {
    const std::size_t length = run_length();
    const char before = at_ == 0 ? '\n' : words_[at_ - 1];
    const char behind = after(at_ + length - 1);
    if (length > 2 || !ascii::is_ascii(before) || !ascii::is_ascii(behind)) return false;
    const bool opens = !is_space(behind) &&
                       (!is_punctuation(behind) || is_space(before) || is_punctuation(before));
    const bool closes = !is_space(before) &&
                        (!is_punctuation(before) || is_space(behind) || is_punctuation(behind));
    if (opens == closes || (open_ != 0) != closes || (closes && length != open_)) return false;
    put_text();
    MarkdownPart part;
    part.kind = length == 1 ? MarkdownKind::emphasis : MarkdownKind::strong;
    if (visitor_ != nullptr) opens ? visitor_->enter(part) : visitor_->leave(part);
    open_ = opens ? length : 0;
    from_ = at_ += length;
    return true;
  }

  // Inside a word it is a character like others.
  bool underscore() {
    const std::size_t length = run_length();
    if (at_ == 0 || !is_alnum(words_[at_ - 1]) || !is_alnum(after(at_ + length - 1))) return false;
    at_ += length;
    return true;
  }

  [[nodiscard]] std::size_t run_length() const {
    return std::min(words_.find_first_not_of(words_[at_], at_), words_.size()) - at_;
  }
  [[nodiscard]] char after(std::size_t at) const {
    return at + 1 < words_.size() ? words_[at + 1] : '\n';
  }
  [[nodiscard]] bool begins(std::string_view what) const {
    return words_.substr(at_, what.size()) == what;
  }

  void put_text() {
    if (from_ == at_) return;
    MarkdownPart part;
    part.literal = words_.substr(from_, at_ - from_);
    visit(part);
  }
  void visit(const MarkdownPart& part) {
    if (visitor_ != nullptr) visitor_->enter(part);
  }

  std::string_view words_;
  MarkdownVisitor* visitor_;
  std::size_t at_ = 0;
  std::size_t from_ = 0;  // of the text that was not visited yet
  std::size_t open_ = 0;  // stars of the emphasis we are in
};

}  // namespace

bool walk_simple_inlines(std::string_view words, MarkdownVisitor* visitor) {
  return InlineWalk(words, visitor).run();
}

}  // namespace dragoman::show
