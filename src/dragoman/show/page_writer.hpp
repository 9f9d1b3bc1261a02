// SPDX-License-Identifier: Apache-2.0
// What a page is made of. The engine (page_renderer.hpp) knows the order, a writer the spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/run/summary.hpp"
#include "dragoman/show/item.hpp"
#include "dragoman/show/speech.hpp"

namespace dragoman::show {

// A tool that ended, or that nobody saw the end of.
struct PageTool {
  const ToolCall* call = nullptr;          // null: nobody saw it begin
  const ToolFinished* finished = nullptr;  // null: nobody saw it end
  std::optional<double> duration_ms;
  std::string_view input;   // JSON, where the call says no more than its name
  std::string_view inside;  // what its subagent did, already written

  [[nodiscard]] std::string_view title() const {
    if (call != nullptr && !call->tool.empty()) return call->tool;
    return finished != nullptr && !finished->tool.empty() ? finished->tool : "tool";
  }
  [[nodiscard]] std::string_view what() const {
    if (call == nullptr) return {};
    return call->description.empty() ? call->detail : call->description;
  }
  [[nodiscard]] bool ok() const { return finished != nullptr && finished->outcome == Outcome::ok; }
  // "succeeded", "failed", "denied", "abandoned", "not finished"
  [[nodiscard]] std::string_view state() const;
};

// How a run ended and what it took.
struct PageEnd {
  std::string verdict;
  std::vector<std::string> reasons;
  std::optional<double> duration_ms;
};

// All of it takes the agent's bytes as they are and writes them so that nothing of them is alive.
class PageWriter {
 public:
  virtual ~PageWriter() = default;

  virtual void start(std::string& out, std::string_view title) = 0;
  virtual void finish(std::string& out) = 0;
  virtual void run_label(std::string& out, std::string_view label) = 0;

  // Whether what a subagent did can stand inside its tool. Otherwise it is written as it comes.
  [[nodiscard]] virtual bool nests() const { return true; }
  virtual void subagent_start(std::string& out, std::string_view who) = 0;
  virtual void subagent_end(std::string& out) = 0;

  virtual void spoken(std::string& out, const Spoken& spoken) = 0;
  virtual void header(std::string& out, const CommandStarted& command) = 0;
  virtual void session(std::string& out, const SessionStarted& session) = 0;
  virtual void status(std::string& out, const Status& status) = 0;
  virtual void question(std::string& out, const Question& question) = 0;
  virtual void next_action(std::string& out, const NextAction& action) = 0;
  virtual void failure(std::string& out, const Failure& failure) = 0;
  virtual void lint(std::string& out, const LintWarnings& lint) = 0;
  virtual void tool(std::string& out, const PageTool& tool) = 0;
  // Any other kind.
  virtual void item(std::string& out, const Item& item) = 0;
  virtual void end(std::string& out, const RunSummary& run, const PageEnd& end) = 0;
};

// What a status says, the same on every page.
struct StatusWords {
  std::string message;
  std::string_view word;          // in_progress where only a figure is known
  std::optional<double> percent;  // 0..100
};
[[nodiscard]] StatusWords status_words(const Status& status);

[[nodiscard]] std::string_view state_words(QuestionState state);
// Of a permission that is answered, how: "denied".
[[nodiscard]] std::string_view state_words(const Question& question);

// "Time", "1.2 s" and so on: the figures of a run that are known.
struct Total {
  std::string_view what;
  std::string value;
};
[[nodiscard]] std::vector<Total> totals(const RunSummary& run, const PageEnd& end);

}  // namespace dragoman::show
