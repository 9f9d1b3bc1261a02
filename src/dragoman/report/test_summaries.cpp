// SPDX-License-Identifier: Apache-2.0
#include "dragoman/report/test_summaries.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/base/ascii.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman {

namespace {

// Adds what "2 failed" or "1 xfailed" says. False: no such word.
bool count_word(TestOutcome& outcome, std::int64_t number, std::string_view word) {
  constexpr std::string_view kPassed[] = {"passed", "xpassed"};
  constexpr std::string_view kFailed[] = {"failed", "error", "errors", "cancelled"};
  constexpr std::string_view kSkipped[] = {"skipped", "todo",    "pending",
                                           "ignored", "xfailed", "disabled"};
  constexpr std::string_view kOther[] = {"total",      "warning", "warnings",
                                         "deselected", "rerun",   "reruns"};
  const auto among = [word](const auto& words) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  };
  if (among(kPassed)) {
    outcome.passed += number;
  } else if (among(kFailed)) {
    outcome.failed += number;
  } else if (among(kSkipped)) {
    outcome.skipped += number;
  } else {
    return among(kOther);
  }
  return true;
}

// "2 failed, 45 passed": pairs with `separator` between them, until something else comes, which is
// left in `text`. How many pairs there were.
int take_counts(std::string_view& text, char separator, TestOutcome& outcome) {
  int pairs = 0;
  for (;;) {
    std::string_view rest = without_blanks(text);
    const auto number = take_number(rest);
    if (!number || !take(rest, " ")) return pairs;
    const std::size_t end =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    if (word == "subtests") {  // of tests that are counted already
      (void)(take(rest, " passed") || take(rest, " failed") || take(rest, " skipped"));
    } else if (!count_word(outcome, *number, word)) {
      return pairs;
    }
    ++pairs;
    text = rest;
    rest = without_blanks(rest);
    if (rest.empty() || rest.front() != separator) return pairs;
    text = rest.substr(1);
  }
}

// "adds (5 ms)", "adds [0.12ms]"
std::string_view without_duration(std::string_view name) {
  name = without_blanks(name);
  if (!name.ends_with("s)") && !name.ends_with("s]")) return name;
  const std::size_t open = name.rfind(name.back() == ')' ? " (" : " [");
  if (open == std::string_view::npos || open + 2 >= name.size()) return name;
  const char digit = name[open + 2];
  return ascii::is_digit(digit) ? name.substr(0, open) : name;
}

}  // namespace

void keep_name(std::vector<std::string>& names, std::string_view name) {
  name = without_duration(name);
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end() &&
      names.size() < 4 * TestOutcome::kKeptNames)
    names.emplace_back(name);
}

TestSummary& TestSummaries::add(Framework framework) {
  found_.push_back({framework, {}, 0});
  return found_.back();
}

TestSummary* TestSummaries::open(Framework framework) {
  if (found_.empty() || found_.back().framework != framework) return nullptr;
  return &found_.back();
}

bool TestSummaries::see_jest(std::string_view text) {
  if (!take(text, "Tests:")) return false;
  TestOutcome outcome;
  const int counts = take_counts(text, ',', outcome);
  text = without_blanks(text);
  const bool pest = counts > 0 && text.starts_with('(') && text.ends_with(" assertions)");
  if (!pest && (counts < 2 || !text.empty())) return false;
  add(Framework::jest).outcome = outcome;
  return true;
}

