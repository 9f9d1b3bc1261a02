// SPDX-License-Identifier: Apache-2.0
// A timeline as text for a terminal, as SVG inside the page, as a Markdown table.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "dragoman/show/renderer.hpp"
#include "dragoman/show/timeline.hpp"

namespace dragoman::show {

// A bar shows no more than this many rows; the figures are of all.
inline constexpr std::size_t kMaxTimelineRows = 400;

void append_timeline_text(std::string& out, const Timeline& timeline, std::size_t width);
// `number` makes the drawing's name its own where a page has several.
void append_timeline_svg(std::string& out, const Timeline& timeline, std::size_t number);
void append_timeline_markdown(std::string& out, const Timeline& timeline);

// Shows the timeline of each run in place of what it said. For github the log has the text, the
// summary the table.
[[nodiscard]] std::unique_ptr<Renderer> make_timeline_renderer(Format format,
                                                               const RenderOptions& options);

}  // namespace dragoman::show
