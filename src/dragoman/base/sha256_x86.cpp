// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/sha256_kernels.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sha,sse4.1,ssse3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("sha,sse4.1,ssse3")
#endif

namespace dragoman::sha256_kernels {
namespace {

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
void store(void* to, __m128i value) { _mm_storeu_si128(static_cast<__m128i*>(to), value); }

// The instructions want the eight words as ABEF and CDGH.
struct Halves {
  __m128i abef;
  __m128i cdgh;
};

void four_rounds(Halves& h, __m128i words, std::size_t round) {
  const __m128i keyed = _mm_add_epi32(words, load(&kRound[round]));
  h.cdgh = _mm_sha256rnds2_epu32(h.cdgh, h.abef, keyed);
  h.abef = _mm_sha256rnds2_epu32(h.abef, h.cdgh, _mm_shuffle_epi32(keyed, 0x0E));
}

void mix_block(Halves& h, const std::uint8_t* block) {
  const __m128i big_endian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
  __m128i w[4];  // GCC drops the attributes of a vector that is a template argument, and warns
  for (std::size_t i = 0; i < 4; ++i) {
    w[i] = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
    four_rounds(h, w[i], 4 * i);
  }
  for (std::size_t i = 4; i < 16; ++i) {
    // Words t..t+3 from those 16, 15, 7 and 2 places before.
    const __m128i seven_before = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
    const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven_before);
    w[i % 4] = _mm_sha256msg2_epu32(sum, w[(i + 3) % 4]);
    four_rounds(h, w[i % 4], 4 * i);
  }
}

}  // namespace

void mix_with_instructions(State& state, const std::uint8_t* blocks, std::size_t count) {
  const __m128i badc = _mm_shuffle_epi32(load(state.data()), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1B);
  Halves h{_mm_alignr_epi8(badc, efgh, 8), _mm_blend_epi16(efgh, badc, 0xF0)};
  for (; count > 0; --count, blocks += 64) {
    const Halves before = h;
    mix_block(h, blocks);
    h.abef = _mm_add_epi32(h.abef, before.abef);
    h.cdgh = _mm_add_epi32(h.cdgh, before.cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(h.abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(h.cdgh, 0xB1);
  store(state.data(), _mm_blend_epi16(feba, dchg, 0xF0));
  store(state.data() + 4, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace dragoman::sha256_kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace dragoman::sha256_kernels {

bool has_sha_instructions() {
  constexpr unsigned kSha = 1U << 29U;    // leaf 7, ebx
  constexpr unsigned kSsse3 = 1U << 9U;   // leaf 1, ecx
  constexpr unsigned kSse41 = 1U << 19U;  // leaf 1, ecx
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & (kSsse3 | kSse41)) != (kSsse3 | kSse41))
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

}  // namespace dragoman::sha256_kernels
#endif
