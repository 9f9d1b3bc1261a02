// SPDX-License-Identifier: Apache-2.0
// Counting lines and finding foreign bytes in text that no map covers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::framing {

// What counting lines and checking UTF-8 need to know of a stretch of text.
struct Survey {
  std::uint64_t newlines = 0;
  bool non_ascii = false;
};
[[nodiscard]] Survey survey(std::string_view text);

// The implementations behind it, chosen at run time by what the processor can do. All give the same
// answers; a test holds them to it.
namespace kernels {
Survey survey_scalar(std::string_view text);
#if defined(__x86_64__)
Survey survey_avx2(std::string_view text);
#endif
}  // namespace kernels

}  // namespace dragoman::framing
