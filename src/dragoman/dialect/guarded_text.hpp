// SPDX-License-Identifier: Apache-2.0
// Text that stays text, whatever is in it.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/framing/block_structure.hpp"

namespace dragoman {

// Copies lines of display text and breaks up what a reader would take for a marker:
//
//   <!-- WXCODE:  <!--QUESTION:  <!-- FINISHED  <!-- GOTO:   the "<" becomes "&lt;"
//   [PROGRESS], [WXCODE:…], … at the start of a line         the "[" becomes "&#91;"
//
// also inside fences and quotes, because the documents' own parsers do not know about those. A
// Markdown renderer shows the original characters, but in fences and code spans the references.
// Guarding twice changes nothing more.
class GuardedText {
 public:
  // Appends one line, with its newline unless it is the last of its text.
  void line(std::string_view line, std::string& out);

  // A marker comes next, at the start of a line. A fence that text opened would quote it: ends
  // that, if there is one.
  void close(std::string& out);
  [[nodiscard]] bool in_fence() const { return blocks_.in_fence(); }

 private:
  bool started_ = false;  // something was written
  framing::BlockStructure blocks_;
  bool after_opener_ = false;  // a "<!--" with nothing but white space behind it so far
};

// A value inside a marker line or a line for people: on one line, comment markers broken up. The
// caller puts something in front of it, or guards the start of the line itself.
[[nodiscard]] std::string guarded_value(std::string_view value);

// The same for a value that starts a line: bracket markers and fences are broken up too.
[[nodiscard]] std::string guarded_line(std::string_view value);

// The same for one line of a longer value: its indentation stays. Empty when the line is blank.
[[nodiscard]] std::string guarded_body_line(std::string_view line);

}  // namespace dragoman
