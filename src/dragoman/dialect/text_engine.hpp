// SPDX-License-Identifier: Apache-2.0
// The one reader of text: markers of every family, and the words between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/bracket_block.hpp"
#include "dragoman/dialect/comment_reader.hpp"
#include "dragoman/dialect/finding.hpp"
#include "dragoman/dialect/line_context.hpp"
#include "dragoman/dialect/plain_block.hpp"
#include "dragoman/dialect/plain_line.hpp"
#include "dragoman/dialect/plain_wxcode.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/dialect/question_payload.hpp"
#include "dragoman/dialect/quoted.hpp"
#include "dragoman/dialect/text_emitter.hpp"
#include "dragoman/dialect/wxcode_fields.hpp"
#include "dragoman/framing/code_finder.hpp"
#include "dragoman/framing/text_index.hpp"
#include "dragoman/json/flat_object.hpp"

namespace dragoman {

// Works on a window of the text. read() decides what it can, gives it out and returns how many
// bytes it is done with; the caller shows the rest again with more behind it. What a held marker
// has already been through is remembered, so a window that grows byte by byte is not read over and
// over.
//
// At the start of each call the engine is in one of four states: in running text, inside a comment
// marker, at a bracket marker line, or between the lines of a bracket block.
class TextEngine {
 public:
  TextEngine(const ReaderOptions& options, QuestionIds& ids);

  void start_stream(Stream stream);
  void start_block(const CarriedBlock& block);

  // `final`: nothing follows; everything is given out. Behind `enough` bytes it may stop where a
  // marker ends: somebody else has the rest too, and will show it where it can be read faster.
  [[nodiscard]] std::size_t read(std::string_view window, bool final, EventSink& out,
                                 std::size_t enough = kHeld);
  // Gives out an open bracket block without closing it, and without remarks about it.
  void idle(EventSink& out);

  [[nodiscard]] std::uint64_t lines_begun() const { return emitter_.lines_begun(); }
  // What has been met so far: text until the first marker.
  [[nodiscard]] Dialect label() const { return label_; }

 private:
  enum class State : std::uint8_t { text, comment, bracket_line, block };

  // Each goes on at at_ and moves it. False: more bytes are needed.
  bool read_text();
  bool read_comment();
  bool read_bracket_line();
  bool read_block();

  // A candidate at window offset `place`. They return where to go on looking, or kHeld.
  std::size_t at_comment(std::size_t place);
  std::size_t at_bracket(std::size_t place);
  std::size_t at_fence(std::size_t place);
  std::size_t accept_bracket(std::size_t place, const BracketName& name, const LineContext& line);
  std::size_t quote_bracket(std::size_t place, Dialect dialect, Quoted why);
  void note_glued(std::size_t place, const BracketName& name, const LineContext& line);
  // Markers that stand plainly at the start of a line and are all in view, one after the other.
  // They return where the last of them ends, or `place` when there is none.
  std::size_t take_plain_comments(std::size_t place);
  std::size_t take_plain_lines(std::size_t place);
  [[nodiscard]] bool knows_plain_blocks() const;
  [[nodiscard]] bool plainly_at_line_start(std::size_t place) const;
  [[nodiscard]] bool is_utf8(std::string_view seen) const;  // a part of the window
  void take_whole_comment(std::size_t place, const CommentOpener& opener, Quoted quoted);

  void begin_comment(std::size_t place, const CommentOpener& opener, Quoted quoted);
  void demote_comment();
  void end_comment(std::string_view text);
  // Whether a marker's bytes may hold line ends.
  enum class Newlines : std::uint8_t { none, perhaps };
  bool take_plain_wxcode(std::size_t place, const CommentOpener& opener, Quoted quoted);
  void begin_marker(Dialect dialect, std::size_t length, Newlines newlines);
  void emit_wxcode(std::string_view text, WxcodeMarker& marker);
  void emit_questions(std::string_view text);
  [[nodiscard]] std::span<const std::string_view> words_before(std::uint64_t position);
  // Gives out a marker's event and its findings; in strict mode findings about form make it
  // malformed.
  void emit_marker(Dialect dialect, TextEmitter::Place at, std::uint64_t length,
                   const Payload& payload, std::string_view raw, std::string_view type);
  void emit_findings(Dialect dialect, TextEmitter::Place at, std::uint64_t length);
  // The finding that makes the marker malformed; null: none does.
  [[nodiscard]] const Finding* marker_fault() const;

