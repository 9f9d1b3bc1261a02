// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "dragoman/dialect/reader.hpp"

namespace dragoman {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 3> kModes = {{
    {"default", Mode::standard},
    {"strict", Mode::strict},
    {"compat", Mode::compat},
}};

}  // namespace

std::string_view name(Mode mode) {
  for (const auto& [word, value] : kModes) {
    if (value == mode) return word;
  }
  return {};
}

std::optional<Mode> mode_named(std::string_view name) {
  for (const auto& [word, value] : kModes) {
    if (word == name) return value;
  }
  return std::nullopt;
}

}  // namespace dragoman
