// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/verdict.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman {
namespace {

constexpr int kTimeoutExit = 124;
constexpr int kCancelledExit = 130;
constexpr int kLimitExit = 75;
constexpr int kBlockedExit = 5;
constexpr int kQuestionExit = 4;

// A shell reports a program that died of signal n as exit code 128 + n, and so do some agents.
std::optional<int> signal_of(const ProcessEnd& end) {
  if (end.signal.has_value()) return end.signal;
  if (end.exit_code.has_value() && *end.exit_code > 128 && *end.exit_code <= 128 + 64) {
    return *end.exit_code - 128;
  }
  return std::nullopt;
}

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// Claude calls a result "success" also when it is none; why its turn ended says more then.
std::string_view name_of_end(const FinishedTurn& turn) {
  return !turn.ok && turn.subtype == "success" ? turn.terminal_reason : turn.subtype;
}

// Collects the facts, then lets the rules look at them.
class Judge {
 public:
  Judge(const RunSummary& run, const ProcessEnd& end) : run_(run), end_(end) {}

  Verdict decide() {
    note_process();
    note_turn();
    note_waiting();
    note_words();
    note_loose_ends();
    note_terminal();
    apply_rules();
    return std::move(verdict_);
  }

 private:
  void note(std::string_view id, std::string detail) {
    const auto known = std::find_if(verdict_.facts.begin(), verdict_.facts.end(),
                                    [id](const Fact& fact) { return fact.id == id; });
    if (known == verdict_.facts.end()) {
      verdict_.facts.push_back({std::string(id), std::move(detail)});
    } else if (std::erase(hearsay_, id) > 0) {
      known->detail = std::move(detail);
    }
  }
  // A reason is a word of the agent's program. It may be called what one of our own facts is
  // called ("timeout"), and is no such fact.
  void note_reason(const std::string& reason, std::string detail) {
    if (verdict_.has(reason)) return;
    hearsay_.push_back(reason);
    verdict_.facts.push_back({reason, std::move(detail)});
  }
  [[nodiscard]] bool holds(std::string_view id) const {
    return verdict_.has(id) && std::find(hearsay_.begin(), hearsay_.end(), id) == hearsay_.end();
  }

  void note_process() {
    if (end_.survivors > 0) {
      note("survivors", fmt::format("processes that could not be ended: {}", end_.survivors));
    }
    if (end_.ended_by == EndedBy::timeout) note("timeout", "ended by us: it took too long");
    if (end_.ended_by == EndedBy::cancel) note("cancelled", "ended by us: it was cancelled");
    if (end_.ended_by == EndedBy::after_result) {
      note("ended_after_result", "ended by us after its last result; its exit status is ignored");
      return;
    }
    if (end_.ended_by == EndedBy::question) {
      note("ended_unanswered", "ended by us: nobody answers its question; the exit is ignored");
      return;
    }
    if (const auto signal = signal_of(end_)) {
      note("signal", fmt::format("ended by signal {}", *signal));
    } else if (!end_.exit_code.has_value()) {
      note("exit_unknown", "no exit code is known");
    } else if (*end_.exit_code == 0) {
      note("exit_zero", "exit code 0");
    } else {
      note("exit_nonzero", fmt::format("exit code {}", *end_.exit_code));
    }
  }

  // What the agent's program said about its last turn, and why.
  void note_turn() {
    if (const auto& last = run_.turns.last; last.has_value()) {
      const std::string_view what = run_.dialect == Dialect::claude ? "result" : "turn";
      const std::string_view end = name_of_end(*last);
      const std::string called = end.empty() ? "" : fmt::format(" ({})", end);
      if (last->ok) {
        note(fmt::format("{}_ok", what), fmt::format("the last {} is good{}", what, called));
      } else {
        note(run_.dialect == Dialect::claude ? "result_error" : "turn_failed",
             fmt::format("the last {} is an error{}", what, called));
      }
      if (run_.dialect == Dialect::delegator) note_delegated_end(last->subtype);
      note_reasons(last->reasons, "why the last turn failed");
    }
    if (run_.turns.another_began) note("turn_unfinished", "another turn began and did not end");
    note_reasons(run_.open_reasons, "failed after the last turn");
  }

