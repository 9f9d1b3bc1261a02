// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/text_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace dragoman::framing {
namespace kernels {
namespace {

constexpr std::array<bool, 256> make_openers() {
  std::array<bool, 256> table{};
  table['<'] = table['['] = table['`'] = table['~'] = true;
  return table;
}
constexpr std::array<bool, 256> kOpeners = make_openers();

}  // namespace

bool may_start(char first, char second) {
  switch (first) {
    case '<':
      return second == '!';
    case '[':
      return kNameInitials.find(second) != std::string_view::npos;
    case '`':
    case '~':
      return second == first;
    default:
      return false;
  }
}

bool may_start_at_end(char last) { return kOpeners[static_cast<unsigned char>(last)]; }

Look find_candidate_scalar(const char* p, const char* end) {
  Look look{end, 0, true};
  for (; p != end; ++p) {
    const auto byte = static_cast<unsigned char>(*p);
    if (kOpeners[byte] && (p + 1 == end || may_start(*p, p[1]))) {
      look.candidate = p;
      return look;
    }
    look.newlines += byte == '\n' ? 1 : 0;
    look.clean &= byte < 0x80;
  }
  return look;
}

Survey survey_scalar(std::string_view text) {
  Survey result;
  result.newlines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080U) != 0) {
      result.non_ascii = true;
      return result;
    }
  }
  for (; i < text.size(); ++i) result.non_ascii |= static_cast<unsigned char>(text[i]) >= 0x80;
  return result;
}

}  // namespace kernels

namespace {

struct Chosen {
  Look (*find_candidate)(const char*, const char*);
  Survey (*survey)(std::string_view);
};

Chosen choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0) {
    return {kernels::find_candidate_avx2, kernels::survey_avx2};
  }
#endif
  return {kernels::find_candidate_scalar, kernels::survey_scalar};
}

const Chosen& chosen() {
  static const Chosen kernels = choose();
  return kernels;
}

}  // namespace

Look find_candidate(const char* from, const char* end) {
  return chosen().find_candidate(from, end);
}
Survey survey(std::string_view text) { return chosen().survey(text); }

}  // namespace dragoman::framing
