// SPDX-License-Identifier: Apache-2.0
// The frameworks that end with one line of counts: RSpec, minitest, ExUnit, PHPUnit, unittest,
// .NET, nextest, Deno, gotestsum; and Bun and Swift, which need a few more lines for it.
#include <algorithm>
#include <array>
#include <utility>

#include "dragoman/report/plain_text.hpp"
#include "dragoman/report/test_summaries.hpp"

namespace dragoman {
namespace {

using std::string_view;

// Which words a framework counts in. A bar stands between words that mean the same.
struct Vocabulary {
  string_view all;  // what there was; these are added
  string_view failed;
  string_view skipped;
  string_view left_out;  // counted in `all`, but neither run nor skipped
  string_view beside;    // says nothing about tests
};
constexpr Vocabulary kRspec{
    "example|examples",
    "failure|failures|error occurred outside of examples|errors occurred outside of examples",
    "pending", "", ""};
constexpr Vocabulary kMinitest{"run|runs|test|tests", "failure|failures|error|errors",
                               "skip|skips|pending|pendings|omission|omissions", "",
                               "assertion|assertions|notification|notifications"};
constexpr Vocabulary kExunit{"test|tests|doctest|doctests|property|properties|feature|features",
                             "failure|failures|invalid", "skipped", "excluded", ""};
constexpr Vocabulary kGotestsum{"test|tests", "failure|failures|error|errors", "skipped", "", ""};
constexpr Vocabulary kPhpunit{
    "Tests", "Failures|Errors", "Skipped|Incomplete", "",
    "Assertions|Risky|Warnings|Deprecations|Notices|PHPUnit Deprecations|PHPUnit Warnings"};
constexpr Vocabulary kUnittest{"", "failures|errors|unexpected successes",
                               "skipped|expected failures", "", ""};

bool is_one_of(string_view words, string_view word) {
  while (!words.empty()) {
    const std::size_t bar = std::min(words.find('|'), words.size());
    if (words.substr(0, bar) == word) return true;
    words.remove_prefix(std::min(bar + 1, words.size()));
  }
  return false;
}

// What a line has counted so far.
struct Tally {
  std::int64_t all = 0;
  std::int64_t left_out = 0;
  TestOutcome outcome;
  bool tells_all = false;
  bool tells_failed = false;
  bool tells_beside = false;

  // False: a word that nobody knows.
  bool add(const Vocabulary& vocabulary, std::int64_t number, string_view word) {
    if (is_one_of(vocabulary.all, word)) {
      all += number;
      tells_all = true;
    } else if (is_one_of(vocabulary.failed, word)) {
      outcome.failed += number;
      tells_failed = true;
    } else if (is_one_of(vocabulary.skipped, word)) {
      outcome.skipped += number;
    } else if (is_one_of(vocabulary.left_out, word)) {
      left_out += number;
    } else if (is_one_of(vocabulary.beside, word)) {
      tells_beside = true;
    } else {
      return false;
    }
    return true;
  }
  TestOutcome settled() {
    outcome.passed = std::max<std::int64_t>(0, all - left_out - outcome.failed - outcome.skipped);
    return outcome;
  }
};

// Calls `use` with each "12 examples" of a list; false where something else stands in it.
template <typename Use>
bool each_count(string_view text, char separator, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    string_view part = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto number = take_number(part);
    if (!number || !take(part, " ") || !use(*number, part)) return false;
  }
  return true;
}

// The same for "Failures: 1" and "failures=1"; what follows the last of them is left in `text`.
template <typename Use>
bool each_named(string_view& text, Use&& use) {
  bool any = false;
  for (;;) {
    const std::size_t end = text.find_first_of(":=");
    if (end == string_view::npos) return any;
    string_view rest = without_blanks(text.substr(end + 1));
    const auto number = take_number(rest);
    if (!number || !use(*number, without_blanks(text.substr(0, end)))) return any;
    any = true;
    text = rest;
    if (!take(text, ",")) return true;
  }
}

// "11 passed (1 slow), 1 failed" without what stands in brackets.
std::string without_brackets(string_view text) {
  std::string plain;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) plain.push_back(c);
    if (c == ')' && depth > 0) --depth;
  }
  return plain;
}

}  // namespace

