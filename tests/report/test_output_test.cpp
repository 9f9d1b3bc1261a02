// SPDX-License-Identifier: Apache-2.0
#include "dragoman/report/test_output.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

struct Row {
  const char* framework;
  std::string output;
  std::optional<TestOutcome> expected;
};

TestOutcome counts(std::int64_t passed, std::int64_t failed, std::int64_t skipped,
                   std::vector<std::string> names = {}) {
  return {passed, failed, skipped, std::move(names)};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"Jest", "Tests:       2 failed, 45 passed, 47 total", counts(45, 2, 0)},
      {"Jest", "Tests:       47 passed, 47 total", counts(47, 0, 0)},
      {"Jest", "Tests:       1 failed, 2 skipped, 44 passed, 47 total", counts(44, 1, 2)},
      {"Jest", "Tests:       1 failed, 1 skipped, 2 todo, 3 passed, 7 total", counts(3, 1, 3)},
      {"Jest", "Test Suites: 1 failed, 3 passed, 4 total", std::nullopt},
      {"Jest", "  ✕ adds (5 ms)\n  ● math › adds\nTests:  1 failed, 1 total",
       counts(0, 1, 0, {"adds"})},
      {"Jest", "FAIL src/a.test.ts\nTests:  1 failed, 1 total", counts(0, 1, 0, {"src/a.test.ts"})},
      {"Vitest", "      Tests  2 failed | 45 passed | 1 skipped (48)", counts(45, 2, 1)},
      {"Vitest", "      Tests  12 passed (12)", counts(12, 0, 0)},
      {"Vitest", " Test Files  1 failed | 3 passed (4)", std::nullopt},
      {"pytest", "===== 1 failed, 30 passed in 8.23s =====", counts(30, 1, 0)},
      {"pytest", "30 passed, 1 failed in 8.23s", counts(30, 1, 0)},
      {"pytest", "31 passed in 8.23s", counts(31, 0, 0)},
      {"pytest", "no tests ran in 0.01s", counts(0, 0, 0)},
      {"pytest",
       "= 1 failed, 30 passed, 2 skipped, 1 xfailed, 1 error, 3 warnings in 8.23s (0:00:08) =",
       counts(30, 2, 3)},
      {"pytest", "FAILED t.py::test_a - assert 1 == 2\n1 failed in 0.10s",
       counts(0, 1, 0, {"t.py::test_a"})},
      {"Mocha", "  45 passing (2s)\n  2 failing", counts(45, 2, 0)},
      {"Mocha", "  45 passing (2s)\n  3 pending\n  2 failing", counts(45, 2, 3)},
      {"Mocha", "  1 passing (12ms)", counts(1, 0, 0)},
      {"Mocha", "  1 passing (12ms)\n  1 failing\n\n  1) Math adds:\n",
       counts(1, 1, 0, {"Math adds:"})},
      {"go",
       "--- PASS: TestAdd (0.00s)\n--- FAIL: TestDiv (0.00s)\n--- SKIP: TestSlow (0.00s)\nFAIL",
       counts(1, 1, 1, {"TestDiv"})},
      {"go",
       "--- FAIL: TestDiv (0.00s)\nFAIL\nFAIL\texample.com/calc\t0.003s\nok  "
       "\texample.com/strs\t0.002s",
       counts(1, 1, 0, {"TestDiv"})},
      {"go", "ok  \ta\t(cached)\n?   \tb\t[no test files]", counts(1, 0, 0)},
      {"go", "--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)", counts(1, 0, 0)},
      {"cargo",
       "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in "
       "0.05s\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
       counts(4, 1, 1)},
      {"cargo",
       "test tests::div ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured",
       counts(0, 1, 0, {"tests::div"})},
      {"ctest", "100% tests passed, 0 tests failed out of 10", counts(10, 0, 0)},
      {"ctest",
       "67% tests passed, 1 tests failed out of 3\nThe following tests did not run:\n\t  3 - c "
       "(Skipped)\n\t  4 - d (Disabled)\nThe following tests FAILED:\n\t  2 - b (Failed)",
       counts(1, 1, 2, {"b"})},
      {"GoogleTest", "[  PASSED  ] 12 tests.", counts(12, 0, 0)},
      {"GoogleTest",
       "[==========] 5 tests from 2 test suites ran. (3 ms total)\n[  PASSED  ] 3 tests.\n[  "
       "SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Foo.Skip\n[  FAILED  ] 1 test, listed "
       "below:\n[  FAILED  ] Math.Div",
       counts(3, 1, 1, {"Math.Div"})},
      {"Surefire", "[INFO] Tests run: 47, Failures: 0, Errors: 0, Skipped: 3", counts(44, 0, 3)},
      {"Surefire",
       "[ERROR] Tests run: 10, Failures: 2, Errors: 1, Skipped: 0, Time elapsed: 1.2 s <<< "
       "FAILURE! -- in FooTest\n[ERROR] Tests run: 10, Failures: 2, Errors: 1, Skipped: 0",
       counts(7, 3, 0)},
      {"Gradle", "47 tests completed, 2 failed, 1 skipped", counts(44, 2, 1)},
      {"launcher", "[ 8 tests successful ]\n[ 1 tests failed ]\n[ 1 tests skipped ]",
       counts(8, 1, 1)},
      {"node", "# tests 10\n# pass 8\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0",
       counts(8, 1, 1)},
      {"node", "ℹ pass 4\nℹ fail 0\nℹ cancelled 1\nℹ skipped 0\nℹ todo 1", counts(4, 1, 1)},
      {"node", "not ok 2 - bad\n# tests 1\n# pass 0\n# fail 1", counts(0, 1, 0, {"bad"})},
      {"pytest", "1 failed, 3 passed, 2 subtests passed in 0.03s", counts(3, 1, 0)},
      {"Pest", "  Tests:    1 failed, 5 passed (12 assertions)", counts(5, 1, 0)},
      {"RSpec", "12 examples, 1 failure, 2 pending", counts(9, 1, 2)},
      {"RSpec", "1 example, 0 failures", counts(1, 0, 0)},
      {"RSpec", "0 examples, 0 failures, 1 error occurred outside of examples", counts(0, 1, 0)},
      {"RSpec", "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:3 # A adds",
       counts(2, 1, 0, {"A adds"})},
      {"ExUnit", "5 tests, 0 failures, 1 skipped", counts(4, 0, 1)},
      {"ExUnit", "3 doctests, 5 tests, 1 failure", counts(7, 1, 0)},
      {"ExUnit", "1 property, 6 tests, 0 failures, 2 excluded, 1 invalid", counts(4, 1, 0)},
      {"ExUnit", "  1) test adds (MathTest)\n     test/math_test.exs:5\n\n2 tests, 1 failure",
       counts(1, 1, 0, {"test adds (MathTest)"})},
      {"minitest", "5 runs, 10 assertions, 1 failures, 1 errors, 1 skips", counts(2, 2, 1)},
      {"minitest",
       "  1) Failure:\nTestMath#test_adds [test/math.rb:3]:\nExpected: 1\n\n2 runs, 2 assertions, "
       "1 "
       "failures, 0 errors, 0 skips",
       counts(1, 1, 0, {"TestMath#test_adds"})},
      {"test-unit",
       "4 tests, 8 assertions, 1 failures, 0 errors, 1 pendings, 0 omissions, 0 notifications",
       counts(2, 1, 1)},
      {"PHPUnit", "OK (12 tests, 30 assertions)", counts(12, 0, 0)},
      {"PHPUnit",
       "There was 1 failure:\n\n1) App\\MathTest::testAdds\n\nFAILURES!\nTests: 12, Assertions: "
       "30, "
       "Failures: 1, Errors: 1, Skipped: 2, Risky: 1.",
       counts(8, 2, 2, {"App\\MathTest::testAdds"})},
      {"unittest", "Ran 12 tests in 0.003s\n\nOK", counts(12, 0, 0)},
      {"unittest", "Ran 1 test in 0.003s\n\nOK (skipped=1)", counts(0, 0, 1)},
      {"unittest",
       "FAIL: test_a (t.T.test_a)\nERROR: test_b (t.T.test_b)\nRan 5 tests in 0.1s\n\nFAILED "
       "(failures=1, errors=1, expected failures=1)",
       counts(2, 2, 1, {"test_a", "test_b"})},
      {"nextest", "     Summary [   0.012s] 12 tests run: 12 passed (1 slow), 3 skipped",
       counts(12, 0, 3)},
      {"nextest",
       "        FAIL [   0.003s] (2/3) calc tests::div\n    test result: FAILED. 0 passed; 1 "
       "failed; "
       "0 ignored\n     Summary [   0.012s] 3/5 tests run: 1 passed, 1 failed, 1 timed out, 0 "
       "skipped\n        FAIL [   0.003s] (2/3) calc tests::div",
       counts(1, 2, 0, {"calc tests::div"})},
      {"Deno", "ok | 3 passed (2 steps) | 0 failed | 1 ignored (12ms)", counts(3, 0, 1)},
      {"Deno", "adds ... FAILED (3ms)\nFAILED | 2 passed | 1 failed | 4 filtered out (15ms)",
       counts(2, 1, 0, {"adds"})},
      {"Bun",
       "(fail) math > adds [0.20ms]\n\n 12 pass\n 1 skip\n 2 todo\n 1 fail\n 30 expect() "
       "calls\nRan 16 "
       "tests across 3 files. [12.00ms]",
       counts(12, 1, 3, {"math > adds"})},
      {"Bun", " 12 pass\n 1 fail\n", std::nullopt},
      {"dotnet",
       "  Failed Calc.Tests.Adds [12 ms]\nFailed!  - Failed:     1, Passed:    11, Skipped:     2, "
       "Total:    14, Duration: 45 ms - A.dll (net8.0)\nPassed!  - Failed:     0, Passed:     3, "
       "Skipped:     0, Total:     3, Duration: 5 ms - B.dll (net8.0)",
       counts(14, 1, 2, {"Calc.Tests.Adds"})},
      {"dotnet", "Total tests: 13\n     Passed: 12\n     Failed: 1\n Total time: 1.2 Seconds",
       counts(12, 1, 0)},
      {"dotnet", "Test summary: total: 13, failed: 1, succeeded: 11, skipped: 1, duration: 1.2s",
       counts(11, 1, 1)},
      {"dotnet", "Test run summary: Passed!\n  total: 4\n  failed: 0\n  succeeded: 3\n  skipped: 1",
       counts(3, 0, 1)},
      {"XCTest",
       "Test Case 'MathTests.testDiv' failed (0.01 seconds)\nTest Suite 'MathTests' failed at "
       "2026-01-01 10:00:00.000\n\t Executed 3 tests, with 1 failure (0 unexpected) in 0.01 (0.01) "
       "seconds\nTest Suite 'All tests' failed at 2026-01-01 10:00:00.000\n\t Executed 5 tests, "
       "with "
       "1 test skipped and 1 failure (0 unexpected) in 0.01 (0.01) seconds",
       counts(3, 1, 1, {"MathTests.testDiv"})},
      {"Swift Testing",
       "✘ Test adds() failed after 0.001 seconds with 2 issues.\n✘ Test run with 5 tests in 2 "
       "suites "
       "failed after 0.001 seconds with 2 issues.",
       counts(4, 1, 0, {"adds()"})},
      {"Swift Testing", "✔ Test run with 5 tests passed after 0.001 seconds.", counts(5, 0, 0)},
      {"gotestsum", "DONE 12 tests in 0.012s", counts(12, 0, 0)},
      {"gotestsum",
       "--- PASS: TestAdd (0.00s)\n--- FAIL: TestDiv (0.00s)\n=== FAIL: calc TestDiv "
       "(0.00s)\n\nDONE 2 "
       "runs, 12 tests, 1 skipped, 1 failure in 0.012s",
       counts(10, 1, 1, {"TestDiv"})},
      {"Gradle", "MathTest > adds() FAILED\n2 tests completed, 1 failed",
       counts(1, 1, 0, {"MathTest > adds()"})},
      {"none", "1 failure", std::nullopt},
      {"none", "5 tests, 2 of them new", std::nullopt},
      {"none", "Ran 3 tests in a row", std::nullopt},
      {"none", "OK (ready)", std::nullopt},
      {"none", "Executed 3 statements", std::nullopt},
      {"none", "all tests passed", std::nullopt},
      {"none", "I added 5 tests", std::nullopt},
      {"none", "2 skipped", std::nullopt},
      {"none", "waited 3 seconds", std::nullopt},
      {"none", "✓ builds in 3 s", std::nullopt},
      {"none", "", std::nullopt},
      {"colours", "\x1b[1mTests:\x1b[22m  \x1b[32m3 passed\x1b[39m, 3 total\r\n", counts(3, 0, 0)},
  };
  return kRows;
}

