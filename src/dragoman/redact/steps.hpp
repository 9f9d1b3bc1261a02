// SPDX-License-Identifier: Apache-2.0
// Reading a value and what stands around it, in a text that may go on.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "dragoman/redact/bytes.hpp"

namespace dragoman::redact {

// As many strings may stand in one another as double a backslash to this many.
inline constexpr std::size_t kMostSlashes = 16;

// How many bytes a value goes on by at the beginning of the text; 0: it ends there; absent: more
// must be seen. An encoder may have written "\\/" for a slash. What people choose may hold a
// backslash or an apostrophe: what begins an escape or closes a string is followed by other bytes.
[[nodiscard]] std::optional<std::size_t> value_step(std::string_view text, ByteSet set, bool final);

// As it was opened: what closes it has as many backslashes.
struct Quote {
  char mark = '\0';
  std::size_t slashes = 0;
};

// Reads on from a place and notices when there is nothing more to read.
class Steps {
 public:
  static constexpr std::size_t kLongestQuoted = 512;  // that far a closing quote is looked for

  Steps(std::string_view text, bool final) : text_(text), final_(final) {}

  std::size_t skip(ByteSet set, std::size_t most) {
    std::size_t n = 0;
    while (n < most && at_ < text_.size() && is_in(text_[at_], set)) {
      ++at_;
      ++n;
    }
    if (n < most) need_one();
    return n;
  }
  std::size_t skip_value(std::size_t most, ByteSet set = kValue) {
    const std::size_t from = at_;
    while (at_ - from < most) {
      const auto step = value_step(text_.substr(at_), set, final_);
      if (!step) ran_out_ = true;
      if (!step || *step == 0) break;
      at_ += *step;
    }
    return at_ - from;
  }
  bool take(char wanted) {
    need_one();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  // " or ', behind any number of backslashes.
  std::optional<Quote> take_quote() {
    const std::size_t from = at_;
    for (std::size_t n = 0; n < kMostSlashes && take('\\'); ++n) {
    }
    const std::size_t slashes = at_ - from;
    if (take('"') || take('\'')) return Quote{text_[at_ - 1], slashes};
    at_ = from;
    return std::nullopt;
  }
  // Behind any number of backslashes, or as it is.
  [[nodiscard]] bool at_line_end() {
    const std::size_t from = at_;
    std::size_t slashes = 0;
    while (slashes < kMostSlashes && take('\\')) ++slashes;
    const bool found = slashes == 0 ? take('\n') || take('\r') : take('n') || take('r');
    at_ = from;
    return found;
  }
  // How much stands before the quote that closes this one. Absent when the line ends first, or the
  // string that all of it stands in. Each string around a quote doubles its backslashes and adds
  // one: with 2n + 1 of them in the place of n, it belongs to the value.
  std::optional<std::size_t> until_closing(Quote open) {
    std::size_t slashes = 0;
    for (std::size_t n = 0; n < kLongestQuoted; ++n) {
      if (at_ + n >= text_.size()) {
        if (!final_) ran_out_ = true;
        return std::nullopt;
      }
      const char c = text_[at_ + n];
      if (c == '\n' || c == '\r') return std::nullopt;
      const std::size_t before = std::exchange(slashes, c == '\\' ? slashes + 1 : 0);
      if (c == open.mark) {
        const std::size_t level = open.slashes + 1;
        if (before % level != open.slashes) return std::nullopt;
        if (before % (2 * level) == open.slashes) return n - open.slashes;
      } else if (c == '"' && before % 2 == 0) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  // An answer so far may be another one with more text.
  [[nodiscard]] bool ran_out() const { return ran_out_; }

 private:
  void need_one() {
    if (at_ >= text_.size() && !final_) ran_out_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool final_;
  bool ran_out_ = false;
};

}  // namespace dragoman::redact
