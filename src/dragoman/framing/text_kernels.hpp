// SPDX-License-Identifier: Apache-2.0
// The two loops that every byte of plain text goes through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::framing {

// What looking for the next candidate has found, and noticed on the way there.
struct Look {
  const char* candidate = nullptr;  // or the end
  std::uint64_t newlines = 0;       // before it
  bool clean = false;               // what lies before it is UTF-8; false: perhaps
};

// The first place where something with a meaning may start, or `end`:
//   "<!"  a comment        "[X"  a bracket marker, X the first letter of a known name
//   "``"  "~~"  a fence
// A last byte that may begin one of these counts too: what follows has not been seen yet.
[[nodiscard]] Look find_candidate(const char* from, const char* end);

// What counting lines and checking UTF-8 need to know of a stretch of text.
struct Survey {
  std::uint64_t newlines = 0;
  bool non_ascii = false;
};
[[nodiscard]] Survey survey(std::string_view text);

// The first letters of the bracket names find_candidate stops at.
inline constexpr std::string_view kNameInitials = "BCDFGLNPQTW";

// The implementations behind the two, chosen at run time by what the processor can do. All give the
// same answers; a test holds them to it.
namespace kernels {
// Whether something with a meaning may start with these bytes, or with a last one.
[[nodiscard]] bool may_start(char first, char second);
[[nodiscard]] bool may_start_at_end(char last);
Look find_candidate_scalar(const char* from, const char* end);
Survey survey_scalar(std::string_view text);
#if defined(__x86_64__)
Look find_candidate_avx2(const char* from, const char* end);
Survey survey_avx2(std::string_view text);
#endif
}  // namespace kernels

}  // namespace dragoman::framing
