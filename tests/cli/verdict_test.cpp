// SPDX-License-Identifier: Apache-2.0
// Verdicts of recorded runs of the real agents.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

std::string capture(const std::string& name) {
  return (source_dir() / "tests/data/captures" / (name + ".jsonl")).string();
}

json verdict_of(const std::string& name, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"verdict", capture(name), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = dragoman({.arguments = words});
  EXPECT_EQ(ended.err, "");
  json verdict = json::parse(ended.out);
  EXPECT_EQ(verdict["exit_code"], ended.exit_code);
  return verdict;
}

struct Judged {
  std::string name;
  std::string capture;
  std::string exit_code;  // of the agent; empty: not known
  std::string verdict;
  int ours;
  std::string reason;
};

std::ostream& operator<<(std::ostream& out, const Judged& row) { return out << row.name; }

const std::vector<Judged> kJudged = {
    {"ClaudePlain", "claude/plain", "0", "completed", 0, "result_ok"},
    {"ClaudePlainFromAFileAlone", "claude/plain", "", "completed", 0, "exit_unknown"},
    {"ClaudeQuestion", "claude/question", "0", "question", 4, "question"},
    {"ClaudeAskedWithoutTheTool", "claude/ask", "0", "question", 4, "question"},
    {"ClaudeAskedAndAnswered", "claude/control-ask", "0", "completed", 0, "result_ok"},
    {"ClaudeOverloaded", "claude/error529", "1", "failed", 1, "overloaded"},
    {"ClaudeRetriedOnce", "claude/error429once", "0", "completed", 0, "result_ok"},
    {"ClaudeInterruptedByHand", "claude/sigint", "0", "failed", 1, "result_error"},
    {"ClaudeTerminated", "claude/sigterm", "143", "failed", 143, "signal"},
    {"ClaudeOutOfTurns", "claude/max-turns", "1", "failed", 1, "max_turns"},
    {"ClaudeSessionGone", "claude/resume-unknown", "1", "failed", 1, "session_expired"},
    {"ClaudeBackgroundTask", "claude/background", "0", "completed", 0, "result_ok"},
    {"ClaudeSubagents", "claude/agent-forward", "0", "completed", 0, "result_ok"},
    {"ClaudeOneDocument", "claude/format-json", "0", "completed", 0, "result_ok"},
    {"CodexPlain", "codex/plain", "0", "completed", 0, "turn_ok"},
    {"CodexAbandonedCommand", "codex/command-long-yield", "0", "completed", 0, "turn_ok"},
    {"CodexReconnected", "codex/error500once", "0", "completed", 0, "turn_ok"},
    {"CodexUsageLimit", "codex/usage-limit", "1", "failed", 75, "turn_failed"},
    {"CodexRateLimit", "codex/error429", "1", "failed", 75, "turn_failed"},
    {"CodexTerminated", "codex/sigterm", "143", "failed", 143, "signal"},
};

class VerdictOfCapture : public ::testing::TestWithParam<Judged> {};

TEST_P(VerdictOfCapture, IsAsItWas) {
  const Judged& row = GetParam();
  std::vector<std::string> more;
  if (!row.exit_code.empty()) more = {"--exit-code", row.exit_code};
  const json verdict = verdict_of(row.capture, more);
  EXPECT_EQ(verdict["verdict"], row.verdict);
  EXPECT_EQ(verdict["exit_code"], row.ours);
  const auto reasons = verdict["reasons"].get<std::vector<std::string>>();
  EXPECT_NE(std::find(reasons.begin(), reasons.end(), row.reason), reasons.end())
      << verdict["reasons"];
}

INSTANTIATE_TEST_SUITE_P(Rows, VerdictOfCapture, ::testing::ValuesIn(kJudged),
                         [](const auto& row) { return row.param.name; });

TEST(VerdictOfCapture, CountsTheTokensOfParallelToolsOnce) {
  const json usage = verdict_of("claude/parallel")["run"]["usage"];
  EXPECT_EQ(usage["output_tokens"], 130);
  EXPECT_EQ(usage["input_tokens"], 84);
  EXPECT_EQ(usage["total_input_tokens"], 84 + 5806);
  EXPECT_EQ(usage["cached_input_tokens"], 5806);
  EXPECT_EQ(usage["final"], true);
}

