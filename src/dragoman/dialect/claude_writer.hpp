// SPDX-License-Identifier: Apache-2.0
// JSON lines as Claude Code prints them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/plain_writer.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

// Lines that are held until it is known what else belongs to them.
struct ClaudeReply {  // an assistant line
  std::string block;  // its content block, as JSON
  std::string text;   // its words: a failure or a result may repeat them
  std::string parent;
  bool synthetic = false;
  std::optional<std::string> error;  // what the API answered
  std::string usage;                 // as JSON
  std::string message_id;
};
struct ClaudeToolResult {  // a user line
  std::string id;
  std::string tool;
  std::string parent;
  Outcome outcome = Outcome::ok;
  std::optional<std::string> content;
  std::string details;  // tool_use_result, as JSON
  std::vector<std::pair<std::string, std::string>> answers;
};
struct ClaudeTurn {  // a result line
  bool ok = false;
  std::string fields;  // the members of the line, as JSON
  std::string subtype;
  std::string usage;
  std::optional<std::string> failure;
  std::string failure_code;
};

// A turn, a tool and a thought have lines of their own; what only markers can say is put into the
// assistant's text as a marker. Some lines carry several events (a result its usage and failure, a
// reply its usage, a tool's result the file it changed), so the last line is held until it is known
// what belongs to it.
//
// A text block is one line, so it is held until it has ended. One that does not end is written as
// several blocks of one message: from half a mebibyte on at the next line outside of fences and
// bracket blocks, from a whole one on wherever it is.
class ClaudeWriter final : public Writer {
 public:
  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

 private:
  Result<Written> write_text(const DisplayText& text, const Event& event, std::string& out);
  Result<Written> write_marker(const Event& event, std::string& out);
  Written write_thinking(const Thinking& thinking, const Event& event, std::string& out);
  Result<Written> write_session(const SessionStarted& session, std::string& out);
  Result<Written> write_tool(const ToolStarted& tool, const Event& event, std::string& out);
  Written write_tool_end(const ToolFinished& end, const Event& event, std::string& out);
  void begin_unseen(const ToolFinished& end, const Event& event, std::string& out);
  Written write_turn(const TurnFinished& turn, const Event& event, std::string& out);
  Result<Written> write_status(const Status& status, const Event& event, std::string& out);
  Result<Written> write_question(const Question& question, const Event& event, std::string& out);
  Result<Written> write_failure(const Failure& failure, const Event& event, std::string& out);
  Written write_usage(const Usage& usage, std::string& out);
  Written write_files(const FilesChanged& files);
  void put_result(json::Writer& w, const json::Text& text) const;
  void write_limit(const RateLimited& limit, std::string& out);
  Written write_unknown(const Unknown& unknown, const Event& event, std::string& out);

  void reply(std::string block, const Event& event, std::string& out);
  void begin_or_go_on(const Event& event, std::string& out);
  [[nodiscard]] bool goes_on(const Event& event) const;
  void cut_text(std::string& out);
  void end_text(std::string& out);
  void remember(const ClaudeReply& reply, std::string_view id);
  [[nodiscard]] static std::string as_written(std::string_view text);
  void settle(std::string& out);  // everything held is written
  void put(const ClaudeReply& held, std::string& out);
  void put(const ClaudeToolResult& held, std::string& out) const;
  void put(const ClaudeTurn& held, std::string& out) const;
  void put_session(std::string& line) const;

  std::string session_;
  std::string model_;
  std::optional<PlainWriter> text_;  // the assistant's text block that is being put together
  std::string text_block_;
  std::string text_message_;  // the message that parts of it were written in; empty: none were
  std::optional<std::int64_t> block_;
  Origin place_;                      // of the last thing in it
  std::optional<ClaudeReply> reply_;  // at most one of the three is held
  std::optional<ClaudeToolResult> tool_result_;
  std::optional<ClaudeTurn> turn_;
  std::map<std::string, std::string, std::less<>> open_tools_;  // parents by id
  std::set<std::string, std::less<>> asked_;  // questions that a tool's call has asked
  std::string last_message_;                  // the id of the last message of the main thread
  std::string last_words_;  // its text, as it was written; empty when that was too much
  std::uint64_t messages_ = 0;
  std::uint64_t unnamed_tools_ = 0;
};

}  // namespace dragoman
