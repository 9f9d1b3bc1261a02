// SPDX-License-Identifier: Apache-2.0
// What is known about a run once its events have been read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/run/usage.hpp"

namespace dragoman {

// The agent's own STATUS or [PROGRESS]; activity of the program around it is not meant. The last
// one with a word of the specification, or, before there is any, the last one.
struct CurrentStatus {
  std::string status;  // pending, in_progress, completed, failed, paused, or what the agent wrote
  std::string message;
  std::optional<double> progress;
  std::optional<double> phase;
  std::string plan;
  std::string task;
  friend bool operator==(const CurrentStatus&, const CurrentStatus&) = default;
};

struct CurrentCommand {
  std::string command;
  std::string args;
  std::string title;
  friend bool operator==(const CurrentCommand&, const CurrentCommand&) = default;
};

struct OpenTool {
  std::string id;
  std::string tool;
  std::string description;
  friend bool operator==(const OpenTool&, const OpenTool&) = default;
};

struct ToolCounts {
  std::uint64_t started = 0;
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  std::uint64_t denied = 0;
  std::uint64_t abandoned = 0;
  friend bool operator==(const ToolCounts&, const ToolCounts&) = default;
};

// `claimed`: the agent says so. `observed`: a tool's result shows it. Both may hold.
struct ChangedFile {
  std::string path;  // relative to the working directory where that is known
  FileAction action = FileAction::unknown;
  std::string from;
  std::string note;
  bool claimed = false;
  bool observed = false;
  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};

struct AskedQuestion {
  std::string id;
  QuestionKind kind = QuestionKind::question;
  QuestionState state = QuestionState::open;
  std::string header;
  std::string text;
  std::vector<std::string> options;  // labels
  bool blocking = true;
  std::string answer;                  // never that of a secret question
  std::optional<Grant> decision = {};  // of a permission

  // Somebody still has to answer.
  [[nodiscard]] bool pending() const {
    return state == QuestionState::open || state == QuestionState::unanswered;
  }
  friend bool operator==(const AskedQuestion&, const AskedQuestion&) = default;
};

struct BlockedNote {
  std::string reason;
  std::vector<std::string> context;
  bool resumed = false;
  friend bool operator==(const BlockedNote&, const BlockedNote&) = default;
};

struct CompletionClaim {
  std::string by;
  std::optional<std::int64_t> iterations;
  std::string text;
  friend bool operator==(const CompletionClaim&, const CompletionClaim&) = default;
};

struct FinishedTurn {
  bool ok = false;
  std::string subtype;
  std::string terminal_reason;
  std::string text;
  std::vector<std::string> reasons;  // why it failed: overloaded, rate_limit, session_expired, …
  friend bool operator==(const FinishedTurn&, const FinishedTurn&) = default;
};

struct Turns {
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  std::int64_t num_turns = 0;  // as the agent counts them
  double duration_ms = 0;
  std::optional<FinishedTurn> last;
  bool another_began = false;  // after the last one ended
  friend bool operator==(const Turns&, const Turns&) = default;
};

struct FailureNote {
  std::string code;
  std::string message;
  Recoverable recoverable = Recoverable::unknown;
  std::string suggestion;
  std::string reason;
  bool reported = false;  // the agent wrote it as a marker; otherwise its program did
  friend bool operator==(const FailureNote&, const FailureNote&) = default;
};

struct RateLimitNote {
  std::string status;
  std::string limit;
  std::optional<std::int64_t> resets_at;  // seconds since 1970
  std::optional<double> utilization;
  std::uint64_t times = 0;
  friend bool operator==(const RateLimitNote&, const RateLimitNote&) = default;
};

struct NextActionNote {
  std::string command;
  std::string args;
  std::string description;
  std::string priority;
  friend bool operator==(const NextActionNote&, const NextActionNote&) = default;
};

struct SuggestedCommit {
  std::string subject;
  std::string body;
  friend bool operator==(const SuggestedCommit&, const SuggestedCommit&) = default;
};

struct TestCounts {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::string framework;
  friend bool operator==(const TestCounts&, const TestCounts&) = default;
};

// Lists keep their first kKeptItems entries, texts their first kKeptText bytes (the answer of the
// last turn kKeptAnswer): a run of any length is summed up in bounded memory. `left_out` counts the
// entries that did not fit.
struct RunSummary {
  static constexpr std::size_t kKeptItems = 4096;
  static constexpr std::size_t kKeptText = 4096;
  static constexpr std::size_t kKeptAnswer = 64 * 1024;

  Dialect dialect = Dialect::text;  // what carried the run
  std::string session_id;
  std::string model;
  std::string cwd;
  std::optional<CurrentCommand> command;
  std::optional<CurrentStatus> status;  // the last one
  std::vector<OpenTool> open_tools;     // oldest first
  ToolCounts tools;
  std::vector<ChangedFile> files;  // by path, in the order they were first named
  std::vector<AskedQuestion> questions;
  std::vector<BlockedNote> blocked;
  std::vector<CompletionClaim> claims;
  std::size_t earlier_claims = 0;  // so many of them were made before the agent went on
  bool earlier_status = false;     // and so was the last status
  Turns turns;
  std::vector<std::string> open_reasons;  // failures since the last turn ended
  std::vector<std::string> in_flight;     // background tasks that have not ended
  std::vector<FailureNote> failures;
  std::optional<RateLimitNote> rate_limit;  // the last one
  std::vector<NextActionNote> next_actions;
  std::optional<SuggestedCommit> commit_suggestion;
  std::optional<TestCounts> tests;  // the last one
  RunUsage usage;
  std::map<std::string, std::uint64_t> warnings;  // rule → how often, levels warning and error
  std::uint64_t malformed = 0;
  bool truncated_tail = false;
  std::uint64_t left_out = 0;

  [[nodiscard]] bool structured() const {
    return dialect == Dialect::claude || dialect == Dialect::codex || dialect == Dialect::delegator;
  }
  friend bool operator==(const RunSummary&, const RunSummary&) = default;
};

}  // namespace dragoman