  // Each with the words that came with it.
  void note_reasons(const std::vector<std::string>& reasons, std::string_view what) {
    for (const std::string& reason : reasons) {
      // That nobody could say why is no reason beside another one.
      if (reason == "agent_error" && reasons.size() > 1) continue;
      const std::string words = words_behind(reason);
      note_reason(reason, words.empty() ? std::string(what) : fmt::format("{}: {}", what, words));
    }
  }
  [[nodiscard]] std::string words_behind(std::string_view reason) const {
    constexpr std::size_t kMost = 200;  // code points; the summary has them all
    const auto said = std::find_if(run_.failures.rbegin(), run_.failures.rend(),
                                   [reason](const FailureNote& failure) {
                                     return !failure.reported && failure.reason == reason;
                                   });
    if (said == run_.failures.rend()) return {};
    const std::string words = one_line(said->message);
    const std::string_view head = utf8::prefix(words, kMost);
    return head.size() == words.size() ? words : std::string(head) + "…";
  }

  // An envelope is the word of the program that supervised the task.
  void note_delegated_end(std::string_view state) {
    if (state == "timeout") note("timeout", "ended by the delegator: it took too long");
    if (state == "cancelled") note("cancelled", "ended by the delegator: it was cancelled");
  }

  void note_waiting() {
    for (const BlockedNote& blocked : run_.blocked) {
      if (!blocked.resumed) note("blocked", "blocked: " + blocked.reason);
    }
    for (const AskedQuestion& question : run_.questions) {
      if (!question.pending()) continue;
      if (question.kind == QuestionKind::blocked) {
        note("blocked", "blocked: " + question.text);
      } else {
        note("question", "nobody answered: " + question.text);
      }
    }
  }

  // What the agent itself said. It never decides alone.
  void note_words() {
    for (const CompletionClaim& claim : run_.claims) {
      note("completion_claimed", "the agent claims completion: " + claim.by);
    }
    if (run_.status.has_value()) {
      if (run_.status->status == "paused") note("paused", "paused: " + run_.status->message);
      if (run_.status->status == "completed") {
        note("status_completed", "the last STATUS is completed");
      }
    }
    if (run_.status.has_value() && run_.status->status == "failed") {
      note("reported_failure", "the last STATUS is failed: " + run_.status->message);
    }
    for (const FailureNote& failure : run_.failures) {
      if (failure.reported && failure.recoverable == Recoverable::false_) {
        note("reported_failure", fmt::format("ERROR {}: {}", failure.code, failure.message));
      }
    }
  }

  void note_loose_ends() {
    if (run_.truncated_tail) note("truncated_tail", "the output stops in the middle of a line");
    if (!run_.open_tools.empty()) {
      note("dangling_tools", counted(run_.open_tools.size(), "tool") + " never finished");
    }
    if (!run_.in_flight.empty()) {
      note("in_flight", counted(run_.in_flight.size(), "background task") + " never ended");
    }
  }

  [[nodiscard]] bool claimed(std::string_view by) const {
    return std::any_of(run_.claims.begin() + static_cast<std::ptrdiff_t>(run_.earlier_claims),
                       run_.claims.end(),
                       [by](const CompletionClaim& claim) { return claim.by == by; });
  }

  // Whether the run was brought to a good end in the way its dialect ends.
  [[nodiscard]] bool positive_end() const {
    if (run_.structured()) {
      return run_.turns.last.has_value() && run_.turns.last->ok && !run_.turns.another_began;
    }
    if (run_.dialect == Dialect::markers) return claimed("codex_complete");
    if (!run_.status.has_value() && holds("exit_zero")) return true;
    return (holds("status_completed") && !run_.earlier_status) ||
           run_.claims.size() > run_.earlier_claims;
  }

  void note_terminal() {
    if (positive_end()) {
      note("terminal_event", run_.structured() || run_.status.has_value() || !run_.claims.empty()
                                 ? "there is a positive terminal event"
                                 : "the exit itself: there was no STATUS at all");
    } else {
      note("no_terminal_event", "there is no positive terminal event");
    }
  }

  // Exit code 0, or what stands for it: a result after which we ended the process ourselves, and in
  // a file the structured end of the run. The words of a marker need the exit code.
  [[nodiscard]] bool exit_is_good() const {
    if (holds("exit_zero") || holds("ended_after_result")) return true;
    return holds("exit_unknown") && run_.structured();
  }

