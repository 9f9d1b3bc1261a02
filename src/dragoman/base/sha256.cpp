// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "dragoman/base/sha256_kernels.hpp"

namespace dragoman {
namespace sha256_kernels {

const std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

void mix_block(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = (std::uint32_t{block[4 * i]} << 24U) | (std::uint32_t{block[4 * i + 1]} << 16U) |
           (std::uint32_t{block[4 * i + 2]} << 8U) | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

void mix_portable(State& state, const std::uint8_t* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) mix_block(state, blocks + 64 * i);
}

}  // namespace sha256_kernels

namespace {

using Mix = void (*)(sha256_kernels::State&, const std::uint8_t*, std::size_t);

Mix choose() {
#if defined(__x86_64__)
  if (sha256_kernels::has_sha_instructions()) return sha256_kernels::mix_with_instructions;
#endif
  return sha256_kernels::mix_portable;
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  static const Mix mix = choose();
  sha256_kernels::State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  mix(state, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size() / 64);
  bytes.remove_prefix(bytes.size() / 64 * 64);
  std::array<std::uint8_t, 128> tail;
  const std::size_t blocks = bytes.size() + 9 <= 64 ? 1 : 2;
  std::memset(tail.data(), 0, 64);
  std::memset(tail.data() + 64, 0, 64);  // in two steps, or it becomes a slow instruction
  if (!bytes.empty()) std::memcpy(tail.data(), bytes.data(), bytes.size());
  tail[bytes.size()] = 0x80;
  for (std::size_t i = 0; i < 8; ++i)
    tail[64 * blocks - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  mix(state, tail.data(), blocks);

  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < 32; ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string sha256_hex(std::string_view bytes, std::size_t digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::array<std::uint8_t, 32> digest = sha256(bytes);
  std::string out(std::min(digits, 2 * digest.size()), '0');
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = kHex[i % 2 == 0 ? digest[i / 2] >> 4U : digest[i / 2] & 0xFU];
  }
  return out;
}

}  // namespace dragoman
