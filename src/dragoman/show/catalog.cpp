// SPDX-License-Identifier: Apache-2.0
// The formats, by hand.
#include <array>

#include "dragoman/show/renderer.hpp"

namespace dragoman::show {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"terminal", "html", "markdown", "github"};

}  // namespace

std::string_view name(Format format) { return kNames[static_cast<std::size_t>(format)]; }

std::optional<Format> format_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

}  // namespace dragoman::show
