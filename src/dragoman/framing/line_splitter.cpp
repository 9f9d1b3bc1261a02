// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/line_splitter.hpp"

#include <cstring>

#include "dragoman/base/utf8.hpp"

namespace dragoman {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// A few bytes more than we show, so that the cut can be made at a code point and the end of the
// line be taken off; the same bytes are kept however the line was cut.
constexpr std::size_t kKeptEnd = kOversizeEnds + 8;

// A buffer that one huge line has stretched is given back.
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20U;

// Trims only now and then, so that a line that comes byte by byte costs no more than one that comes
// whole.
void keep_tail(std::string& tail, std::string_view piece) {
  if (piece.size() >= kKeptEnd) {
    tail.assign(piece.substr(piece.size() - kKeptEnd));
    return;
  }
  tail.append(piece);
  if (tail.size() > 4 * kKeptEnd) tail.erase(0, tail.size() - kKeptEnd);
}

}  // namespace

void LineSplitter::look_for_the_last() {
  looked_ = true;
  // string_view::rfind goes byte by byte.
  const void* const last = rest_.empty() ? nullptr : ::memrchr(rest_.data(), '\n', rest_.size());
  complete_ = last == nullptr
                  ? 0
                  : static_cast<std::size_t>(static_cast<const char*>(last) - rest_.data()) + 1;
}

std::string_view LineSplitter::cut(std::size_t size) {
  const std::string_view piece = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
  if (looked_) complete_ -= size + 1;
  return piece;
}

const Line* LineSplitter::next() {
  release();
  if (bytes_ != 0) return next_carried();
  const std::string_view lines = looked_ ? rest_.substr(0, complete_) : rest_;
  const std::size_t newline = lines.find('\n');
  if (newline == std::string_view::npos) {
    if (!rest_.empty()) carry(rest_);
    rest_ = {};
    return nullptr;
  }
  const std::string_view piece = cut(newline);
  if (fits(piece, piece.size())) return give(piece, true);
  carry(piece);
  return give_carried(true);
}

// The return before a newline is not part of the line, and does not count.
bool LineSplitter::fits(std::string_view piece, std::uint64_t bytes) const {
  return bytes <= cap_ || (bytes - 1 == cap_ && piece.back() == '\r');
}

const Line* LineSplitter::give_carried(bool terminated) {
  const bool whole = tail_.empty();
  if (whole && (terminated ? fits(carry_, bytes_) : bytes_ <= cap_))
    return give(carry_, terminated);
  if (whole) keep_tail(tail_, carry_);  // the last byte is too many, and no return
  return give_oversize(terminated);
}

// Goes on with the unfinished line. What is looked through is copied while it is near.
const Line* LineSplitter::next_carried() {
  constexpr std::size_t kStep = 8192;
  while (!rest_.empty()) {
    const std::string_view step = rest_.substr(0, kStep);
    const std::size_t newline = step.find('\n');
    if (newline != std::string_view::npos) {
      carry(cut(newline));
      return give_carried(true);
    }
    carry(step);
    rest_.remove_prefix(step.size());
  }
  return nullptr;
}

const Line* LineSplitter::finish() {
  release();
  if (bytes_ == 0) return nullptr;
  return give_carried(false);
}

void LineSplitter::carry(std::string_view piece) {
  // One byte more than the cap may be the return before a newline that is still to come.
  const auto is_over = [this] { return bytes_ != 0 && bytes_ - 1 > cap_; };
  const bool was_over = is_over();
  bytes_ += piece.size();
  if (!is_over()) {
    carry_.append(piece);
    return;
  }
  if (!was_over) keep_tail(tail_, carry_);
  keep_tail(tail_, piece);
  if (carry_.size() < kKeptEnd) carry_.append(piece.substr(0, kKeptEnd - carry_.size()));
  if (carry_.size() > kKeptEnd) {
    carry_.resize(kKeptEnd);
    carry_.shrink_to_fit();
  }
}

void LineSplitter::release() {
  if (!given_) return;
  given_ = false;
  carry_.clear();
  tail_.clear();
  if (carry_.capacity() > kKeptCapacity) carry_.shrink_to_fit();
}

const Line* LineSplitter::give(std::string_view raw, bool terminated) {
  line_ = Line{};
  line_.offset = offset_;
  line_.length = raw.size() + (terminated ? 1 : 0);
  line_.number = ++lines_;
  line_.terminated = terminated;
  if (terminated && !raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  if (offset_ == 0 && raw.substr(0, kBom.size()) == kBom) {
    raw.remove_prefix(kBom.size());
    line_.bom = true;
  }
  line_.content = raw;
  offset_ += line_.length;
  given_ = bytes_ != 0;
  bytes_ = 0;
  return &line_;
}

const Line* LineSplitter::give_oversize(bool terminated) {
  line_ = Line{};
  line_.offset = offset_;
  line_.length = bytes_ + (terminated ? 1 : 0);
  line_.number = ++lines_;
  line_.terminated = terminated;
  line_.oversize = true;
  line_.bytes = bytes_;
  std::string_view head = carry_;
  std::string_view tail =
      std::string_view(tail_).substr(tail_.size() > kKeptEnd ? tail_.size() - kKeptEnd : 0);
  if (terminated && tail.back() == '\r') {
    if (head.size() == bytes_) head.remove_suffix(1);
    tail.remove_suffix(1);
    --line_.bytes;
  }
  line_.head = utf8::head(head, kOversizeEnds);
  line_.tail = utf8::tail(tail, kOversizeEnds);
  offset_ += line_.length;
  given_ = true;
  bytes_ = 0;
  return &line_;
}

}  // namespace dragoman
