// SPDX-License-Identifier: Apache-2.0
#include "dragoman/report/test_output.hpp"

#include "dragoman/report/plain_text.hpp"
#include "dragoman/report/test_summaries.hpp"

namespace dragoman {

namespace {

// These print a summary for each package, binary or module of one and the same run.
bool prints_several(Framework framework) {
  return framework == Framework::cargo || framework == Framework::go ||
         framework == Framework::googletest || framework == Framework::surefire ||
         framework == Framework::exunit || framework == Framework::dotnet ||
         framework == Framework::swift;
}

void add(TestOutcome& sum, const TestOutcome& one) {
  sum.passed += one.passed;
  sum.failed += one.failed;
  sum.skipped += one.skipped;
  for (const auto& name : one.failed_tests) {
    if (sum.failed_tests.size() < TestOutcome::kKeptNames) sum.failed_tests.push_back(name);
  }
}

}  // namespace

std::optional<TestOutcome> read_test_output(std::string_view text, TextBounds bounds) {
  TestSummaries summaries;
  const std::string plain = strip_ansi(text);
  for_each_line(plain, [&](std::string_view line) { summaries.see(line); });
  summaries.finish();
  const auto& found = summaries.found();
  if (found.empty()) return std::nullopt;
  const Framework last = found.back().framework;
  if (bounds == TextBounds::unknown && !prints_several(last)) return found.back().outcome;
  TestOutcome sum;
  for (const TestSummary& summary : found) {
    if (bounds == TextBounds::one_command || summary.framework == last) add(sum, summary.outcome);
  }
  return sum;
}

}  // namespace dragoman
