// SPDX-License-Identifier: Apache-2.0
// The loop inside SHA-256, as the processor can do it best. Both give the same answer; a test holds
// them to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dragoman::sha256_kernels {

using State = std::array<std::uint32_t, 8>;

extern const std::array<std::uint32_t, 64> kRound;

// Mixes `count` blocks of 64 bytes into the state.
void mix_portable(State& state, const std::uint8_t* blocks, std::size_t count);
#if defined(__x86_64__)
[[nodiscard]] bool has_sha_instructions();
void mix_with_instructions(State& state, const std::uint8_t* blocks, std::size_t count);
#endif

}  // namespace dragoman::sha256_kernels
