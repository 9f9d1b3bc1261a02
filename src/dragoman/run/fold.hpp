// SPDX-License-Identifier: Apache-2.0
// Events in, summary out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dragoman/event/event.hpp"
#include "dragoman/run/git_changes.hpp"
#include "dragoman/run/summary.hpp"

namespace dragoman {

// A pure fold: the same events give the same summary, whether they come live, from a log or from a
// file, and however neighbouring text was cut. It copies what it needs.
class RunFold final : public EventSink {
 public:
  // `known`: the dialect of a supervised run. Otherwise it is what the events themselves show.
  explicit RunFold(std::optional<Dialect> known = std::nullopt);

  // A resumed Codex thread reports totals that include what it cost before.
  void know_thread(std::string_view thread, const TokenCount& total) {
    usage_.know_thread(thread, total);
  }

  // Where the agent works, for those that do not say it; absolute paths in there are shortened.
  void know_directory(std::string directory) { directory_ = std::move(directory); }

  void on_event(const Event& event) override;
  // Git has seen these files change while the run went on, whatever the events tell of.
  void see_changes(const GitChanges& changes);

  [[nodiscard]] RunSummary summary() const;
  // What it has cost so far, without making a summary.
  [[nodiscard]] RunUsage usage() const { return usage_.total(); }
  // Background tasks that have not ended, without making a summary.
  [[nodiscard]] const std::vector<std::string>& in_flight() const { return summary_.in_flight; }

 private:
  void see_dialect(const Event& event);
  void see_turn(const Event& event);
  void go_on();
  void fold(const SessionStarted& p);
  void fold(const CommandStarted& p);
  void fold(const ToolStarted& p);
  void fold(const ToolFinished& p);
  void fold(const Status& p, const Event& event);
  void fold_background(const Status& p, const Event& event);
  void replace_in_flight(std::string_view list);
  void fold(const Question& p);
  void fold(const Blocked& p, const Origin& origin);
  void fold(const FilesChanged& p);
  void fold_file(const FileChange& change, bool claimed);
  void fold(const NextAction& p);
  void fold(const Failure& p, const Event& event);
  void fold(const RateLimited& p);
  void fold(const TurnFinished& p, const Event& event);
  void fold(const Diagnostic& p);
  [[nodiscard]] std::string relative(std::string_view path) const;

  template <typename T>
  void keep_item(std::vector<T>& list, T item) {
    if (list.size() < RunSummary::kKeptItems) {
      list.push_back(std::move(item));
    } else {
      ++summary_.left_out;
    }
  }

  RunSummary summary_;  // open_tools and usage are filled in by summary()
  bool dialect_known_;
  std::string directory_;
  UsageFold usage_;
  std::unordered_map<std::string, std::size_t> file_index_;
  std::unordered_map<std::string, std::size_t> question_index_;
  std::map<std::uint64_t, OpenTool> open_tools_;  // by the order they were started in
  std::unordered_map<std::string, std::uint64_t> open_tool_index_;
  std::vector<std::string> turn_reasons_;  // of the turn that is going on
  std::uint64_t last_turn_offset_ = 0;
  Origin blocked_at_;  // of the last block; no length: there was none
};

}  // namespace dragoman
