// SPDX-License-Identifier: Apache-2.0
// The one model that every dialect is read into and every view is made from.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "dragoman/event/findings.hpp"
#include "dragoman/event/origin.hpp"
#include "dragoman/event/payloads.hpp"

namespace dragoman {

// In the order of Kind.
using Payload =
    std::variant<SessionStarted, CommandStarted, DisplayText, Thinking, ToolStarted, ToolFinished,
                 Status, Question, Blocked, FilesChanged, NextAction, Failure, Usage, RateLimited,
                 CompletionClaimed, TurnFinished, Finished, ArtifactUpdated, ServerReady, GoTo,
                 ContextRequest, TestResults, LintWarnings, DependencyNeeded, CommitSuggestion,
                 QuotedMarker, Malformed, Oversize, Unknown, Diagnostic>;
static_assert(std::variant_size_v<Payload> == kKinds);

// A field the model has no name for, kept as the agent wrote it.
struct Extra {
  std::string_view key;
  Raw value;
  friend bool operator==(const Extra&, const Extra&) = default;
};

using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

struct Event {
  Payload payload;
  Origin origin;
  std::uint64_t seq = 0;  // counts from 1 in a run; 0: not numbered
  std::optional<Timestamp> ts;
  // Made from an unfinished message: fragments shown live, or what was read of a block that the
  // stream cut off.
  bool partial = false;
  std::span<const Extra> extra;

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(payload.index()); }
  template <typename T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&payload);
  }
};

// For std::visit with one arm for each payload and no `auto` arm, so that a new payload does not
// compile until every consumer has decided.
template <typename... Arms>
struct Overloaded : Arms... {
  using Arms::operator()...;
};
template <typename... Arms>
Overloaded(Arms...) -> Overloaded<Arms...>;

// A stretch of input that belongs together: a line in JSON-line dialects, a marker or a run of text
// in plain text.
struct Record {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  friend bool operator==(const Record&, const Record&) = default;
};

// Is told what a reader finds.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // The event and everything it points at are valid only during the call.
  virtual void on_event(const Event& event) = 0;

  // Called once for each record, in the order of the input, before the events that name it; the
  // records of a finished stream tile it. Most sinks have no use for them.
  virtual void on_record(const Record& /*record*/) {}

  // JSON-line dialects: the decoded text that `at` of the next events points into. Valid up to the
  // last of them.
  virtual void on_carried_text(std::string_view /*text*/) {}
};

}  // namespace dragoman