bool TestSummaries::see_vitest(std::string_view text) {
  if (!take(text, "Tests ")) return false;
  TestOutcome outcome;
  if (take_counts(text, '|', outcome) < 1) return false;
  text = without_blanks(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  add(Framework::vitest).outcome = outcome;
  return true;
}

bool TestSummaries::see_pytest(std::string_view line) {
  std::string_view text = without_blanks(line);
  while (take(text, "=")) {
  }
  text = without_blanks(text);
  TestOutcome outcome;
  if (!take(text, "no tests ran") && take_counts(text, ',', outcome) < 1) return false;
  text = without_blanks(text);
  if (!take(text, "in ")) return false;
  if (!take_number(text)) return false;
  if (take(text, ".")) (void)take_number(text);
  if (!text.starts_with('s')) return false;
  add(Framework::pytest).outcome = outcome;
  return true;
}

bool TestSummaries::see_mocha(std::string_view line) {
  if (!line.starts_with("  ")) return false;
  std::string_view text = without_blanks(line);
  const auto number = take_number(text);
  if (!number) return false;
  if (text.starts_with(" passing (") && text.ends_with(')')) {
    add(Framework::mocha).outcome.passed = *number;
    return true;
  }
  TestSummary* summary = open(Framework::mocha);
  if (summary == nullptr) return false;
  if (text == " pending") {
    summary->outcome.skipped += *number;
  } else if (text == " failing") {
    summary->outcome.failed += *number;
    list_ = List::mocha_failed;
  } else if (list_ == List::mocha_failed && text.starts_with(") ")) {
    summary->outcome.failed_tests.emplace_back(without_blanks(text.substr(2)));
  } else {
    return false;
  }
  return true;
}

bool TestSummaries::see_go(std::string_view line) {
  std::string_view text = line;
  const auto begin = [this] {
    if (!go_.seen) go_.place = found_.size();
    go_.seen = true;
  };
  if (text.starts_with("=== RUN")) {
    go_.verbose = true;  // alone it is no result
    return true;
  }
  if (take(text, "--- PASS: ")) {
    begin();
    go_.verbose = true;
    ++go_.passed;
  } else if (take(text, "--- SKIP: ")) {
    begin();
    go_.verbose = true;
    ++go_.skipped;
  } else if (take(text, "--- FAIL: ")) {
    begin();
    ++go_.failed;
    go_.names.emplace_back(without_duration(text));
  } else if (text.starts_with("ok  \t")) {
    begin();
    ++go_.ok_packages;
  } else if (text.starts_with("FAIL\t")) {
    begin();
    ++go_.failed_packages;
  } else {
    return false;
  }
  return true;
}

void TestSummaries::finish_go() {
  if (!go_.seen) return;
  TestSummary summary{Framework::go, {}, 0};
  summary.outcome.passed = go_.verbose ? go_.passed : go_.ok_packages;
  summary.outcome.failed = go_.failed > 0 ? go_.failed : go_.failed_packages;
  summary.outcome.skipped = go_.skipped;
  summary.outcome.failed_tests = go_.names;
  found_.insert(found_.begin() + static_cast<std::ptrdiff_t>(go_.place), summary);
}

bool TestSummaries::see_cargo(std::string_view line) {
  std::string_view text = line;
  if (take(text, "test result: ")) {
    if (!take(text, "ok. ") && !take(text, "FAILED. ")) return false;
    TestOutcome outcome;
    if (take_counts(text, ';', outcome) < 2) return false;
    add(Framework::cargo).outcome = outcome;
    return true;
  }
  if (!take(text, "test ") || !text.ends_with(" ... FAILED")) return false;
  cargo_.emplace_back(text.substr(0, text.size() - 11));
  return true;
}

void TestSummaries::see_names(std::string_view line) {
  std::string_view text = without_blanks(line);
  if (see_other_names(text)) return;
  for (const std::string_view cross : {"✕ ", "✗ ", "× "}) {
    if (take(text, cross)) return keep_name(crosses_, text);
  }
  if (take(text, "● ")) {
    if (text.find(" › ") != std::string_view::npos) keep_name(bullets_, text);
    return;
  }
  if (take(text, "FAILED ")) {
    if (text.find("::") == std::string_view::npos) return;
    return keep_name(pytest_, text.substr(0, text.find(" - ")));
  }
  if (text.starts_with("FAIL ") && !line.starts_with("FAIL\t")) {
    return keep_name(files_, text.substr(5));
  }
  if (take(text, "not ok ") && take_number(text) && take(text, " - ")) {
    if (text.find(" # ") == std::string_view::npos) keep_name(node_, text);
  }
}

void TestSummaries::finish_names() {
  for (TestSummary& summary : found_) {
    std::vector<std::string>& names = summary.outcome.failed_tests;
    if (const auto* named = names_of(summary.framework)) names = *named;
    if (summary.framework == Framework::cargo) names = std::exchange(cargo_, {});
    if (summary.outcome.failed == 0) names.clear();
    if (names.size() > TestOutcome::kKeptNames) names.resize(TestOutcome::kKeptNames);
  }
}

void TestSummaries::see(std::string_view line) {
  const std::string_view text = without_blanks(line);
  if (text.empty()) return;
  const bool taken = see_jest(text) || see_vitest(text) || see_pytest(line) || see_mocha(line) ||
                     see_go(line) || see_cargo(line) || see_ctest(line) || see_googletest(line) ||
                     see_surefire(text) || see_gradle(text) || see_node(text) ||
                     see_counted(text) || see_phpunit(text) || see_unittest(text) ||
                     see_dotnet(text) || see_nextest(text) || see_deno(text) || see_bun(text) ||
                     see_swift(text);
  if (!taken) see_names(line);
}

void TestSummaries::finish() {
  const bool totals = std::any_of(found_.begin(), found_.end(), [](const TestSummary& s) {
    return s.framework == Framework::surefire;
  });
  if (!totals) found_.insert(found_.end(), classes_.begin(), classes_.end());
  // Its own counts are better than those of the lines it lets through.
  const bool counted = std::any_of(found_.begin(), found_.end(), [](const TestSummary& s) {
    return s.framework == Framework::gotestsum;
  });
  if (!counted) finish_go();
  for (TestSummary& summary : found_) {
    if (summary.framework != Framework::ctest) continue;
    TestOutcome& outcome = summary.outcome;
    outcome.passed = std::max<std::int64_t>(0, summary.total - outcome.failed - outcome.passed);
  }
  finish_names();
}

}  // namespace dragoman
