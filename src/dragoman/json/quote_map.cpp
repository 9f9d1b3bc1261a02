// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/quote_map.hpp"

#include "dragoman/json/escaped_bytes.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman::json {
namespace kernels {

#if defined(__SSE2__)
void map_bytes_portable(const char* p, char wary, ByteMap& map) {
  map = {};
  for (std::size_t i = 0; i < QuoteMap::kBytes / 16; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits = [i](__m128i mask) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(mask))} << (16 * (i % 4));
    };
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    map.quotes[i / 4] |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    map.backslashes[i / 4] |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    map.odd[i / 4] |= bits(_mm_or_si128(control, _mm_cmpeq_epi8(v, _mm_set1_epi8(wary))));
    map.foreign[i / 4] |= bits(v);
  }
}
#else
void map_bytes_portable(const char* p, char wary, ByteMap& map) {
  map = {};
  for (std::size_t i = 0; i < QuoteMap::kBytes; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const auto c = static_cast<unsigned char>(p[i]);
    if (c == '"') map.quotes[i / 64] |= bit;
    if (c == '\\') map.backslashes[i / 64] |= bit;
    if (c < 0x20 || p[i] == wary) map.odd[i / 64] |= bit;
    if (c >= 0x80) map.foreign[i / 64] |= bit;
  }
}
#endif

}  // namespace kernels

namespace {

using MapBytes = void (*)(const char*, char, ByteMap&);

MapBytes choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) return kernels::map_bytes_avx2;
#endif
  return kernels::map_bytes_portable;
}

}  // namespace

void QuoteMap::build(const char* from, char wary) {
  static const MapBytes kernel = choose();
  from_ = from;
  kernel(from, wary, map_);
  // Also where there is no backslash: whether there is one cannot be guessed.
  std::uint64_t carry = 0;
  for (std::size_t block = 0; block < ByteMap::kBlocks; ++block) {
    map_.quotes[block] &= ~escaped_bytes(map_.backslashes[block], carry);
  }
}

const char* QuoteMap::far_quote(std::size_t block) const {
  for (; block < ByteMap::kBlocks; ++block) {
    if (map_.quotes[block] != 0) {
      return from_ + 64 * block + std::countr_zero(map_.quotes[block]);
    }
  }
  return nullptr;
}

}  // namespace dragoman::json
