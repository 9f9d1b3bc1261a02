// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_wxcode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/comment_opener.hpp"
#include "dragoman/dialect/kept_payload.hpp"
#include "dragoman/dialect/payload_map.hpp"

namespace dragoman {
namespace {

PayloadMap map_payload(const char* p) {
  PayloadMap map;
  bool escaped = false;
  for (std::size_t i = 0; i < json::Bits128::kBits; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const auto c = static_cast<unsigned char>(p[i]);
    const auto mark = [i, bit](json::Bits128& bits) { (i < 64 ? bits.near : bits.far) |= bit; };
    if (c == '"' && !escaped) mark(map.quotes);
    escaped = c == '\\' && !escaped;
    if (escaped) mark(map.escapes);
    if (c < 0x20 || c == '$') mark(map.odd);
    if (c >= 0x80) mark(map.foreign);
  }
  return map;
}

#include "dragoman/dialect/plain_payload.inl"
#include "dragoman/dialect/plain_wxcode.inl"

}  // namespace

PlainWxcode::Taken PlainWxcode::Kernels::read_portable(const char* at, const char* end,
                                                       const To& to) {
  return read_marker(at, end, to);
}

std::vector<PlainWxcode::Read> PlainWxcode::Kernels::usable() {
  std::vector<Read> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0) {
    all.push_back(read_avx2);
  }
#endif
  all.push_back(read_portable);
  return all;
}

}  // namespace dragoman
