// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/text_frame.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::cli {
namespace {

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* put(char* to, std::uint64_t value) {
  constexpr std::ptrdiff_t kMostDigits = 20;
  return std::to_chars(to, to + kMostDigits, value).ptr;
}

bool is_special(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// Sixteen bytes at once, in the notation that gcc and clang share on every processor.
using Bytes = unsigned char __attribute__((vector_size(16)));

bool any_bit(Bytes bytes, std::uint64_t mask) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &bytes, sizeof bytes);
  return ((halves[0] | halves[1]) & mask) != 0;
}

// What a text has in it besides plain ASCII.
struct Look {
  bool special = false;  // something to escape
  bool high = false;     // something that must be checked to be UTF-8
};

// Blocks of a fixed size, the last one overlapping the one before: no rest to go through byte by
// byte.
Look look_at(std::string_view text) {
  constexpr std::size_t kBlock = sizeof(Bytes);
  std::array<char, kBlock> block;
  if (text.size() < kBlock) {  // a short text is looked at with blanks behind it
    block.fill(' ');
    std::memcpy(block.data(), text.data(), text.size());
    text = {block.data(), kBlock};
  }
  Bytes special{};
  Bytes high{};
  const char* const last = text.data() + text.size() - kBlock;
  for (const char* p = text.data();; p = p + kBlock < last ? p + kBlock : last) {
    Bytes bytes;
    std::memcpy(&bytes, p, kBlock);
    special |= static_cast<Bytes>((bytes < 0x20) | (bytes == '"') | (bytes == '\\'));
    high |= bytes;
    if (p == last) break;
  }
  return {any_bit(special, ~std::uint64_t{0}), any_bit(high, 0x8080808080808080U)};
}

// Quotes and backslashes are escaped; null for what is rarer than that.
char* put_escaped(char* to, std::string_view text) {
  for (const char c : text) {
    if (is_special(static_cast<unsigned char>(c))) {
      if (c != '"' && c != '\\') return nullptr;
      *to++ = '\\';
    }
    *to++ = c;
  }
  return to;
}

// The inside of the JSON string; null when the text needs more than quotes escaped.
char* put_text(char* to, std::string_view text) {
  const Look look = look_at(text);
  if (look.high && !utf8::valid(text)) return nullptr;
  return look.special ? put_escaped(to, text) : put(to, text);
}

}  // namespace

void RunningDigits::step() {
  std::size_t i = count_;
  while (i > 0 && digits_[i - 1] == '9') digits_[--i] = '0';
  if (i > 0) {
    ++digits_[i - 1];
    return;
  }
  digits_[0] = '1';
  for (std::size_t j = 1; j <= count_; ++j) digits_[j] = '0';
  ++count_;
}

char* RunningDigits::put(char* to, std::uint64_t value) {
  if (value == value_ + 1 && value != 0) {
    step();
  } else if (value != value_) {
    char* const begin = digits_.data();
    count_ =
        static_cast<std::size_t>(std::to_chars(begin, begin + digits_.size(), value).ptr - begin);
  }
  value_ = value;
  std::memcpy(to, digits_.data(), digits_.size());  // the rest is overwritten by what follows
  return to + count_;
}

bool TextFrame::fits(const Event& event) const {
  const Origin& o = event.origin;
  const auto* const text = event.as<DisplayText>();
  return text != nullptr && !text->block.has_value() && !text->text.escaped &&
         !text->text.absent() && text->text.bytes.size() <= kLongestText && !event.partial &&
         !event.ts.has_value() && event.extra.empty() && !o.via.has_value() && !o.at.has_value() &&
         o.parent.data() == nullptr;
}

void TextFrame::prepare(const Origin& origin) {
  const bool same = ready_ && origin.dialect == dialect_ && origin.stream == stream_ &&
                    origin.channel == channel_;
  if (same) return;
  dialect_ = origin.dialect;
  stream_ = origin.stream;
  channel_ = origin.channel;
  ready_ = true;
  before_offset_ = fmt::format(R"("}},"origin":{{"dialect":"{}","stream":"{}","offset":)",
                               name(dialect_), name(stream_));
  after_line_ = fmt::format(R"(,"channel":"{}"}}}})", name(channel_));
  after_line_ += "\n";
}

bool TextFrame::append(std::string& out, const Event& event, std::uint64_t seq) {
  if (!fits(event) || seq == 0) return false;
  prepare(event.origin);
  std::string_view text = event.as<DisplayText>()->text.bytes;
  const bool newline = text.ends_with('\n');
  if (newline) text.remove_suffix(1);
  char* p = put(buffer_.data(), std::string_view(R"({"seq":)"));
  p = seq_.put(p, seq);
  p = put(p, std::string_view(R"(,"kind":"text","data":{"text":")"));
  p = put_text(p, text);
  if (p == nullptr) return false;
  if (newline) p = put(p, std::string_view(R"(\n)"));
  p = put(p, std::string_view(before_offset_));
  p = put(p, event.origin.offset);
  p = put(p, std::string_view(R"(,"length":)"));
  p = put(p, event.origin.length);
  p = put(p, std::string_view(R"(,"line":)"));
  p = line_.put(p, event.origin.line);
  p = put(p, std::string_view(after_line_));
  out.append(buffer_.data(), static_cast<std::size_t>(p - buffer_.data()));
  return true;
}

}  // namespace dragoman::cli
