// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/quick_digest.hpp"

#include <cstring>

namespace dragoman {
namespace {

// Both halves of the product, mixed.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

}  // namespace

QuickDigest quick_digest(std::string_view text) {
  QuickDigest digest{0x243F6A8885A308D3ULL ^ text.size(), 0x13198A2E03707344ULL};
  const auto add = [&digest](std::uint64_t word) {
    digest.high = fold(digest.high ^ word, 0xA0761D6478BD642FULL);
    digest.low = fold(digest.low + word, 0xE7037ED1A0B428DBULL) ^ word;
  };
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) add(word_at(text.data() + at, 8));
  if (at < text.size()) add(word_at(text.data() + at, text.size() - at));
  return digest;
}

}  // namespace dragoman
