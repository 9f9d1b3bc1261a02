// SPDX-License-Identifier: Apache-2.0
// The frameworks whose summaries stand in tables and lists: ctest, GoogleTest, JUnit, node:test.
#include <array>

#include "dragoman/report/plain_text.hpp"
#include "dragoman/report/test_summaries.hpp"

namespace dragoman {

bool TestSummaries::see_ctest(std::string_view line) {
  std::string_view text = without_blanks(line);
  if (text == "The following tests FAILED:" || text == "The following tests did not run:") {
    list_ = text.ends_with("FAILED:") ? List::ctest_failed : List::ctest_not_run;
    return true;
  }
  const auto number = take_number(text);
  if (!number) {
    if (list_ == List::ctest_failed || list_ == List::ctest_not_run) list_ = List::none;
    return false;
  }
  if (take(text, "% tests passed, ")) {
    const auto failed = take_number(text);
    if (!failed || !take(text, " tests failed out of ")) return false;
    const auto total = take_number(text);
    if (!total) return false;
    TestSummary& summary = add(Framework::ctest);
    summary.outcome.failed = *failed;
    summary.total = *total;
    return true;
  }
  TestSummary* summary = open(Framework::ctest);
  if (summary == nullptr || !take(text, " - ")) return false;
  const std::size_t why = text.rfind(" (");
  if (list_ == List::ctest_failed) {
    summary->outcome.failed_tests.emplace_back(text.substr(0, why));
    return true;
  }
  if (list_ != List::ctest_not_run) return false;
  ++summary->outcome.skipped;
  // `passed` holds what "out of" counts and did not pass; finish() makes it what did. Disabled
  // tests are not counted there.
  if (!text.ends_with("(Disabled)")) ++summary->outcome.passed;
  return true;
}

bool TestSummaries::see_googletest(std::string_view line) {
  std::string_view text = line;
  if (take(text, "[  PASSED  ] ")) {
    const auto passed = take_number(text);
    if (!passed || !take(text, " test")) return false;
    add(Framework::googletest).outcome.passed = *passed;
    list_ = List::none;
    return true;
  }
  TestSummary* summary = open(Framework::googletest);
  if (summary == nullptr) return false;
  const bool failed = take(text, "[  FAILED  ] ");
  if (!failed && !take(text, "[  SKIPPED ] ")) return false;
  const auto number = take_number(text);
  if (number && text.find("listed below") != std::string_view::npos) {
    (failed ? summary->outcome.failed : summary->outcome.skipped) += *number;
    list_ = failed ? List::gtest_failed : List::none;
  } else if (failed && list_ == List::gtest_failed) {
    summary->outcome.failed_tests.emplace_back(
        without_blanks(text.substr(0, text.find(", where"))));
  }
  return true;
}

bool TestSummaries::see_surefire(std::string_view line) {
  std::string_view text = line;
  for (const std::string_view level : {"[INFO] ", "[ERROR] ", "[WARNING] "}) {
    if (take(text, level)) break;
  }
  std::array<std::int64_t, 4> counts{};
  constexpr std::array<std::string_view, 4> kNames = {
      "Tests run: ", ", Failures: ", ", Errors: ", ", Skipped: "};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!take(text, kNames[i])) return false;
    const auto number = take_number(text);
    if (!number) return false;
    counts[i] = *number;
  }
  TestSummary summary{Framework::surefire, {}, 0};
  summary.outcome.failed = counts[1] + counts[2];
  summary.outcome.skipped = counts[3];
  summary.outcome.passed = counts[0] - summary.outcome.failed - counts[3];
  const bool one_class = text.find("Time elapsed") != std::string_view::npos;
  (one_class ? classes_ : found_).push_back(summary);
  return true;
}

bool TestSummaries::see_gradle(std::string_view line) {
  std::string_view text = line;
  if (take(text, "[")) {  // the console launcher's table
    text = without_blanks(text);
    const auto number = take_number(text);
    if (!number || !take(text, " tests ") || !text.ends_with(']')) return false;
    const std::string_view word = without_blanks(text.substr(0, text.size() - 1));
    const bool known = word == "successful" || word == "failed" || word == "skipped";
    if (!known) return word == "found" || word == "started" || word == "aborted";
    TestSummary* summary = open(Framework::launcher);
    if (summary == nullptr) summary = &add(Framework::launcher);
    TestOutcome& outcome = summary->outcome;
    (word == "successful" ? outcome.passed
     : word == "failed"   ? outcome.failed
                          : outcome.skipped) += *number;
    return true;
  }
  const auto total = take_number(text);
  if (!total || (!take(text, " tests completed") && !take(text, " test completed"))) return false;
  TestSummary& summary = add(Framework::gradle);
  while (take(text, ", ")) {
    const auto number = take_number(text);
    if (!number) break;
    if (take(text, " failed")) summary.outcome.failed = *number;
    if (take(text, " skipped")) summary.outcome.skipped = *number;
  }
  summary.outcome.passed = *total - summary.outcome.failed - summary.outcome.skipped;
  return true;
}

bool TestSummaries::see_node(std::string_view line) {
  std::string_view text = line;
  if (!take(text, "# ") && !take(text, "ℹ ")) return false;
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return false;
  const std::string_view word = text.substr(0, blank);
  text.remove_prefix(blank + 1);
  const auto number = take_number(text);
  if (!number || !text.empty()) return false;
  if (word == "pass") add(Framework::node).outcome.passed = *number;
  TestSummary* summary = open(Framework::node);
  if (summary == nullptr) return word == "tests" || word == "suites";
  if (word == "fail" || word == "cancelled") summary->outcome.failed += *number;
  if (word == "skipped" || word == "todo") summary->outcome.skipped += *number;
  return true;
}

}  // namespace dragoman
