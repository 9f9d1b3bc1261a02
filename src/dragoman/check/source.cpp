// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/source.hpp"

#include <algorithm>

#include "dragoman/base/utf8.hpp"

namespace dragoman::check {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::size_t kSlack = std::size_t{1} << 20U;  // let go in large steps: each moves the rest

}  // namespace

void Source::release(std::uint64_t offset) {
  if (offset < begin_ + 2 * kSlack) return;
  // Findings about a block may point a little back, and want the start of their line.
  std::size_t drop = static_cast<std::size_t>(offset - begin_) - kSlack;
  drop = std::min(drop, bytes_.size());
  bytes_.erase(0, drop);
  begin_ += drop;
}

std::string_view Source::at(std::uint64_t offset, std::uint64_t length) const {
  if (offset < begin_ || offset + length > begin_ + bytes_.size()) return {};
  return std::string_view(bytes_).substr(static_cast<std::size_t>(offset - begin_),
                                         static_cast<std::size_t>(length));
}

std::uint64_t Source::column(std::uint64_t offset) {
  if (offset < begin_ || offset > begin_ + bytes_.size()) return 1;
  const bool goes_on = offset >= known_offset_ && known_offset_ >= begin_;
  const std::uint64_t from = goes_on ? known_offset_ : begin_;
  std::string_view between = at(from, offset - from);
  // No editor counts the mark in front of the first line.
  if (from == 0 && between.starts_with(kBom)) between.remove_prefix(kBom.size());
  const std::size_t newline = between.rfind('\n');
  if (newline != std::string_view::npos) {
    known_column_ = utf8::count(between.substr(newline + 1)) + 1;
  } else if (goes_on) {
    known_column_ += utf8::count(between);
  } else {
    if (begin_ != 0) return 1;
    known_column_ = utf8::count(between) + 1;
  }
  known_offset_ = offset;
  return known_column_;
}

}  // namespace dragoman::check
