// SPDX-License-Identifier: Apache-2.0
// What the lines of a stream have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// A program that writes JSON lines writes the same few over and over, with other words and numbers
// in them. A shape is such a line with holes where those stood. A line that was read once lends its
// shape, and the next one like it is only compared: the bytes between the holes must be the same,
// and in the holes stand strings and numbers again. It is then good JSON of the same structure, so
// everything that was found out about the first line holds for it too, at other places.
//
// Shapes that begin alike share their beginning. What can be remembered is bounded, and so is what
// learning costs on a stream whose lines never repeat.
class LineShapes {
 public:
  static constexpr std::size_t kMostHoles = 64;  // a line with more is not remembered

  // A place in every line of a shape: so far behind the beginning of that piece.
  struct Mark {
    std::uint16_t piece = 0;
    std::uint16_t offset = 0;
  };

  // A line laid over a shape.
  struct Fit {
    std::array<const char*, kMostHoles + 1> pieces;  // where the bytes between the holes begin
    std::uint64_t escaped = 0;  // one bit for each hole: a string with a backslash
    std::size_t shape = 0;      // its number; they are counted from 0
    std::size_t length = 0;     // of the line, without its newline

    [[nodiscard]] const char* at(Mark mark) const { return pieces[mark.piece] + mark.offset; }
  };

  // Lays the line at the start of `text`, which ends with it or with a newline, over the shapes.
  // False: it is like none of them, or deserves a finding.
  [[nodiscard]] bool fit(std::string_view text, Fit& fit);

  // Remembers the shape of a line that was found to be one good JSON value and fits none so far.
  // Returns its number: the next one, or 0 again when all others had to be forgotten for it; none
  // when it is not worth remembering.
  [[nodiscard]] std::optional<std::size_t> learn(std::string_view line);

  // The mark of a place in a line that was just learned, which lies in no hole.
  [[nodiscard]] Mark mark_of(const char* place) const;
  // The hole at which a string or number begins; none when it stands in every line of the shape.
  [[nodiscard]] std::optional<std::size_t> hole_at(const char* place) const;

 private:
  enum class Hole : std::uint8_t { string, number, end };

  struct Piece {  // of the line that is being learned
    const char* begin = nullptr;
    const char* end = nullptr;
    Hole hole = Hole::end;
  };
  struct Node {
    std::uint32_t text = 0;  // where its bytes begin in text_
    std::uint16_t size = 0;
    Hole hole = Hole::end;
    std::uint16_t next = 0;   // behind the hole; at the end the number of the shape
    std::uint16_t other = 0;  // what else may stand in this place
  };

  [[nodiscard]] bool cut(std::string_view line);
  [[nodiscard]] std::optional<std::size_t> remember();
  std::uint16_t add(const Piece& piece);
  [[nodiscard]] bool same(const Node& node, const Piece& piece) const;

  std::vector<Node> nodes_;  // the first is the one tried first; 0 as a link: there is none
  std::string text_;
  std::vector<Piece> pieces_;  // of the line that was learned last
  std::size_t shapes_ = 0;
  // How many more lines may be learned; grows with those that fit nothing.
  std::size_t credit_ = 64;
  std::uint64_t missed_ = 0;
};

}  // namespace dragoman