  void open_block(std::string_view line, std::size_t lead, std::size_t next);
  void close_block();
  // The block so far as an event; what there is to say about it is in findings_.
  [[nodiscard]] Payload read_block_lines();
  [[nodiscard]] Dialect block_dialect() const;
  void record_block();
  // Looks for markers in a line of a block, behind its first `from` bytes.
  void look_inside(std::string_view line, std::size_t from, TextEmitter::Place start);
  void give_inside();
  void demote_line(std::size_t line_start);
  [[nodiscard]] bool starts_marker(std::string_view line) const;

  [[nodiscard]] LineContext context_at(std::size_t place);
  // Whether what is quoted has no effect here.
  [[nodiscard]] bool knows_quotes() const { return options_.mode != Mode::compat && !report_only_; }
  framing::CodeFinder& code_at(std::size_t place);
  void skip_in_code(std::size_t place, std::size_t length);
  [[nodiscard]] Quoted quoted_at(std::size_t place, const LineContext& line, bool comment);
  [[nodiscard]] Quoted quoted_inside(const LineContext& line, bool comment) const;
  // How much of the first `limit` bytes may be given out: not half a character, and not the blanks
  // that may turn out to stand before a marker.
  [[nodiscard]] std::size_t hold_position(std::size_t limit);
  [[nodiscard]] std::uint64_t most_blanks() const;
  [[nodiscard]] std::uint64_t position(std::size_t place) const { return start_ + place; }
  [[nodiscard]] bool is_echo(std::string_view line) const;
  [[nodiscard]] Level form_level() const;
  [[nodiscard]] std::size_t find_line_end(std::size_t from);
  void raise_label(Dialect dialect);
  bool read_bom();
  void reserve();
  void map_text();
  [[nodiscard]] std::size_t take_unmapped();
  [[nodiscard]] std::size_t next_candidate();
  void go_on_with_text(std::size_t at);
  void finish();

  static constexpr std::size_t kHeld = static_cast<std::size_t>(-1);

  const ReaderOptions& options_;
  QuestionIds& ids_;
  std::unordered_set<std::string> prompt_lines_;
  framing::TextIndex index_;  // of a slice of the window
  TextEmitter emitter_;
  Arena arena_;
  Findings findings_;
  WxcodeScratch wxcode_;
  OpenTools tools_;
  QuestionPayload questions_;
  PlainWxcode plain_;
  PlainLine plain_line_;
  PlainBlock plain_block_;

  // The call in progress.
  std::string_view window_;
  std::uint64_t start_ = 0;  // position of window_[0] in the text
  bool final_ = false;
  std::size_t enough_ = kHeld;
  std::size_t at_ = 0;       // where state_ goes on
  std::size_t looked_ = 0;   // text: candidates before it are settled
  std::size_t hold_at_ = 0;  // text: what has to wait for more bytes starts here
  std::size_t bom_ = 0;      // bytes of a byte order mark at the start of this window
  LineContext context_;      // at window offset context_at_
  std::size_t context_at_ = 0;

  // Between calls.
  LineContext begin_context_;  // at the start of the window
  State state_ = State::text;
  bool report_only_ = false;
  framing::CodeFinder code_;
  std::uint64_t code_position_ = 0;                // up to where it has gone
  std::optional<TextEmitter::Place> fence_place_;  // of one that may still be open
  CommentReader comment_;
  json::FlatObject flat_;           // of the marker being taken
  std::size_t comment_length_ = 0;  // of the marker just taken whole
  TextEmitter::Place comment_place_;
  Quoted comment_quoted_ = Quoted::no;
  std::size_t line_searched_ = 0;  // window offset up to which there is no newline
  BracketBlock block_;
  TextEmitter::Place block_place_;
  std::uint64_t block_end_ = 0;       // behind the last line taken
  std::uint64_t block_recorded_ = 0;  // up to where the block's record was reported
  std::string block_raw_;             // the lines as they came
  std::string block_id_;              // of a question that was already given out
  // Markers in the lines of the block: its words, without effect, and reported behind it.
  struct Inside {
    Dialect dialect = Dialect::markers;
    TextEmitter::Place at;
    std::size_t length = 0;
    Level level = Level::warning;
    Quoted quoted = Quoted::no;
    std::string raw;             // of a quoted one
    std::string_view near_miss;  // what is said of a misspelled one; empty: it is a marker
  };
  std::vector<Inside> inside_;
  std::size_t peeked_ = 0;  // window offset behind the lines only looked at
  bool leading_space_ = false;
  bool bad_spacing_ = false;
  Dialect label_ = Dialect::text;
};

}  // namespace dragoman
