// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dragoman/base/sanitized.hpp"

namespace dragoman::test {
namespace {

constexpr double kEverydayShare = 0.05;

double share() {
  const char* text = std::getenv("DRAGOMAN_SCALE");
  if (text == nullptr) return kEverydayShare;
  const double value = std::strtod(text, nullptr);
  return value > 0.0 ? value : kEverydayShare;
}

}  // namespace

std::size_t scaled(std::size_t full_count) {
  const double count = std::ceil(static_cast<double>(full_count) * share());
  return std::max<std::size_t>(1, static_cast<std::size_t>(count));
}

std::size_t scaled_twice(std::size_t full_count) { return scaled(scaled(full_count)); }

std::size_t step_with_sanitizers(std::size_t step) {
  return DRAGOMAN_SANITIZED != 0 && share() < 1.0 ? step : 1;
}

}  // namespace dragoman::test
