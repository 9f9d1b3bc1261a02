// SPDX-License-Identifier: Apache-2.0
// The Markdown that agents mostly write, walked without building a tree.
#pragma once

#include <string_view>

#include "dragoman/show/markdown_tree.hpp"

namespace dragoman::show {

// Walks `text` exactly as MarkdownTree would if it is nothing but headings, paragraphs, lists of
// one-line items, fenced code and rules, all of them in column 0, with no markup in their words
// but *emphasis*, **strong** and `code` that cannot be read in two ways. Everything else is
// refused: nothing is visited then, and the answer is false.
[[nodiscard]] bool walk_simple_markdown(std::string_view text, MarkdownVisitor& visitor);

// How long the fenced code is that `text` begins with; 0: none, or none that is simple.
[[nodiscard]] std::size_t simple_code_block(std::string_view text);

}  // namespace dragoman::show
