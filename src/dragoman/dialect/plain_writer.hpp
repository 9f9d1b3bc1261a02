// SPDX-License-Identifier: Apache-2.0
// Markers in plain text.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/question_context.hpp"
#include "dragoman/dialect/writer.hpp"

namespace dragoman {

// Which markers a text may hold.
enum class MarkerFamily : std::uint8_t {
  wxcode,    // WXCODE comments, [WXCODE:…] lines, and the comments below
  question,  // QUESTION, FINISHED and GOTO comments
  markers,   // bracket markers
  any,       // all of them, each event in the spelling it was read from where that is known
};

// Whether the text ends with a line, as a file should, or wherever its last event does.
enum class TextEnd : std::uint8_t { line, open };

// Writes the agent's words as they are, guarded, and markers at the start of a line. Behind a
// WXCODE comment comes its line for people, unless the agent's own text goes on with that line or
// with one of the same kind.
class PlainWriter final : public Writer {
 public:
  explicit PlainWriter(MarkerFamily family, TextEnd text_end = TextEnd::line)
      : family_(family), text_end_(text_end) {}

  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

  // Like finish(), and what comes next, from whatever source, is not taken for more of this.
  void end_block(std::string& out);

  // Whether what was written reads the same when the rest is a text of its own.
  [[nodiscard]] bool can_be_cut() const {
    return at_line_start_ && !context_ && !tail_ && blank_lines_ == 0 && !guard_.in_fence();
  }

 private:
  // What stands behind a comment that was just written.
  struct Tail {
    std::string human;  // may be empty
    bool title_follows = false;
    std::string gap;  // blank text that has come since
  };
  enum class Next : std::uint8_t { something, nothing };

  Result<Written> write_marker(const Event& event, std::string& out);
  Result<Written> write_comment(const Event& event, std::string& out);
  Result<Written> write_bracket(const Event& event, std::string& out);
  bool prefers_brackets(const Event& event) const;
  void write_text(const DisplayText& text, std::string& out);
  void take_line(std::string_view line, std::string& out);
  void give_part_of_line(std::string& out);
  void settle_context(std::string& out);
  void settle_tail(std::string_view next_line, Next next, std::string& out);
  void start_marker(std::string& out);

  MarkerFamily family_;
  TextEnd text_end_;
  GuardedText guard_;
  std::string line_;  // the unfinished last line of the text so far
  std::optional<Tail> tail_;
  std::optional<QuestionContext> context_;
  std::optional<std::int64_t> block_;  // the text block that line_ belongs to
  int blank_lines_ = 0;                // wanted before text goes on
  bool at_line_start_ = true;
  std::set<std::string, std::less<>> asked_;               // ids of questions that were written
  std::map<std::string, std::string, std::less<>> tools_;  // names by id, for results without one
};

}  // namespace dragoman