bool TestSummaries::see_counted(string_view text) {
  const auto read = [this](string_view counts, Framework framework, const Vocabulary& vocabulary) {
    Tally tally;
    const bool known = each_count(counts, ',', [&](std::int64_t number, string_view word) {
      return tally.add(vocabulary, number, word);
    });
    const bool is_minitest = framework == Framework::minitest;
    const bool wants_failed = framework != Framework::gotestsum;
    if (!known || !tally.tells_all || (wants_failed && !tally.tells_failed) ||
        is_minitest != tally.tells_beside) {
      return false;
    }
    add(framework).outcome = tally.settled();
    return true;
  };
  if (take(text, "DONE ")) {
    const std::size_t time = text.rfind(" in ");
    if (time == string_view::npos) return false;
    text = text.substr(0, time);
    if (const std::size_t runs = text.find(" runs, "); runs != string_view::npos) {
      text.remove_prefix(runs + 7);
    }
    return read(text, Framework::gotestsum, kGotestsum);
  }
  return read(text, Framework::rspec, kRspec) || read(text, Framework::minitest, kMinitest) ||
         read(text, Framework::exunit, kExunit);
}

bool TestSummaries::see_phpunit(string_view text) {
  Tally tally;
  if (take(text, "OK (")) {
    const bool known =
        text.ends_with(')') && each_count(text.substr(0, text.size() - 1), ',',
                                          [&tally](std::int64_t number, string_view word) {
                                            return tally.add(kMinitest, number, word);
                                          });
    if (!known || !tally.tells_beside) return false;
  } else if (text.starts_with("Tests: ")) {
    const bool known = each_named(text, [&tally](std::int64_t number, string_view word) {
      return tally.add(kPhpunit, number, word);
    });
    if (!known || !tally.tells_beside || text != ".") return false;
  } else {
    return false;
  }
  add(Framework::phpunit).outcome = tally.settled();
  return true;
}

// "Ran 12 tests in 0.003s", and two lines later how they went.
bool TestSummaries::see_unittest(string_view text) {
  if (string_view rest = text; take(rest, "Ran ")) {
    const auto number = take_number(rest);
    if (!number || (!take(rest, " tests in ") && !take(rest, " test in "))) return false;
    unittest_ran_ = number;
    return true;
  }
  if (!unittest_ran_) return false;
  const bool ok = take(text, "OK");
  if (!ok && !take(text, "FAILED (")) return false;
  Tally tally;
  tally.all = *std::exchange(unittest_ran_, std::nullopt);
  if (ok && !text.empty() && !take(text, " (")) return false;
  (void)each_named(text, [&tally](std::int64_t number, string_view word) {
    return tally.add(kUnittest, number, word);
  });
  add(Framework::unittest).outcome = tally.settled();
  return true;
}

bool TestSummaries::see_dotnet(string_view text) {
  const auto count = [](TestOutcome& outcome, std::int64_t number, string_view word) {
    if (is_one_of("Passed|succeeded", word)) {
      outcome.passed = number;
    } else if (is_one_of("Failed|failed", word)) {
      outcome.failed = number;
    } else if (is_one_of("Skipped|skipped", word)) {
      outcome.skipped = number;
    } else {
      return is_one_of("Total|total", word);
    }
    return true;
  };
  if (take(text, "Total tests: ") || take(text, "Test run summary: ")) {
    add(Framework::dotnet);  // the lines that follow say more
    dotnet_table_ = true;
    return true;
  }
  bool list = take(text, "Test summary: ");
  for (const string_view word : {"Passed!", "Failed!", "Skipped!"}) list = list || take(text, word);
  text = without_blanks(text);
  if (list) {
    (void)take(text, "- ");
    TestOutcome outcome;
    const auto add_one = [&](std::int64_t number, string_view word) {
      return count(outcome, number, word);
    };
    if (!each_named(text, add_one)) return false;
    add(Framework::dotnet).outcome = outcome;
    return true;
  }
  TestSummary* const summary = dotnet_table_ ? open(Framework::dotnet) : nullptr;
  if (summary == nullptr) return false;
  dotnet_table_ = each_named(text, [&](std::int64_t number, string_view word) {
    return count(summary->outcome, number, word);
  });
  return dotnet_table_;
}

