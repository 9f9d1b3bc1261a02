// SPDX-License-Identifier: Apache-2.0
// Codex: `exec --json` in its three historical shapes, told apart line by line, the JSON-RPC lines
// of `app-server`, and the notifications of the MCP server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/codex_line.hpp"
#include "dragoman/dialect/json_lines.hpp"
#include "dragoman/dialect/open_questions.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/running_tools.hpp"
#include "dragoman/dialect/spoken_questions.hpp"
#include "dragoman/dialect/text_scanner.hpp"

namespace dragoman {

// What a fold has to know beyond the fields of the kinds:
//
// usage          scope thread: running totals of the whole thread, input_tokens with the cached
//                ones. `final` at the end of a turn.
// turn_finished  subtype completed, failed, interrupted or aborted; text is the last message.
// status         `activity` names the line; `status` stays absent. todo_list and plan have steps.
//                subagent_usage has the totals of another thread in `usage`.
// diagnostic     rule agent_warning: the agent complains and goes on.
// unknown        a server request nobody knows: raw has the id that has to be refused.
class CodexReader final : public Reader {
 public:
  explicit CodexReader(ReaderOptions options);

  void push(std::string_view chunk, EventSink& out) override;
  void finish(EventSink& out) override;
  [[nodiscard]] Dialect dialect() const override { return Dialect::codex; }
  [[nodiscard]] std::uint64_t lines() const override { return lines_.lines(); }

 private:
  using Value = json::Value;
  enum class Phase : std::uint8_t { started, updated, completed };

  static constexpr std::string_view kPatchTool = "apply_patch";

  enum class Whose : std::uint8_t { the_threads, everyones };

  struct PatchFile {
    std::string path;
    FileAction action = FileAction::unknown;
    std::optional<std::string> text;  // what is added or deleted, else the diff
  };
  struct Patch {
    std::string id;
    std::vector<PatchFile> files;
    std::size_t bytes = 0;  // of their texts
  };
  // A thread that is not the session's. No two have the same parent.
  struct Subagent {
    std::string thread;
    std::string parent;  // the call that started it, or the thread itself where nobody said that
  };

  void read(const Line& line, LineEvents& events);
  [[nodiscard]] bool read_event(std::string_view type, LineEvents& events);
  [[nodiscard]] std::string_view string(const Value& value) { return string_of(value, arena_); }
  [[nodiscard]] std::string_view id_of(const Value& id);
  [[nodiscard]] std::string_view call_id(const Value& id, std::string_view tool, Phase phase,
                                         const LineEvents& events);

  // Threads, codex_thread.cpp
  void attribute(const Value& thread, LineEvents& events);
  [[nodiscard]] static bool is_subagents(const LineEvents& events) {
    return events.origin().parent.data() != nullptr;
  }
  [[nodiscard]] bool is_session(std::string_view thread);
  void begin_subagent(std::string_view thread, std::string_view line, LineEvents& events);
  [[nodiscard]] bool spawns_agent(const CodexItem& call);
  void name_subagents(const CodexItem& call);
  [[nodiscard]] const Subagent& subagent(std::string_view thread);
  [[nodiscard]] const Subagent* find_subagent(std::string_view thread) const;
  const Subagent& remember_subagent(std::string_view thread, std::string_view call);
  [[nodiscard]] std::string_view spawning_call();
  [[nodiscard]] bool has_thread(std::string_view call) const;
  void count_item(const LineEvents& events);

  // Turns, codex_turn.cpp
  void start_session(std::string_view id, const Value& model, const Value& cwd, LineEvents& events);
  void begin_run(LineEvents& events);
  void start_turn(LineEvents& events);
  void end_turn(const TurnFinished& turn, LineEvents& events);
  void end_turn_as(const Value& status, const Value& error, LineEvents& events);
  void end_subagents_turn(std::string_view line, const Value& status, const Value& error,
                          LineEvents& events);
  void complete_turn(const Value& usage, LineEvents& events);
  void fail_turn(const Value& error, std::string_view subtype, LineEvents& events);
  [[nodiscard]] bool report_usage(const Value& usage, bool final, LineEvents& events,
                                  const Extras& extra = {});
  [[nodiscard]] bool read_error(const Value& message, LineEvents& events);
  [[nodiscard]] bool warn(const Value& message, LineEvents& events);
  void abandon_tools(Whose whose, const Origin& where, LineEvents& events);
  void abandon(const RunningTool& tool, const Origin& where, LineEvents& events);
  void read_fragments(LineEvents& events);
  void activity(std::string_view name, json::Text message, LineEvents& events,
                const Extras& extra = {});

