// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/progress_bar.hpp"

#include <algorithm>

namespace dragoman::show {

std::string progress_bar(double percent, std::size_t cells) {
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string bar = "[";
  for (std::size_t i = 0; i < cells; ++i) bar.append(i < full ? "\u2588" : "\u2591");
  bar.push_back(']');
  return bar;
}

std::string_view status_sign(std::string_view status) {
  if (status == "completed") return "\u2713";
  if (status == "failed") return "\u2717";
  if (status == "paused") return "\u2016";
  if (status == "pending") return "\u25CB";
  return "\u25CF";
}

}  // namespace dragoman::show