bool TestSummaries::see_nextest(string_view text) {
  if (!take(text, "Summary [")) return false;
  const std::size_t run = text.find(" run: ");
  const std::size_t from = text.find("] ");
  if (run == string_view::npos || from > run) return false;
  const string_view what = text.substr(from, run - from);  // "12 tests", "3/12 tests"
  if (!what.ends_with(" tests") && !what.ends_with(" test")) return false;
  TestOutcome outcome;
  const std::string counts = without_brackets(text.substr(run + 6));
  const bool known = each_count(counts, ',', [&outcome](std::int64_t number, string_view word) {
    if (word == "passed") outcome.passed += number;
    if (is_one_of("failed|exec failed|timed out", word)) outcome.failed += number;
    if (word == "skipped") outcome.skipped += number;
    return true;
  });
  if (known) add(Framework::nextest).outcome = outcome;
  return known;
}

bool TestSummaries::see_deno(string_view text) {
  if (!take(text, "ok | ") && !take(text, "FAILED | ")) return false;
  TestOutcome outcome;
  const std::string counts = without_brackets(text);
  const bool known = each_count(counts, '|', [&outcome](std::int64_t number, string_view word) {
    word = without_blanks(word);
    if (word == "passed") outcome.passed += number;
    if (word == "failed") outcome.failed += number;
    if (word == "ignored") outcome.skipped += number;
    return is_one_of("passed|failed|ignored|measured|filtered out", word);
  });
  if (known) add(Framework::deno).outcome = outcome;
  return known;
}

// A line for each count, and one that says they were tests.
bool TestSummaries::see_bun(string_view text) {
  string_view rest = text;
  if (const auto number = take_number(rest); number && take(rest, " ")) {
    if (!is_one_of("pass|fail|skip|todo|error|errors", rest)) return false;
    if (rest == "pass") bun_.emplace();
    if (!bun_) return false;
    if (rest == "pass") bun_->passed = *number;
    if (is_one_of("fail|error|errors", rest)) bun_->failed += *number;
    if (is_one_of("skip|todo", rest)) bun_->skipped += *number;
    return true;
  }
  if (!bun_ || !take(rest, "Ran ") || !take_number(rest)) return false;
  if (!take(rest, " tests across ") && !take(rest, " test across ")) return false;
  add(Framework::bun).outcome = *std::exchange(bun_, std::nullopt);
  return true;
}

// XCTest counts for every suite, the last of which has all of them. Swift Testing counts issues, of
// which a test may have several, so its failed tests are counted one by one.
bool TestSummaries::see_swift(string_view text) {
  if (take(text, "Test Suite '")) {
    swift_.suites = true;
    swift_.whole = text.starts_with("All tests'") || text.starts_with("Selected tests'");
    return true;
  }
  if (take(text, "Executed ")) {
    const auto total = take_number(text);
    if (!total || (!take(text, " tests, with ") && !take(text, " test, with "))) return false;
    TestOutcome outcome;
    auto number = take_number(text);
    if (number && (take(text, " tests skipped and ") || take(text, " test skipped and "))) {
      outcome.skipped = *number;
      number = take_number(text);
    }
    if (!number || !take(text, " failure")) return false;
    outcome.failed = *number;
    outcome.passed = std::max<std::int64_t>(0, *total - outcome.failed - outcome.skipped);
    if (swift_.whole || !swift_.suites) add(Framework::swift).outcome = outcome;
    return true;
  }
  const std::size_t sign = text.find(' ');
  if (sign == string_view::npos || sign > 4) return false;
  text.remove_prefix(sign + 1);
  if (take(text, "Test run with ")) {
    const auto total = take_number(text);
    if (!total || !text.starts_with(" test")) return false;
    TestOutcome outcome;
    outcome.failed = std::exchange(swift_.failed, 0);
    if (outcome.failed == 0 && text.find(" failed after ") != string_view::npos) outcome.failed = 1;
    outcome.passed = std::max<std::int64_t>(0, *total - outcome.failed);
    add(Framework::swift).outcome = outcome;
    return true;
  }
  const std::size_t end = text.find(" failed after ");
  if (!take(text, "Test ") || end == string_view::npos) return false;
  ++swift_.failed;
  keep_name(swift_.names, text.substr(0, end - 5));
  return true;
}

}  // namespace dragoman
