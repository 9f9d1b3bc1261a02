// SPDX-License-Identifier: Apache-2.0
// Lines of Claude Code that are like earlier ones, read without taking them apart again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dragoman/dialect/claude_line.hpp"
#include "dragoman/dialect/line_shapes.hpp"

namespace dragoman {

class ClaudeShapes {
 public:
  // Lines are read into `line`, which must live as long.
  explicit ClaudeShapes(ClaudeLine& line) : line_(line) {}
  ClaudeShapes(const ClaudeShapes&) = delete;
  ClaudeShapes& operator=(const ClaudeShapes&) = delete;

  // Reads the line at the start of `text`, which ends with it or with a newline, as
  // read_claude_line would. Returns how long it is, without its newline; 0 when it is like no line
  // that was learned or deserves a finding, and then the contents of the line mean nothing.
  [[nodiscard]] std::size_t read(std::string_view text);

  // read_claude_line has read `text` without fault into the line.
  void learn(std::string_view text);

 private:
  using Mark = LineShapes::Mark;

  struct Place {  // of a value in every line of a shape
    Mark begin;
    Mark end;
    json::Kind kind = json::Kind::null_;
    std::uint8_t hole = 0;  // of a string: where it says whether there is a backslash
    void put(const LineShapes::Fit& fit, json::Value& value) const;
  };
  struct Field {
    json::Value* value = nullptr;
    Place place;
  };
  struct BlockField {
    std::size_t block = 0;
    json::Value ClaudeBlock::*member = nullptr;
    Place place;
  };
  struct Shape {
    std::vector<Field> fields;
    std::vector<BlockField> block_fields;
    std::size_t set_count = 0;  // that many of the fields belong into ClaudeLine::set
    std::size_t blocks = 0;
    bool has_message = false;
    bool message_set = false;
    bool message_usage = false;
    bool usage = false;
    bool event = false;    // is an object
    bool request = false;  // is an object
    bool usable = true;
  };

  void prepare(const Shape& shape);
  [[nodiscard]] Shape description() const;
  [[nodiscard]] Place place_of(const json::Value& value) const;

  ClaudeLine& line_;
  LineShapes shapes_;
  std::vector<Shape> known_;  // by their numbers
  LineShapes::Fit fit_;
};

}  // namespace dragoman
