// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/text_index.hpp"

#include "dragoman/base/processor.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman::framing {

std::vector<TextIndex::Kernels::Build> TextIndex::Kernels::usable() {
  std::vector<Build> all;
#if defined(__x86_64__)
  if (processor::has_fast_avx512()) all.push_back(build_avx512);
  if (processor::has_avx2()) all.push_back(build_avx2);
#endif
  all.push_back(build_scalar);
  return all;
}

void TextIndex::build(std::string_view text) {
  static const Kernels::Build kernel = Kernels::usable().front();
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
  index.clean_ = true;
  std::size_t blocks = 0;
  std::size_t lines = 0;
  std::size_t candidates = 0;
  for (const char* block = index.begin_; block != index.end_; ++blocks) {
    const char* const end = block + std::min<std::ptrdiff_t>(kBlock, index.end_ - block);
    std::uint64_t newlines = 0;
    std::uint64_t pairs = 0;
    for (const char* p = block; p != end; ++p) {
      const std::uint64_t bit = std::uint64_t{1} << (p - block);
      index.clean_ &= static_cast<unsigned char>(*p) < 0x80;
      if (*p == '\n') newlines |= bit;
      if (p + 1 != index.end_ && may_start(*p, p[1])) pairs |= bit;
    }
    index.newline_[blocks] = newlines;
    index.lines_[blocks] = static_cast<std::uint16_t>(lines);
    lines += count_bits(newlines);
    candidates = index.add_candidates(candidates, blocks, pairs);
    block = end;
  }
  index.finish(blocks, lines, candidates);
}

}  // namespace dragoman::framing
