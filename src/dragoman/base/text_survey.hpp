// SPDX-License-Identifier: Apache-2.0
// Counting lines and finding bytes above ASCII.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman {

// What counting lines and checking UTF-8 need to know of a stretch of text.
struct TextSurvey {
  std::uint64_t newlines = 0;
  bool non_ascii = false;
};
[[nodiscard]] TextSurvey survey_text(std::string_view text);

// The implementations behind it, chosen at run time by what the processor can do. All give the same
// answers; a test holds them to it.
namespace text_kernels {
TextSurvey survey_scalar(std::string_view text);
#if defined(__x86_64__)
TextSurvey survey_avx2(std::string_view text);
#endif
}  // namespace text_kernels

}  // namespace dragoman
