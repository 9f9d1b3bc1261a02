// SPDX-License-Identifier: Apache-2.0
// Runs for people at a terminal, or reading what a pipe kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dragoman/show/echo.hpp"
#include "dragoman/show/renderer.hpp"
#include "dragoman/show/sheet.hpp"
#include "dragoman/show/story.hpp"
#include "dragoman/show/text_flow.hpp"
#include "dragoman/show/todo.hpp"

namespace dragoman::show {

// A tool that succeeds is one line, written when it ends; errors are shown whole. What a subagent
// does stands behind a bar, under the line of the call that started it.
class TerminalRenderer final : public Renderer {
 public:
  explicit TerminalRenderer(const RenderOptions& options);
  ~TerminalRenderer() override;

  void begin(RunIndex run, std::string_view label, std::string& out) override;
  // When a run that has begun was started, where somebody saw it.
  void began_at(RunIndex run, Timestamp at);
  // What a run that has begun is written in, where that is known before its first words: they are
  // then read as those behind the first marker.
  void expect(RunIndex run, Dialect dialect);
  void event(RunIndex run, const Event& event, std::string& out) override;
  void idle(std::string& out) override;
  void end(RunIndex run, std::string& out) override;
  void finish(std::string& out) override;

  // From the next line on.
  void set_width(std::size_t width);

  // For a status area beside it. The run must have begun.
  [[nodiscard]] const Story& story(RunIndex run) const;

 private:
  // What was written last: neighbours of one sort stand together, others are set apart.
  enum class Sort : std::uint8_t { nothing, text, tool, note, card };

  struct Run;
  using Step = Story::Step;

  [[nodiscard]] bool verbose() const { return options_.detail == Detail::verbose; }
  [[nodiscard]] bool quiet() const { return options_.detail == Detail::quiet; }

  // Where the next lines go: behind the label of the run and the bars of its subagents.
  void turn_to(Run& run, std::uint32_t depth, const std::string& agent);
  void turn_to(Run& run, const Step& step);
  void begin_section(Sort sort);
  void flush_text(Run& run);
  [[nodiscard]] bool defer(Run& run, const Event& event);
  void flush_turn(Run& run);

  // Words.
  void show_text(Run& run, const Step& step, const DisplayText& p, const Event& event);
  void show_fragment(Run& run, const DisplayText& p);
  [[nodiscard]] std::string_view without_shown(Run& run, const DisplayText& p, const Event& event,
                                               std::string_view words);
  void show_user(std::string_view words);
  void show_thinking(const Thinking& p);

  // Tools.
  void announce(Run& run, const ToolCall& call);
  void announce_agent(Run& run, const ToolCall& call);
  void show_tool_started(Run& run, const Step& step, const ToolStarted& p);
  void show_tool_finished(Run& run, const Step& step, const ToolFinished& p);
  void show_open_tools(Run& run);
  void put_call(RichText& line, const ToolCall& call) const;
  void show_output(json::Text text, Ink ink, std::size_t most_lines);
  void show_verbatim(json::Text text, Ink ink, std::size_t most_lines);
  void show_verbatim(std::string_view shown, Ink ink, std::size_t most_lines);

  // Cards: framed, for what a person must not miss. `before`, here and below: of a block that has
  // grown the version that was shown; only what is new is shown.
  void show_card(const std::vector<BoxLine>& lines, Ink frame, Ink fill = Ink::plain);
  void show_header(const CommandStarted& p);
  void show_question(const Step& step, const Question& p);
  void show_settled(const Question& p);
  void show_blocked(const Blocked& p, const Blocked* before);
  void show_next_action(const NextAction& p);
  void show_failure(Run& run, const Failure& p);

  // Notes: a line or a few.
  void show_session(const SessionStarted& p);
  void show_activity(Run& run, const Status& p);
  void show_status(Run& run, const Status& p);
  void show_todo(const TodoList& list);
  void show_files(const FilesChanged& p, const FilesChanged* before);
  void show_usage(Run& run, const Usage& p);
  void show_rate_limit(const RateLimited& p);
  void show_claim(const CompletionClaimed& p);
  void show_turn(Run& run, const Step& step, const TurnFinished& p);
  void show_finished(const Step& step, const Finished& p);
  void show_artifact(const ArtifactUpdated& p);
  void show_context_request(const ContextRequest& p);
  void show_tests(const TestResults& p, const TestResults* before);
  void show_test_counts(const TestResults& p);
  void show_lint(const LintWarnings& p, const LintWarnings* before);
  void show_dependencies(const DependencyNeeded& p, const DependencyNeeded* before);
  void show_commit(const CommitSuggestion& p, const CommitSuggestion* before);
  void show_line(Ink ink, std::string_view sign, std::string_view words, json::Text agents_words);

  // What the reader has to report.
  void show_finding(Ink ink, std::string_view what, std::string_view agents_words);
  void show_quoted(const QuotedMarker& p);
  void show_malformed(const Malformed& p);
  void show_oversize(const Oversize& p);
  void show_unknown(const Unknown& p);
  void show_diagnostic(const Diagnostic& p);

  void show_payload(Run& run, const Step& step, const Event& event);

  RenderOptions options_;
  Palette palette_;
  Sheet sheet_;
  std::vector<std::unique_ptr<Run>> runs_;
  Run* current_ = nullptr;  // whose margin the sheet has
  Sort last_ = Sort::nothing;
  std::string voice_;    // the subagent whose lines stand last; empty: the main thread
  std::string decoded_;  // reused for texts that come escaped
  RichText rich_;
};

}  // namespace dragoman::show
