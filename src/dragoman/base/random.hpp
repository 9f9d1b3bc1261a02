// SPDX-License-Identifier: Apache-2.0
// Random bytes that nobody can guess.
//
// Law: no function returns without them. Where the system gives none the program says so and ends
// with exit code 125: a key made of zeros is worse than no program. So it is for the tool alone,
// and lint.layers keeps it out of the library's own sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dragoman {

void fill_random(void* to, std::size_t size);
[[nodiscard]] std::string random_bytes(std::size_t size);
[[nodiscard]] std::string random_hex(std::size_t bytes);  // two digits for each
[[nodiscard]] std::uint64_t random_number();

}  // namespace dragoman
