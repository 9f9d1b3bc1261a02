// SPDX-License-Identifier: Apache-2.0
// Whether a place in Markdown that comes in pieces is code or a quotation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dragoman/framing/block_structure.hpp"

namespace dragoman::framing {

// Lags behind until it is asked about a place: most of what came since is passed over then, because
// the blocks of CommonMark begin anew at nearly every paragraph. A fence that stands in no list and
// no quotation may not be passed over: fence() is told of each line that may begin or end one.
class CodeFinder {
 public:
  using Line = BlockStructure::Line;

  void start();

  // Goes over `text`, which follows what it has gone over.
  void advance(std::string_view text);
  // Goes over a marker. A line end in it ends no line.
  void skip(std::string_view marker);

  // What the line here is, when the next byte is not blank. Bytes of it that follow change nothing.
  [[nodiscard]] Line here();

  // `rest` is what follows, up to the line end or kLineHead + 1 bytes. When a fence opens or closes
  // with this line, it belongs to the fence from now on.
  [[nodiscard]] BlockStructure::Fence fence(std::string_view rest);
  // The same for a line that begins here, wherever this has gone to: one that starts with a fence
  // in the first column ends everything but a fence that does. When a fence opens or closes, this
  // is where it has gone to.
  [[nodiscard]] BlockStructure::Fence outer_fence(std::string_view line);

  [[nodiscard]] bool in_outer_fence() const { return blocks_.in_outer_fence(); }
  // Whether a fence is open at the end of the text, which is here.
  [[nodiscard]] bool ends_in_fence();

 private:
  static constexpr std::size_t kLongestPending = 4096;

  void go_over(std::string_view text);
  void catch_up();
  void belongs_to_fence();
  void take(std::string_view line);
  void add(std::string_view part);
  void end_line();

  BlockStructure blocks_;  // up to the line that we are in, or with it when it is taken
  bool taken_ = false;
  bool known_ = false;  // line_ holds
  bool words_ = false;  // behind head_
  Line line_;
  std::string head_;     // of the line that we are in
  std::string pending_;  // came since
};

}  // namespace dragoman::framing
