// SPDX-License-Identifier: Apache-2.0
// Words of simple Markdown (show/simple_markdown.hpp).
#pragma once

#include <string_view>

#include "dragoman/show/markdown_tree.hpp"

namespace dragoman::show {

// Visits the inline parts of `words`, lines that neither begin nor end with a blank. False, at any
// time: they are not simple. Without a visitor it only finds that out.
[[nodiscard]] bool walk_simple_inlines(std::string_view words, MarkdownVisitor* visitor);

}  // namespace dragoman::show