  // Items, codex_item.cpp
  [[nodiscard]] bool read_item(const Value& item, Phase phase, LineEvents& events);
  [[nodiscard]] bool read_tool_item(std::string_view type, const CodexItem& item, Phase phase,
                                    LineEvents& events);
  [[nodiscard]] bool read_words(std::string_view type, const CodexItem& item, Phase phase,
                                LineEvents& events);
  void unknown_item(std::string_view type, const Value& item, LineEvents& events);
  void say(const Value& text, const Value& phase, LineEvents& events);
  [[nodiscard]] bool think(const CodexItem& item, LineEvents& events);
  [[nodiscard]] static Outcome outcome_named(std::string_view status);
  void start_tool(const ToolStarted& started, Phase phase, LineEvents& events);
  void finish_tool(ToolFinished finished, LineEvents& events, const Extras& extra = {});
  void command_item(const CodexItem& item, Phase phase, LineEvents& events);
  void mcp_item(const CodexItem& item, Phase phase, LineEvents& events);
  void search_item(const CodexItem& item, Phase phase, LineEvents& events);
  void agent_item(const CodexItem& item, Phase phase, LineEvents& events);
  void steps_item(std::string_view name, const Value& list, LineEvents& events);
  void hear_user(json::Text words, LineEvents& events);
  [[nodiscard]] bool user_item(const CodexItem& item, LineEvents& events);

  // The oldest shape, codex_legacy.cpp
  [[nodiscard]] bool read_message(const Value& msg, LineEvents& events);
  [[nodiscard]] bool read_legacy_turn(std::string_view type, const CodexItem& msg,
                                      LineEvents& events);
  [[nodiscard]] bool read_legacy_speech(std::string_view type, const CodexItem& msg,
                                        LineEvents& events);
  [[nodiscard]] bool read_legacy_tool(std::string_view type, const CodexItem& msg,
                                      LineEvents& events);
  void legacy_command(Phase phase, const CodexItem& msg, LineEvents& events);
  void legacy_mcp(Phase phase, const CodexItem& msg, LineEvents& events);
  [[nodiscard]] static std::string command_line(const Value& command);

  // Patches, codex_patch.cpp
  void file_item(const CodexItem& item, Phase phase, LineEvents& events);
  void start_patch(std::string_view id, LineEvents& events);
  void close_patch(std::string_view id);
  void tell_start_of_patch(const RunningTool& tool, const Origin& where, LineEvents& events);
  void tell_failed_patch(std::string_view id, LineEvents& events);
  void begin_patch(std::string_view id, const Value& changes);
  void end_patch(const CodexItem& msg, LineEvents& events);
  void forget_patch(std::string_view id);
  [[nodiscard]] const Patch* find_patch(std::string_view id) const;
  [[nodiscard]] std::string paths_of_patch(std::string_view id) const;
  void ask_for_patch(PermissionRequest asked, LineEvents& events);
  void ask_for_command(PermissionRequest asked, std::string_view command, LineEvents& events);

  // app-server and MCP, codex_rpc.cpp
  [[nodiscard]] bool read_rpc(LineEvents& events);
  [[nodiscard]] bool read_notification(std::string_view method, LineEvents& events);
  [[nodiscard]] bool read_request(std::string_view method, LineEvents& events);
  [[nodiscard]] bool read_progress(std::string_view method, LineEvents& events);
  void read_response(LineEvents& events);
  void read_delta(const Value& delta, LineEvents& events);

  ReaderOptions options_;
  JsonLines lines_;
  Arena arena_;
  CodexLine line_;
  QuestionIds ids_;
  BlockScanner scanner_;
  RunningTools tools_;
  std::uint64_t unnamed_tools_ = 0;  // so many calls had no id
  OpenQuestions questions_;
  SpokenQuestions spoken_;
  std::vector<Patch> patches_;       // announced and not applied; at most 64
  std::vector<Subagent> subagents_;  // at most 256, the oldest is forgotten first

  std::string cwd_;
  std::string session_;
  std::string thread_;  // whose words are the agent's own: the session, or the first that was named
  std::string_view other_thread_;  // whose line is at hand; empty: the session's
  std::string last_message_;
  std::int64_t blocks_ = 0;
  bool had_item_ = false;  // in this turn
  bool in_turn_ = false;

  std::string fragment_text_;  // of a message that is being written
};

}  // namespace dragoman
