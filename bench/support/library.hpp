// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "bench/support/corpus.hpp"

namespace dragoman::bench {

// What a reader said about an input: enough to see that two ways of pushing it
// did the same work.
struct Tally {
  std::uint64_t events = 0;      // without text
  std::uint64_t text_bytes = 0;  // display text

  friend bool operator==(const Tally&, const Tally&) = default;
};

// A reader in the default mode whose events are counted and not kept.
class Push {
 public:
  explicit Push(Dialect dialect);
  ~Push();
  Push(const Push&) = delete;
  Push& operator=(const Push&) = delete;

  void operator()(std::string_view chunk);
  void finish();
  const Tally& tally() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

inline constexpr std::size_t kOneShot = SIZE_MAX;

// Reads `input` in the default mode, in chunks of `chunk` bytes, keeping
// nothing.
Tally read_with_library(Dialect dialect, std::string_view input, std::size_t chunk);

}  // namespace dragoman::bench
