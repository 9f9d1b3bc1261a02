// SPDX-License-Identifier: Apache-2.0
// UTF-8 checked in passing, 64 bytes at a time, by kernels that look at the same bytes for another
// reason. Included inside an anonymous namespace and a region compiled for AVX2 and BMI.

// Bit i stands for byte i of the 64.
inline std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32U;
}

// Knows the sequences of two and three bytes that need no look at the second one. At all others it
// gives up, and somebody has to check afterwards.
class Utf8Check {
 public:
  // `inside` are the bytes that count.
  void block(__m256i low, __m256i high, std::uint64_t inside) {
    if (mask_of(rare_lead(low), rare_lead(high)) != 0) gave_up_ = true;
    const std::uint64_t leads = at_least(low, high, 0xC0) & inside;
    const std::uint64_t leads_of_three = at_least(low, high, 0xE0) & inside;
    const std::uint64_t continuations = mask_of(low, high) & inside & ~leads;
    bad_ |= (leads << 1U | leads_of_three << 2U | expected_) != continuations;
    expected_ = leads >> 63U | leads_of_three >> 62U;
  }
  // The bytes that follow have to be looked at even if they are ASCII.
  bool expects_more() const { return expected_ != 0; }

  void give_up() { gave_up_ = true; }
  bool gave_up() const { return gave_up_; }
  bool bad() const { return bad_; }  // means nothing when it gave up

 private:
  static std::uint64_t at_least(__m256i low, __m256i high, int byte) {
    const __m256i least = _mm256_set1_epi8(static_cast<char>(byte));
    return mask_of(_mm256_cmpeq_epi8(_mm256_max_epu8(low, least), low),
                   _mm256_cmpeq_epi8(_mm256_max_epu8(high, least), high));
  }
  // C0 C1 E0 ED F0..FF: bytes that start nothing, four bytes, or a sequence whose second byte must
  // be looked at.
  static __m256i rare_lead(__m256i v) {
    const __m256i two =
        _mm256_cmpeq_epi8(_mm256_and_si256(v, _mm256_set1_epi8(-2)), _mm256_set1_epi8(-0x40));
    const __m256i overlong = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(-0x20));
    const __m256i surrogate = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(-0x13));
    const __m256i four = _mm256_cmpeq_epi8(_mm256_max_epu8(v, _mm256_set1_epi8(-0x10)), v);
    return _mm256_or_si256(_mm256_or_si256(two, overlong), _mm256_or_si256(surrogate, four));
  }

  std::uint64_t expected_ = 0;  // bytes of the next block that have to be continuations
  bool bad_ = false;
  bool gave_up_ = false;
};
