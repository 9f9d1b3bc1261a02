// SPDX-License-Identifier: Apache-2.0
// UTF-8 checked by look-ups in utf8_faults.hpp, 32 bytes at a time, each step by itself: it looks
// at the three bytes before its own instead of carrying anything over, so the processor works on
// several at once. Included behind blocks_avx2.inl, inside an anonymous namespace and a region
// compiled for AVX2.
class Utf8Lookup {
 public:
  // Written out: GCC does not give the region's target to a constructor it makes up itself.
  Utf8Lookup() {}  // NOLINT(modernize-use-equals-default)

  // Bytes at `p`; the three before them can be read. That a sequence goes on behind them is no
  // fault.
  [[gnu::always_inline]] void step(const char* p) {
    const __m256i v = load(p);
    const __m256i before = load(p - 1);
    const __m256i faults = _mm256_and_si256(
        _mm256_and_si256(_mm256_shuffle_epi8(table(utf8_faults::kFirstHigh), high_half(before)),
                         _mm256_shuffle_epi8(table(utf8_faults::kFirstLow), low_half(before))),
        _mm256_shuffle_epi8(table(utf8_faults::kSecondHigh), high_half(v)));
    // Two continuations in a row are a fault, unless this is the third or fourth byte of something.
    const __m256i third = _mm256_subs_epu8(load(p - 2), all(utf8_faults::kLeadOfThree));
    const __m256i fourth = _mm256_subs_epu8(load(p - 3), all(utf8_faults::kLeadOfFour));
    const __m256i later = _mm256_and_si256(_mm256_or_si256(third, fourth), all(0x80));
    wrong_ = _mm256_or_si256(wrong_, _mm256_xor_si256(later, faults));
  }
  // The same as a fault when nothing but ASCII follows the 32 bytes at `p`. `follows` is 0 then,
  // and -1 otherwise.
  [[gnu::always_inline]] void end_of_step(const char* p, char follows) {
    static constexpr auto kMost = utf8_faults::largest_ends<32>();
    const __m256i open =
        _mm256_subs_epu8(load(p), load(reinterpret_cast<const char*>(kMost.data())));
    wrong_ = _mm256_or_si256(wrong_, _mm256_andnot_si256(_mm256_set1_epi8(follows), open));
  }
  bool bad() const { return _mm256_testz_si256(wrong_, wrong_) == 0; }

 private:
  static __m256i all(std::uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
  static __m256i table(const utf8_faults::Halves& half) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(half.data())));
  }
  static __m256i low_half(__m256i v) { return _mm256_and_si256(v, all(0x0F)); }
  static __m256i high_half(__m256i v) { return low_half(_mm256_srli_epi16(v, 4)); }

  __m256i wrong_ = _mm256_setzero_si256();
};