TEST(VerdictOfCapture, AddsTurnsAndTakesTheLastCost) {
  const json run = verdict_of("claude/background")["run"];
  EXPECT_EQ(run["usage"]["output_tokens"], 76);
  EXPECT_EQ(run["usage"]["cost_usd"], 0.0038168);
  EXPECT_EQ(run["turns"]["finished"], 2);
  EXPECT_EQ(run["in_flight"], json::array());
}

TEST(VerdictOfCapture, ASessionThatIsGoneNamesNoSession) {
  EXPECT_FALSE(verdict_of("claude/resume-unknown")["run"].contains("session_id"));
  EXPECT_EQ(verdict_of("claude/plain")["run"]["session_id"].get<std::string>().size(), 36u);
}

TEST(VerdictOfCapture, TheFilesAreObserved) {
  const json files = verdict_of("codex/file-all")["run"]["files"];
  ASSERT_FALSE(files.empty());
  for (const json& file : files) {
    EXPECT_EQ(file["observed"], true) << file;
    EXPECT_EQ(file["claimed"], false) << file;
  }
}

TEST(Verdict, MarkersNeedTheExitCode) {
  const std::string claim = "[CODEX_COMPLETE] Task completed in 3 iterations\n";
  const Ended file = dragoman({.arguments = {"verdict", "-"}, .input = claim});
  EXPECT_EQ(file.out, "incomplete: exit_unknown, completion_claimed, terminal_event\n");
  EXPECT_EQ(file.exit_code, 1);
  const Ended known = dragoman({.arguments = {"verdict", "-", "--exit-code", "0"}, .input = claim});
  EXPECT_EQ(known.out, "completed: exit_zero, completion_claimed, terminal_event\n");
  EXPECT_EQ(known.exit_code, 0);
}

TEST(Verdict, IsExplained) {
  const Ended ended =
      dragoman({.arguments = {"verdict", "-", "--explain", "--exit-code", "0"},
                .input = "[BLOCKED] no url\n\n[CODEX_COMPLETE] Task completed in 1 iterations\n"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.out,
            "blocked (exit code 5)\n"
            "rule 4: it is blocked and was not resumed\n"
            "  exit_zero          exit code 0\n"
            "  blocked            blocked: no url\n"
            "  completion_claimed the agent claims completion: codex_complete\n"
            "  terminal_event     there is a positive terminal event\n");
}

TEST(Verdict, AGluedMarkerIsNoClaim) {
  EXPECT_EQ(dragoman({.arguments = {"verdict", "-", "--exit-code", "0"},
                      .input = "I did not output [CODEX_COMPLETE] because tests fail\n"})
                .exit_code,
            1);
}

TEST(Verdict, MakesACommitMessage) {
  const Ended ended =
      dragoman({.arguments = {"verdict", "-", "--commit-message"},
                .input = "[FILES_MODIFIED]\n- src/a.ts (created)\n- b.ts (deleted)\n"});
  EXPECT_EQ(ended.out,
            "Change src/a.ts and 1 more\n\n- src/a.ts (created, claimed)\n"
            "- b.ts (deleted, claimed)\n");
  EXPECT_EQ(ended.exit_code, 0);
  const Ended none = dragoman({.arguments = {"verdict", "-", "--commit-message"}, .input = "hm\n"});
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.exit_code, 1);
}

TEST(VerdictText, HasNothingThatCannotBeSeen) {
  const Ended ended = dragoman(
      {.arguments = {"verdict", "--explain", "-"}, .input = "[BLOCKED] a\u061cb\U000E0041c\n"});
  EXPECT_NE(ended.out.find("blocked: a b c\n"), std::string::npos) << ended.out;
  const Ended message = dragoman(
      {.arguments = {"verdict", "--commit-message", "-"},
       .input = "[GIT_COMMIT_SUGGESTION] Add a\u061cb\n- c\x1b[2Jd\n\t- e\U000E0041\u202ef\n"});
  EXPECT_EQ(message.out, "Add a b\n\n- c\u241b[2Jd\n\t- e\\u{e0041}\\u{202e}f\n");
}

}  // namespace
}  // namespace dragoman::test
