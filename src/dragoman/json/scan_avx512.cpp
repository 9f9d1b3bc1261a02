// SPDX-License-Identifier: Apache-2.0
// As scan_avx2.cpp, with a block in one register and comparisons that give masks. Everything that
// could emit AVX-512 instructions sits between the pragmas, in an anonymous namespace.
#include "dragoman/json/escaped_bytes.hpp"
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,bmi,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,bmi,bmi2")
#endif

namespace dragoman::json::kernels {
namespace {

__m512i all(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
// With a mask: GCC 12 takes the intrinsic without one for a use of something uninitialised.
__m512i table(__m128i half) { return _mm512_maskz_broadcast_i32x4(0xFFFF, half); }

struct Block {
  static constexpr std::ptrdiff_t kSize = 64;

  __m512i bytes;

  explicit Block(const char* p) : bytes(_mm512_loadu_si512(p)) {}

  std::uint64_t equal(char byte) const {
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
  }
  std::uint64_t non_ascii() const { return _mm512_movepi8_mask(bytes); }
};

// With the second bit turned over, the quote is the first byte behind the control characters.
std::uint64_t stops_in(const Block& block) {
  return _mm512_cmple_epu8_mask(_mm512_xor_si512(block.bytes, all('"' ^ 0x20)), all(0x20));
}

// As in scan_avx2.cpp, which says why.
std::uint64_t common_escapes_in(const Block& block) {
  const __m512i by_low =
      table(_mm_setr_epi8(1, 0, '"', 0, 't', 0, 'f', 0, 0, 0, 0, 0, '\\', 0, 'n', '/'));
  return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(by_low, block.bytes), block.bytes) |
         block.equal('r');
}
bool is_foreign(const Block& block) { return block.non_ascii() != 0; }

// As Utf8Check of utf8_check_avx2.inl.
class Utf8Check {
 public:
  // Written out: GCC does not give the region's target to a constructor it makes up itself.
  Utf8Check() {}  // NOLINT(modernize-use-equals-default)

  void block(const Block& block, std::uint64_t inside) {
    const __m512i v = block.bytes;
    rare_ |= rare_leads(v);
    const std::uint64_t foreign = block.non_ascii() & inside;
    // Compared as signed bytes, 80…BF are the least of all.
    const std::uint64_t continuations = _mm512_cmplt_epi8_mask(v, all(0xC0)) & inside;
    const std::uint64_t leads = foreign & ~continuations;
    const std::uint64_t leads_of_three = _mm512_cmpgt_epi8_mask(v, all(0xDF)) & foreign;
    wrong_ |= (leads << 1U | leads_of_three << 2U | expected_) ^ continuations;
    expected_ = leads >> 63U | leads_of_three >> 62U;
  }
  bool expects_more() const { return expected_ != 0; }

  void give_up() { gave_up_ = true; }
  bool gave_up() const { return gave_up_ || rare_ != 0; }
  bool bad() const { return wrong_ != 0; }  // means nothing when it gave up

 private:
  // C0 C1 E0 ED F0…FF.
  static std::uint64_t rare_leads(__m512i v) {
    const __m512i by_low = table(_mm_setr_epi8(7, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 4, 4));
    const __m512i by_high = table(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 4));
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(v, 4), all(0x0F));
    return _mm512_test_epi8_mask(_mm512_shuffle_epi8(by_low, _mm512_and_si512(v, all(0x0F))),
                                 _mm512_shuffle_epi8(by_high, high));
  }

  std::uint64_t rare_ = 0;
  std::uint64_t expected_ = 0;  // bytes of the next block that have to be continuations
  std::uint64_t wrong_ = 0;
  bool gave_up_ = false;
};

#include "dragoman/json/scan_blocks.inl"

}  // namespace

StringEnd scan_string_avx512(const char* from, const char* end) {
  return scan_string_blocks(from, end);
}

}  // namespace dragoman::json::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
