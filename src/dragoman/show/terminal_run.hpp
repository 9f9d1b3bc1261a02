// SPDX-License-Identifier: Apache-2.0
// What the terminal renderer knows about one run. Only its own sources see this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dragoman/event/keep.hpp"
#include "dragoman/show/last_block.hpp"
#include "dragoman/show/said.hpp"
#include "dragoman/show/terminal_renderer.hpp"

namespace dragoman::show {

// Text that was shown while it was still being written.
struct Fragments {
  // Beyond this the complete text has to be waited for.
  static constexpr std::size_t kMost = 1024 * 1024;

  std::optional<std::int64_t> block;
  std::string text;       // what was taken, from the start of the block
  std::size_t drawn = 0;  // how much of it is on the screen
  bool stopped = false;   // a marker may begin here: only the complete text tells

  void clear() {
    block.reset();
    text.clear();
    drawn = 0;
    stopped = false;
  }
};

struct TerminalRenderer::Run {
  explicit Run(Sheet& sheet) : text(sheet), fragment_text(sheet) {}

  std::string label;
  Ink label_ink = Ink::plain;
  std::size_t label_columns = 0;
  std::vector<Margin> margins;  // by depth
  bool begun = false;

  Story story;
  LastBlock block;  // as it was shown
  EchoFilter echo;
  TextFlow text;
  std::unique_ptr<EventList> deferred;  // reports about text that is not complete yet
  TextFlow fragment_text;
  Fragments fragments;
  bool markdown = false;  // a WXCODE marker was seen: what surrounds it is Markdown
  Said said;
  std::optional<std::int64_t> speaking;  // the block of the last words
  std::optional<RichText> turn;          // the line of the turn that has just ended
  std::string last_failure;              // the message of the last error card
  std::string agent;                     // whose lines were written last; empty: the main thread
  std::uint32_t depth = 0;
  std::unordered_set<std::uint64_t> announced;  // open calls whose start was written
};

// "45ms", "8.1s", "2m 05s", "1h 02m"
void append_duration(std::string& out, double milliseconds);
// "1,234", "12.3k", "1.2M"
void append_count(std::string& out, std::int64_t value);
// "$0.0041", "$12.50"
void append_cost(std::string& out, double dollars);
// "1.2k in (800 cached) · 130 out · $0.0041"; nothing for an empty one
[[nodiscard]] std::string describe(const RunUsage& usage);

}  // namespace dragoman::show
