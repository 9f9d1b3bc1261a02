// SPDX-License-Identifier: Apache-2.0
// UTF-8 checked in passing, 64 bytes at a time, by kernels that look at the same bytes for another
// reason. Included behind blocks_avx2.inl, inside an anonymous namespace and a region compiled for
// AVX2 and BMI.

// Knows the sequences of two and three bytes that need no look at the second one. At all others it
// gives up, and somebody has to check afterwards.
class Utf8Check {
 public:
  // Written out: GCC does not give the region's target to a constructor it makes up itself.
  Utf8Check() {}  // NOLINT(modernize-use-equals-default)

  // `inside` are the bytes that count.
  void block(const Block& block, std::uint64_t inside) {
    const auto [low, high] = block;
    rare_ = _mm256_or_si256(rare_, _mm256_or_si256(rare_lead(low), rare_lead(high)));
    const std::uint64_t foreign = mask_of(low, high) & inside;
    const std::uint64_t continuations = mask_of(continuation(low), continuation(high)) & inside;
    const std::uint64_t leads = foreign & ~continuations;
    const std::uint64_t leads_of_three = mask_of(above_df(low), above_df(high)) & foreign;
    wrong_ |= (leads << 1U | leads_of_three << 2U | expected_) ^ continuations;
    expected_ = leads >> 63U | leads_of_three >> 62U;
  }
  // The bytes that follow have to be looked at even if they are ASCII.
  bool expects_more() const { return expected_ != 0; }

  void give_up() { gave_up_ = true; }
  bool gave_up() const { return gave_up_ || _mm256_testz_si256(rare_, rare_) == 0; }
  bool bad() const { return wrong_ != 0; }  // means nothing when it gave up

 private:
  // Compared as signed bytes, 80…BF are the least of all.
  static __m256i continuation(__m256i v) { return _mm256_cmpgt_epi8(_mm256_set1_epi8(-0x40), v); }
  // E0…FF, and all of ASCII.
  static __m256i above_df(__m256i v) { return _mm256_cmpgt_epi8(v, _mm256_set1_epi8(-0x21)); }
  // Not 0 for C0 C1 E0 ED F0…FF: bytes that start nothing, four bytes, or a sequence whose second
  // byte must be looked at. Their two halves have a class in common.
  static __m256i rare_lead(__m256i v) {
    const __m256i half = _mm256_set1_epi8(0x0F);
    const __m256i by_low = _mm256_setr_epi8(7, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 4, 4,  //
                                            7, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 4, 4);
    const __m256i by_high = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 4,  //
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 4);
    const __m256i low = _mm256_shuffle_epi8(by_low, _mm256_and_si256(v, half));
    const __m256i high =
        _mm256_shuffle_epi8(by_high, _mm256_and_si256(_mm256_srli_epi16(v, 4), half));
    return _mm256_and_si256(low, high);
  }

  __m256i rare_ = _mm256_setzero_si256();
  std::uint64_t expected_ = 0;  // bytes of the next block that have to be continuations
  std::uint64_t wrong_ = 0;
  bool gave_up_ = false;
};
