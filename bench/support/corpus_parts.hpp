// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bench/support/corpus.hpp"

namespace dragoman::bench {

inline constexpr std::size_t kSparseGap = 1'000'000;  // bytes from one marker to the next

std::unique_ptr<Corpus> open_wxcode_corpus(Density density, std::uint64_t seed);
std::unique_ptr<Corpus> open_claude_corpus(Density density, std::uint64_t seed);
std::unique_ptr<Corpus> open_markers_corpus(Density density, std::uint64_t seed);

}  // namespace dragoman::bench
