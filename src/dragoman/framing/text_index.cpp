// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/text_index.hpp"

#include "dragoman/base/utf8.hpp"

namespace dragoman::framing {
namespace {

using Build = void (*)(TextIndex&, std::string_view);

Build choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0) {
    return TextIndex::Kernels::build_avx2;
  }
#endif
  return TextIndex::Kernels::build_scalar;
}

}  // namespace

void TextIndex::build(std::string_view text) {
  static const Build kernel = choose();
  if (text.size() > kLongest) {
    // Where the next slice is cut will be asked before its other bytes have been fetched.
    if (text.size() >= 2 * kLongest) __builtin_prefetch(text.data() + 2 * kLongest - 1);
    // Not in the middle of a character, so that the slice can be judged by itself.
    text = text.substr(0, kLongest);
    text.remove_suffix(utf8::incomplete_tail(text));
  }
  kernel(*this, text);
}

const char* TextIndex::far_line_end(std::size_t block) const {
  for (; block < blocks_; ++block) {
    if (newline_[block] != 0) {
      return begin_ + block * kBlock + std::countr_zero(newline_[block]);
    }
  }
  return end_;
}

void TextIndex::Kernels::build_scalar(TextIndex& index, std::string_view text) {
  index.start(text);
  index.candidates_ = index.blocks_ = 0;
  index.clean_ = true;
  std::uint16_t lines = 0;
  for (const char* block = index.begin_; block != index.end_;) {
    const char* const end = block + std::min<std::ptrdiff_t>(kBlock, index.end_ - block);
    std::uint64_t newlines = 0;
    for (const char* p = block; p != end; ++p) {
      const auto byte = static_cast<unsigned char>(*p);
      index.clean_ &= byte < 0x80;
      if (byte == '\n') newlines |= std::uint64_t{1} << (p - block);
      if (p + 1 == index.end_ ? may_start_at_end(*p) : may_start(*p, p[1])) {
        index.candidate_[index.candidates_++] = static_cast<std::uint16_t>(p - index.begin_);
      }
    }
    index.newline_[index.blocks_] = newlines;
    index.lines_[index.blocks_++] = lines;
    lines = static_cast<std::uint16_t>(lines + count_bits(newlines));
    block = end;
  }
  index.newline_[index.blocks_] = index.newline_[index.blocks_ + 1] = 0;
  index.lines_[index.blocks_] = lines;
}

}  // namespace dragoman::framing
