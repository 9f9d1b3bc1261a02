// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/dialect/plain_wxcode.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/comment_opener.hpp"
#include "dragoman/dialect/kept_payload.hpp"
#include "dragoman/dialect/payload_map.hpp"
#include "dragoman/json/escaped_bytes.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2")
#endif

namespace dragoman {
namespace {

#include "dragoman/base/blocks_avx2.inl"

[[gnu::always_inline]] inline __m256i odd_in(__m256i v) {
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
  return _mm256_or_si256(control, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('$')));
}
[[gnu::always_inline]] inline std::uint64_t odd_of(const Block& block) {
  return mask_of(odd_in(block.low), odd_in(block.high));
}

[[gnu::always_inline]] inline PayloadMap map_payload(const char* p) {
  const Block near(p);
  const Block far(p + Block::kSize);
  PayloadMap map;
  map.quotes = {near.equal('"'), far.equal('"')};
  map.escapes = {near.equal('\\'), far.equal('\\')};
  map.odd = {odd_of(near), odd_of(far)};
  map.foreign = {near.non_ascii(), far.non_ascii()};
  if (map.escapes.any()) {
    std::uint64_t carry = 0;
    const std::uint64_t near_escaped = json::escaped_bytes(map.escapes.near, carry);
    const std::uint64_t far_escaped = json::escaped_bytes(map.escapes.far, carry);
    map.quotes = {map.quotes.near & ~near_escaped, map.quotes.far & ~far_escaped};
    map.escapes = {map.escapes.near & ~near_escaped, map.escapes.far & ~far_escaped};
  }
  return map;
}

#include "dragoman/dialect/plain_payload.inl"
#include "dragoman/dialect/plain_wxcode.inl"

}  // namespace

PlainWxcode::Taken PlainWxcode::Kernels::read_avx2(const char* at, const char* end, const To& to) {
  return read_marker(at, end, to);
}

}  // namespace dragoman

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
