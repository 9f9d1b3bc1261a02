// SPDX-License-Identifier: Apache-2.0
// How a run ended, decided in one place and explained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/run/summary.hpp"

namespace dragoman {

enum class EndedBy : std::uint8_t {
  itself,
  timeout,       // we ended it: it took too long
  cancel,        // we ended it: somebody asked
  after_result,  // we ended it: it had given its last result and did not go away
  question,      // we ended it: it waits for an answer that nobody gives
};

// How the process went. Neither exit code nor signal: nobody knows, as with a file.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
  EndedBy ended_by = EndedBy::itself;
  std::uint32_t survivors = 0;  // processes of the run that could not be ended

  friend bool operator==(const ProcessEnd&, const ProcessEnd&) = default;
};

enum class VerdictKind : std::uint8_t {
  completed,
  failed,
  question,
  blocked,
  timeout,
  cancelled,
  incomplete,
};
[[nodiscard]] std::string_view name(VerdictKind kind);

// Something that was true of the run, in a word for scripts and a phrase for people.
struct Fact {
  std::string id;
  std::string detail;
  friend bool operator==(const Fact&, const Fact&) = default;
};

struct Verdict {
  VerdictKind kind = VerdictKind::incomplete;
  int exit_code = 1;        // of the program that reports it
  int rule = 7;             // the number of the rule that decided, see condition_of()
  std::vector<Fact> facts;  // every one that held, whether or not it decided
  std::vector<std::string> warnings;

  [[nodiscard]] std::vector<std::string> reasons() const;
  [[nodiscard]] bool has(std::string_view fact) const;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// What held for the rule that decided: "exit code 0 and a positive terminal event". A rule that can
// hold in several ways has a phrase for each.
[[nodiscard]] std::string_view condition_of(const Verdict& verdict);

[[nodiscard]] Verdict judge(const RunSummary& run, const ProcessEnd& end);

// The verdict, the rule that decided and every fact, a line each.
[[nodiscard]] std::string explain(const Verdict& verdict);

}  // namespace dragoman
