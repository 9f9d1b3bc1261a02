// SPDX-License-Identifier: Apache-2.0
// What a run did, for those who delegated it: files, tests, tokens, and why it failed.
//
// Sources by trust: structured events, then git, then the text of commands, then the agent's own
// words. A lower one is asked only where the higher ones know nothing; files of events and of git
// are merged, because a shell command changes files without an event.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/report/test_output.hpp"
#include "dragoman/run/error_text.hpp"
#include "dragoman/run/file_text.hpp"
#include "dragoman/run/git_changes.hpp"
#include "dragoman/run/output_policy.hpp"
#include "dragoman/run/summary.hpp"

namespace dragoman {

struct FileOperations {
  std::vector<std::string> modified_files;  // relative, sorted
  std::vector<std::string> added_files;
  std::vector<std::string> deleted_files;
  std::int64_t lines_changed = 0;
  friend bool operator==(const FileOperations&, const FileOperations&) = default;
};

struct ErrorContext {
  std::string error_message;
  std::string error_type;
  std::vector<std::string> failed_files;
  std::vector<SourceLocation> error_locations;
  std::vector<std::string> suggestions;
  std::string timeout_type;  // idle, hard; empty: no timeout
  std::int64_t elapsed_seconds = 0;
  std::string partial_results;  // timeouts: JSON with last_events and last_output
  friend bool operator==(const ErrorContext&, const ErrorContext&) = default;
};

struct Metadata {
  std::int64_t duration = 0;  // whole seconds
  FileOperations file_operations;
  std::optional<TestOutcome> test_results;
  std::string thread_id;
  std::optional<TokenCount> tokens;
  std::optional<ErrorContext> error_context;
  TaskState task_status = TaskState::completed;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// What the supervisor knows.
struct RunFacts {
  TaskState state = TaskState::completed;
  std::string reason;  // exit_nonzero, incomplete, auth_required, idle, …
  std::optional<int> exit_code;
  std::string signal;  // the number of the one that ended it; empty: none did
  std::chrono::milliseconds duration{0};
  std::chrono::milliseconds limit{0};  // timeouts: the limit that was exceeded
  std::string cancel_reason;
  std::optional<GitChanges> git;
  std::string partial_results;  // JSON
};

// Reads along; holds a bounded share of what passes.
class MetadataFold final : public EventSink {
 public:
  void on_event(const Event& event) override;

  [[nodiscard]] Metadata metadata(const RunSummary& run, const RunFacts& facts) const;
  // One sentence about the end: "Modified 2 files, added 1 file; 47 tests passed".
  [[nodiscard]] std::string summary(const Metadata& metadata, const RunFacts& facts) const;
  [[nodiscard]] const std::string& stderr_text() const { return stderr_; }

 private:
  void see(const ToolStarted& tool);
  void see(const ToolFinished& tool);
  void see_text(const DisplayText& text, const Event& event);
  [[nodiscard]] std::optional<TestOutcome> tests() const;
  [[nodiscard]] FileOperations files(const RunSummary& run, const RunFacts& facts) const;
  [[nodiscard]] std::optional<ErrorContext> error(const RunSummary& run, const RunFacts& facts,
                                                  bool tests_failed) const;

  std::map<std::string, bool, std::less<>> git_commands_;  // open tools by id: whether they ask git
  std::optional<TestOutcome> reported_tests_;              // [TEST_RESULTS]
  std::optional<TestOutcome> command_tests_;
  FilesInText git_text_;
  std::string failed_output_;  // of the last failed command
  std::string plain_;          // stdout of plain-text runs, its last part
  std::string plain_begin_;    // and how it begins
  std::string stderr_;         // its last part
  std::string message_;        // the last one of the agent
  std::optional<std::int64_t> message_block_;
};

// The message of a timeout: "Task exceeded idle timeout (5 minutes with no output)".
[[nodiscard]] std::string timeout_message(std::string_view type, std::chrono::milliseconds limit);

// cached / input with two decimals; absent when nothing went in.
[[nodiscard]] std::optional<double> cache_hit_rate(const TokenCount& tokens);

void put_metadata(json::Writer& w, const Metadata& metadata);

}  // namespace dragoman
