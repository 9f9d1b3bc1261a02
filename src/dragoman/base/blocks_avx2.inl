// SPDX-License-Identifier: Apache-2.0
// 64 bytes of input and masks of them, for the kernels that look at text. Included inside an
// anonymous namespace and a region compiled for AVX2: nothing of it may be shared by the linker.

// Bit i stands for byte i of the 64.
inline std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32U;
}

inline __m256i load(const char* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

struct Block {
  static constexpr std::ptrdiff_t kSize = 64;

  __m256i low;
  __m256i high;

  explicit Block(const char* p) : low(load(p)), high(load(p + 32)) {}
  Block(__m256i low_half, __m256i high_half) : low(low_half), high(high_half) {}

  std::uint64_t equal(char byte) const {
    const __m256i wanted = _mm256_set1_epi8(byte);
    return mask_of(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  }
  std::uint64_t non_ascii() const { return mask_of(low, high); }
};
