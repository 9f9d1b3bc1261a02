// SPDX-License-Identifier: Apache-2.0
// An event as a few lines for people, before any page gives it a shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/story.hpp"

namespace dragoman::show {

enum class Tone : std::uint8_t { quiet, plain, good, warning, bad };

// `label` and `mark` are our words; everything else is the agent's, as it wrote it.
struct ItemLine {
  std::string_view mark;
  std::string code;  // a path, a command, a name
  std::string text;
  std::string note;
};

struct Item {
  // Texts longer than this are cut, and say so.
  static constexpr std::size_t kMaxVerbatim = 64 * 1024;
  static constexpr std::size_t kMaxLines = 1000;

  Tone tone = Tone::plain;
  std::string_view icon;
  std::string label;
  std::string title;
  std::vector<ItemLine> lines;
  std::string verbatim;
  std::size_t left_out = 0;  // lines beyond kMaxLines

  void add(ItemLine line) {
    if (lines.size() < kMaxLines) {
      lines.push_back(std::move(line));
    } else {
      ++left_out;
    }
  }
  // Nothing where `text` is empty.
  void add_fact(std::string_view mark, std::string_view text) {
    if (!text.empty()) add({mark, {}, std::string(text), {}});
  }
};

// Every kind has an answer.
[[nodiscard]] Item describe(const Event& event, const Story::Step& step);

// `text` decoded; beyond `limit` bytes it is cut and ends with how much is missing.
[[nodiscard]] std::string shortened(json::Text text, std::size_t limit = Item::kMaxVerbatim);
// The same of what a program printed, without its colours.
[[nodiscard]] std::string printed(json::Text text, std::size_t limit = Item::kMaxVerbatim);

}  // namespace dragoman::show
