// SPDX-License-Identifier: Apache-2.0
// The pages' order of things: what is said is put together, a tool is written when it ends, what
// its subagent did stands inside it, the verdict and the figures stand at the end. It grows as
// events come, and holds only what is open.
#pragma once

#include <memory>

#include "dragoman/show/page_writer.hpp"
#include "dragoman/show/renderer.hpp"

namespace dragoman::show {

[[nodiscard]] std::unique_ptr<Renderer> make_page_renderer(std::unique_ptr<PageWriter> writer,
                                                           const RenderOptions& options);

// One self-contained page: no script, no resource, nothing of the agent alive.
[[nodiscard]] std::unique_ptr<Renderer> make_html_renderer(const RenderOptions& options);

// GitHub's Markdown: tools in <details>, agent text that cannot leave its place.
[[nodiscard]] std::unique_ptr<Renderer> make_markdown_renderer(const RenderOptions& options);

// Workflow commands for the log of a GitHub Actions step; summary() is its job summary.
[[nodiscard]] std::unique_ptr<Renderer> make_github_renderer(const RenderOptions& options);

}  // namespace dragoman::show
