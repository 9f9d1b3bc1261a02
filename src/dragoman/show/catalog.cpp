// SPDX-License-Identifier: Apache-2.0
// The formats, by hand.
#include <array>

#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/renderer.hpp"
#include "dragoman/show/terminal_renderer.hpp"
#include "dragoman/show/timeline_views.hpp"

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

std::unique_ptr<Renderer> make_renderer(Format format, const RenderOptions& options) {
  if (options.timeline) return make_timeline_renderer(format, options);
  switch (format) {
    case Format::terminal:
      break;
    case Format::html:
      return make_html_renderer(options);
    case Format::markdown:
      return make_markdown_renderer(options);
    case Format::github:
      return make_github_renderer(options);
  }
  return std::make_unique<TerminalRenderer>(options);
}

}  // namespace dragoman::show
