// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/text_survey.hpp"

#include <algorithm>
#include <cstring>

#include "dragoman/base/processor.hpp"

namespace dragoman {
namespace text_kernels {
TextSurvey survey_scalar(std::string_view text) {
  TextSurvey result;
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

}  // namespace text_kernels

namespace {

using SurveyText = TextSurvey (*)(std::string_view);

SurveyText choose() {
#if defined(__x86_64__)
  if (processor::has_avx2()) {
    return text_kernels::survey_avx2;
  }
#endif
  return text_kernels::survey_scalar;
}

}  // namespace

TextSurvey survey_text(std::string_view text) {
  static const SurveyText kernel = choose();
  return kernel(text);
}

}  // namespace dragoman
