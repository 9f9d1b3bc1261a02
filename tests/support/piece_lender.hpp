// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

namespace dragoman::test {

// Lends out the pieces of an input, one at a time. Each lies in a place of its own that nobody may
// touch before or after, nor behind its end, so that a reader that kept a view into an old piece is
// found out: by the address sanitizer at once, by the rubbish there otherwise. (A piece on the heap
// each would do the same; for a text in pieces of one byte that is most of the time.)
class PieceLender {
 public:
  // `pieces` of `bytes` altogether.
  PieceLender(std::size_t bytes, std::size_t pieces) : places_(bytes + 2 * kGrain * (pieces + 1)) {
    ASAN_POISON_MEMORY_REGION(places_.data(), places_.size());
  }
  ~PieceLender() { ASAN_UNPOISON_MEMORY_REGION(places_.data(), places_.size()); }
  PieceLender(const PieceLender&) = delete;
  PieceLender& operator=(const PieceLender&) = delete;

  template <typename Use>
  void lend(std::string_view piece, Use use) {
    char* const place = places_.data() + next_;
    ASAN_UNPOISON_MEMORY_REGION(place, piece.size());
    std::copy(piece.begin(), piece.end(), place);
    use(std::string_view(place, piece.size()));
    std::fill_n(place, piece.size(), '\xDD');
    ASAN_POISON_MEMORY_REGION(place, piece.size());
    next_ += (piece.size() / kGrain + 2) * kGrain;
  }

 private:
  static constexpr std::size_t kGrain = 8;  // what the sanitizer can tell apart

  std::vector<char> places_;
  std::size_t next_ = 0;
};

}  // namespace dragoman::test
