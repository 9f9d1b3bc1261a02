// SPDX-License-Identifier: Apache-2.0
// Claude Code: stream-json with complete and partial messages and the control protocol, the array
// or single result of --output-format json, and transcript files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/claude_line.hpp"
#include "dragoman/dialect/claude_shapes.hpp"
#include "dragoman/dialect/json_lines.hpp"
#include "dragoman/dialect/open_questions.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/recent_ids.hpp"
#include "dragoman/dialect/running_tools.hpp"
#include "dragoman/dialect/spoken_questions.hpp"
#include "dragoman/dialect/text_scanner.hpp"

namespace dragoman {

// What a fold has to know beyond the fields of the kinds:
//
// status         `activity` is the line's subtype or type: these lines say what goes on, not how
// the
//                whole task stands. Work in the background is told by
//                  task_started       task = its id, extra task_type, is_backgrounded: in flight
//                  task_progress      task = its id
//                  task_updated       task = its id; status completed, failed, killed, stopped end
//                  it task_notification  task = its id, status: it has ended
//                  background_tasks_changed  extra tasks: the whole list, replacing what was known
// usage          figures as given: input_tokens counts neither cache reads nor cache writes. Scope
//                message: of one reply, the last figures of a message_id stand; with origin.parent
//                it is a subagent's. Scope turn: of one result line, authoritative; cost_usd is the
//                running total of the session.
// turn_finished  extra session_id, stop_reason, result_index, api_error_status, errors,
//                permission_denials, structured_output, modelUsage, origin.
// question       extra request_id when an answer can go back over the control protocol. The same id
//                comes again when its state changes or its request_id becomes known.
// unknown        type `control_request/…`: raw has the request_id that has to be refused.
class ClaudeReader final : public Reader {
 public:
  explicit ClaudeReader(ReaderOptions options);

  void push(std::string_view chunk, EventSink& out) override;
  void finish(EventSink& out) override;
  [[nodiscard]] Dialect dialect() const override { return Dialect::claude; }
  [[nodiscard]] std::uint64_t lines() const override { return lines_.lines(); }

 private:
  using Value = json::Value;

  friend class JsonLines;  // calls these
  [[nodiscard]] std::size_t read_known(std::string_view text);
  [[nodiscard]] bool extract(json::Cursor& cursor);
  void learn(std::string_view text) { shapes_.learn(text); }
  void give_out(const Line& line, std::string_view json, const json::Cursor& cursor,
                LineEvents& events);
  void read(const Line& line, LineEvents& events);

  void read_array(const Line& line, LineEvents& events);
  void read_value(const Line& line, std::string_view json, LineEvents& events);
  [[nodiscard]] bool read_conversation(std::string_view type, LineEvents& events);
  [[nodiscard]] bool has_content() const;
  [[nodiscard]] bool read_housekeeping(std::string_view type, LineEvents& events);
  [[nodiscard]] std::string_view string(const Value& value) { return string_of(value, arena_); }

  // The session, claude_session.cpp
  void note_session(std::string_view type, LineEvents& events);
  void announce_session(std::string_view id, LineEvents& events);
  void read_init(LineEvents& events);

  // What was said, claude_content.cpp
  void read_assistant(LineEvents& events);
  void read_user(LineEvents& events);
  void read_block(const ClaudeBlock& block, Channel channel, LineEvents& events);
  void read_text(const Value& text, Channel channel, LineEvents& events);
  void plain_text(const Value& text, Channel channel, LineEvents& events);
  void echoed_text(const Value& text, LineEvents& events);
  void read_api_error(LineEvents& events);
  [[nodiscard]] Channel speech_channel();

  // What was done, claude_tools.cpp
  void start_tool(const ClaudeBlock& block, LineEvents& events);
  void finish_tool(const ClaudeBlock& block, LineEvents& events);
  void report_file(std::string_view tool, std::string_view file, LineEvents& events);
  void settle_question(std::string_view id, bool failed, std::optional<Grant> permission,
                       LineEvents& events);
  void abandon_tools(bool main_thread_only, const Origin& where, LineEvents& events);
  enum class Ruling : std::uint8_t { unknown, allowed, refused, stopped };
  [[nodiscard]] Ruling ruling_on(std::string_view id);
  [[nodiscard]] json::Text output_of(const Value& content, Extras& extra);
  [[nodiscard]] Value tool_use_result() const;
  [[nodiscard]] bool has_one_result() const;

  // The end of a turn, claude_result.cpp
  void read_result(LineEvents& events);
  void compare_with_answer(LineEvents& events);
  void report_failure(LineEvents& events);
  [[nodiscard]] std::string_view failure_code(std::string_view reason, std::string_view error_type);
  void message_usage(LineEvents& events, Channel channel);
  void turn_usage(LineEvents& events);
  void remember_answer(std::string_view text);

  // What goes on, claude_system.cpp
  [[nodiscard]] bool read_system(std::string_view subtype, LineEvents& events);
  [[nodiscard]] bool read_task(std::string_view subtype, LineEvents& events);
  void read_retry(LineEvents& events);
  void read_rate_limit(LineEvents& events);
  void activity(std::string_view name, const Value& message, LineEvents& events,
                std::span<const Extra> extra = {}, Channel channel = Channel::system);

  // Questions over the control protocol, claude_control.cpp
  [[nodiscard]] bool read_control(std::string_view type, LineEvents& events);
  void can_use_tool(LineEvents& events);

  // Fragments, claude_partial.cpp
  [[nodiscard]] bool read_fragment(LineEvents& events);
  void drop_abandoned_blocks();
  void drop_fragments();
  void read_unfinished_text(EventSink& out);

  ReaderOptions options_;
  JsonLines lines_;
  Arena arena_;
  ClaudeLine line_;
  ClaudeShapes shapes_{line_};
  QuestionIds ids_;
  BlockScanner scanner_;
  RecentIds recent_;
  RunningTools tools_;
  std::uint64_t unnamed_tools_ = 0;  // so many calls had no id
  OpenQuestions questions_;
  SpokenQuestions spoken_;

  std::string cwd_;
  std::string session_;       // the one announced
  std::string last_session_;  // the last one a line named
  bool had_init_ = false;

  std::int64_t blocks_ = 0;     // text blocks so far
  std::string answer_id_;       // message.id of the last words of the main thread
  std::string answer_;          // those words
  std::string earlier_answer_;  // the last words before this turn began
  bool answer_known_ = false;   // there are words, and all of them were kept
  bool answer_lost_ = false;    // they were too many
  bool earlier_answer_known_ = false;

  std::string usage_id_;  // message.id of the last figures given out
  std::optional<Usage> last_usage_;

  std::string fragment_text_;        // of the block that is being written
  std::int64_t fragment_index_ = 0;  // its place in the message
};

}  // namespace dragoman