std::string in_words(const TestOutcome& o) {
  std::string words = fmt::format("{}/{}/{}", o.passed, o.failed, o.skipped);
  for (const auto& name : o.failed_tests) words += " [" + name + "]";
  return words;
}

TEST(TestOutput, IsReadRowByRow) {
  for (const Row& row : rows()) {
    const auto got = read_test_output(row.output, TextBounds::one_command);
    EXPECT_EQ(got ? in_words(*got) : "nothing", row.expected ? in_words(*row.expected) : "nothing")
        << row.framework << ": " << row.output;
  }
}

// Every number and every word in another colour.
TEST(TestOutput, IsReadInColours) {
  for (const Row& row : rows()) {
    if (row.output.find('\x1b') != std::string::npos) continue;
    std::string coloured;
    for (std::size_t i = 0; i < row.output.size(); ++i) {
      const bool begins = i == 0 || row.output[i - 1] == ' ' || row.output[i - 1] == '\n';
      if (begins && row.output[i] != ' ') coloured += "\x1b[0;1;38;5;204m";
      coloured += row.output[i];
    }
    const auto got = read_test_output(coloured, TextBounds::one_command);
    EXPECT_EQ(got ? in_words(*got) : "nothing", row.expected ? in_words(*row.expected) : "nothing")
        << row.framework << ": " << row.output;
  }
}

TEST(TestOutput, NumbersThatNobodyCanMeanAreNoCounts) {
  constexpr std::string_view kMost = "9223372036854775807";
  for (const std::string_view counts : {" tests, ", " doctests, "}) {
    const std::string line = std::string(kMost) + " tests, " + std::string(kMost) +
                             std::string(counts) + std::string(kMost) + " failures\n";
    EXPECT_EQ(read_test_output(line + line, TextBounds::one_command), std::nullopt);
  }
}

TEST(TestOutput, SummariesOfOneCommandAreAddedAndElsewhereTheLastCounts) {
  const std::string twice = "Tests:  1 failed, 1 total\nTests:  2 passed, 2 total\n";
  EXPECT_EQ(read_test_output(twice, TextBounds::one_command), counts(2, 1, 0));
  EXPECT_EQ(read_test_output(twice, TextBounds::unknown), counts(2, 0, 0));
  const std::string cargo =
      "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 0 "
      "ignored\n";
  EXPECT_EQ(read_test_output(cargo, TextBounds::unknown), counts(5, 0, 0));
}

}  // namespace
}  // namespace dragoman::test
