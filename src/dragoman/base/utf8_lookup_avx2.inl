// SPDX-License-Identifier: Apache-2.0
// UTF-8 checked by look-ups, 32 bytes at a time, each step by itself: it looks at the three bytes
// before its own instead of carrying anything over, so the processor works on several at once.
// Included behind blocks_avx2.inl, inside an anonymous namespace and a region compiled for AVX2.
//
// The method is Keiser and Lemire's, "Validating UTF-8 In Less Than One Instruction Per Byte": each
// pair of neighbours has a class of faults in common or it has none.
class Utf8Lookup {
 public:
  // Written out: GCC does not give the region's target to a constructor it makes up itself.
  Utf8Lookup() {}  // NOLINT(modernize-use-equals-default)

  // Bytes at `p`; the three before them can be read. That a sequence goes on behind them is no
  // fault.
  [[gnu::always_inline]] void step(const char* p) {
    const __m256i v = load(p);
    const __m256i before = load(p - 1);
    const __m256i faults =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_high(), high_half(before)),
                                          _mm256_shuffle_epi8(first_low(), low_half(before))),
                         _mm256_shuffle_epi8(second_high(), high_half(v)));
    // Two continuations in a row are a fault, unless this is the third or fourth byte of something.
    const __m256i third = _mm256_subs_epu8(load(p - 2), _mm256_set1_epi8(0xE0 - 0x80));
    const __m256i fourth = _mm256_subs_epu8(load(p - 3), _mm256_set1_epi8(0xF0 - 0x80));
    const __m256i later = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(-0x80));
    wrong_ = _mm256_or_si256(wrong_, _mm256_xor_si256(later, faults));
  }
  // The same as a fault when nothing but ASCII follows the 32 bytes at `p`. `follows` is 0 then,
  // and -1 otherwise.
  [[gnu::always_inline]] void end_of_step(const char* p, char follows) {
    const __m256i most =
        _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -0x11, -0x21, -0x41);
    const __m256i open = _mm256_subs_epu8(load(p), most);
    wrong_ = _mm256_or_si256(wrong_, _mm256_andnot_si256(_mm256_set1_epi8(follows), open));
  }
  bool bad() const { return _mm256_testz_si256(wrong_, wrong_) == 0; }

 private:
  // Classes of faults, a bit each.
  static constexpr std::uint8_t kTooShort = 1U << 0U;      // a lead without its continuation
  static constexpr std::uint8_t kTooLong = 1U << 1U;       // a continuation behind ASCII
  static constexpr std::uint8_t kOverlong3 = 1U << 2U;     // E0 80…9F
  static constexpr std::uint8_t kTooLarge = 1U << 3U;      // F4 90…, F5…
  static constexpr std::uint8_t kSurrogate = 1U << 4U;     // ED A0…
  static constexpr std::uint8_t kOverlong2 = 1U << 5U;     // C0, C1
  static constexpr std::uint8_t kTooLarge1000 = 1U << 6U;  // F5… 80…8F
  static constexpr std::uint8_t kOverlong4 = 1U << 6U;     // F0 80…8F
  static constexpr std::uint8_t kTwoConts = 1U << 7U;
  static constexpr std::uint8_t kCarry = kTooShort | kTooLong | kTwoConts;

  static __m256i table(const std::array<std::uint8_t, 16>& half) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(half.data())));
  }
  static __m256i low_half(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi8(0x0F)); }
  static __m256i high_half(__m256i v) { return low_half(_mm256_srli_epi16(v, 4)); }

  static constexpr std::array<std::uint8_t, 16> kFirstHigh = {
      kTooLong,
      kTooLong,
      kTooLong,
      kTooLong,
      kTooLong,
      kTooLong,
      kTooLong,
      kTooLong,
      kTwoConts,
      kTwoConts,
      kTwoConts,
      kTwoConts,
      kTooShort | kOverlong2,
      kTooShort,
      kTooShort | kOverlong3 | kSurrogate,
      kTooShort | kTooLarge | kTooLarge1000 | kOverlong4};
  static constexpr std::uint8_t kLarge = kCarry | kTooLarge | kTooLarge1000;
  static constexpr std::array<std::uint8_t, 16> kFirstLow = {
      kCarry | kOverlong3 | kOverlong2 | kOverlong4,
      kCarry | kOverlong2,
      kCarry,
      kCarry,
      kCarry | kTooLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge,
      kLarge | kSurrogate,
      kLarge,
      kLarge};
  static constexpr std::uint8_t kCont = kTooLong | kOverlong2 | kTwoConts;
  static constexpr std::array<std::uint8_t, 16> kSecondHigh = {
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort,
      kCont | kOverlong3 | kTooLarge1000 | kOverlong4,
      kCont | kOverlong3 | kTooLarge,
      kCont | kSurrogate | kTooLarge,
      kCont | kSurrogate | kTooLarge,
      kTooShort,
      kTooShort,
      kTooShort,
      kTooShort};
  static __m256i first_high() { return table(kFirstHigh); }
  static __m256i first_low() { return table(kFirstLow); }
  static __m256i second_high() { return table(kSecondHigh); }

  __m256i wrong_ = _mm256_setzero_si256();
};
