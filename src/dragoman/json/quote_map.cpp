// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/quote_map.hpp"

#include <algorithm>

#include "dragoman/json/escaped_bytes.hpp"

namespace dragoman::json {
namespace kernels {

void map_bytes_portable(const char* p, char wary, ByteMap& map) {
  map = {};
  map.backslash = map.odd = map.foreign = ByteMap::kBytes;
  for (std::size_t i = 0; i < ByteMap::kBytes; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const auto c = static_cast<unsigned char>(p[i]);
    if (c == '"') map.quotes[i / 64] |= bit;
    if (c == '\\') {
      map.backslashes[i / 64] |= bit;
      map.backslash = std::min(map.backslash, i);
    }
    if (c < 0x20 || p[i] == wary) map.odd = std::min(map.odd, i);
    if (c >= 0x80) map.foreign = std::min(map.foreign, i);
  }
  std::uint64_t carry = 0;
  for (std::size_t block = 0; block < ByteMap::kBlocks; ++block) {
    map.quotes[block] &= ~escaped_bytes(map.backslashes[block], carry);
  }
}

}  // namespace kernels

namespace {

using MapBytes = void (*)(const char*, char, ByteMap&);

MapBytes choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0) {
    return kernels::map_bytes_avx2;
  }
#endif
  return kernels::map_bytes_portable;
}

}  // namespace

QuoteMap::QuoteMap() : kernel_(choose()) {}

}  // namespace dragoman::json