  void set(int rule, VerdictKind kind, int exit_code) {
    verdict_.rule = rule;
    verdict_.kind = kind;
    verdict_.exit_code = exit_code;
  }

  void apply_rules() {
    if (holds("timeout")) return set(1, VerdictKind::timeout, kTimeoutExit);
    if (holds("cancelled")) return set(2, VerdictKind::cancelled, kCancelledExit);
    if (holds("signal") || holds("exit_nonzero") || holds("result_error") || holds("turn_failed")) {
      return set(3, VerdictKind::failed, failed_exit());
    }
    if (holds("blocked")) return set(4, VerdictKind::blocked, kBlockedExit);
    if (holds("question")) return set(5, VerdictKind::question, kQuestionExit);
    if (exit_is_good() && holds("terminal_event") && !holds("paused")) {
      set(6, VerdictKind::completed, 0);
      for (const std::string_view fact : {"reported_failure", "survivors"}) {
        if (holds(fact)) verdict_.warnings.emplace_back(fact);
      }
      return;
    }
    set(7, VerdictKind::incomplete, 1);
  }

  [[nodiscard]] int failed_exit() const {
    if (holds("signal")) return 128 + signal_of(end_).value_or(0);
    for (const std::string_view limit : {"rate_limit", "rate_limited", "usage_limit", "quota"}) {
      if (verdict_.has(limit)) return kLimitExit;
    }
    return 1;
  }

  const RunSummary& run_;
  const ProcessEnd& end_;
  Verdict verdict_;
  std::vector<std::string> hearsay_;  // facts that are only reasons
};

}  // namespace

std::string_view name(VerdictKind kind) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "completed", "failed", "question", "blocked", "timeout", "cancelled", "incomplete"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<std::string> Verdict::reasons() const {
  std::vector<std::string> ids;
  ids.reserve(facts.size());
  for (const Fact& fact : facts) ids.push_back(fact.id);
  return ids;
}

bool Verdict::has(std::string_view fact) const {
  return std::any_of(facts.begin(), facts.end(), [fact](const Fact& f) { return f.id == fact; });
}

namespace {

std::string_view why_failed(const Verdict& verdict) {
  if (verdict.exit_code > 128) return "ended by a signal";
  if (verdict.has("exit_nonzero")) return "its exit code is not 0";
  if (verdict.has("result_error")) return "its last result is an error";
  return "its last turn is an error";
}

std::string_view why_completed(const Verdict& verdict) {
  const bool told = verdict.has("result_ok") || verdict.has("turn_ok") ||
                    verdict.has("status_completed") || verdict.has("completion_claimed");
  if (!told) return "exit code 0, and it never reported a status";
  if (verdict.has("ended_after_result")) {
    return "a positive terminal event, after which we ended it";
  }
  if (verdict.has("exit_unknown")) {
    return "a positive terminal event of a structured stream, which needs no exit code";
  }
  return "exit code 0 and a positive terminal event";
}

std::string_view why_incomplete(const Verdict& verdict) {
  if (verdict.has("paused")) return "its last STATUS is paused";
  if (verdict.has("turn_unfinished")) return "its last turn did not end";
  if (verdict.has("no_terminal_event")) return "there is no positive terminal event";
  if (verdict.has("exit_unknown")) {
    return "what the agent itself claims needs exit code 0, and no exit code is known";
  }
  return "none of the others";
}

}  // namespace

std::string_view condition_of(const Verdict& verdict) {
  switch (verdict.rule) {
    case 1:
      return "we ended it for a timeout";
    case 2:
      return "we cancelled it";
    case 3:
      return why_failed(verdict);
    case 4:
      return "it is blocked and was not resumed";
    case 5:
      return "a question is pending";
    case 6:
      return why_completed(verdict);
    default:
      return why_incomplete(verdict);
  }
}

Verdict judge(const RunSummary& run, const ProcessEnd& end) { return Judge(run, end).decide(); }

std::string explain(const Verdict& verdict) {
  std::string out = fmt::format("{} (exit code {})\nrule {}: {}\n", name(verdict.kind),
                                verdict.exit_code, verdict.rule, condition_of(verdict));
  for (const Fact& fact : verdict.facts) {
    out += fmt::format("  {:<18} {}\n", fact.id, one_line(fact.detail));
  }
  for (const std::string& warning : verdict.warnings) out += fmt::format("warning: {}\n", warning);
  return out;
}

}  // namespace dragoman
