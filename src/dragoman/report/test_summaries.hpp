// SPDX-License-Identifier: Apache-2.0
// Behind read_test_output: one recogniser for each framework, told every line in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/report/test_output.hpp"

namespace dragoman {

enum class Framework : std::uint8_t {
  jest,
  vitest,
  pytest,
  mocha,
  go,
  cargo,
  ctest,
  googletest,
  surefire,
  gradle,
  launcher,
  node,
  rspec,
  minitest,
  exunit,
  phpunit,
  unittest,
  dotnet,
  nextest,
  deno,
  bun,
  swift,
  gotestsum,
};

struct TestSummary {
  Framework framework = Framework::jest;
  TestOutcome outcome;
  std::int64_t total = 0;  // where the framework gives that instead of what passed
};

// Each once, and not more than anybody wants to read.
void keep_name(std::vector<std::string>& names, std::string_view name);

// Collects summaries in the order in which they appear.
class TestSummaries {
 public:
  void see(std::string_view line);
  // Settles what several lines say together.
  void finish();
  [[nodiscard]] const std::vector<TestSummary>& found() const { return found_; }

 private:
  [[nodiscard]] bool see_jest(std::string_view text);
  [[nodiscard]] bool see_vitest(std::string_view text);
  [[nodiscard]] bool see_pytest(std::string_view line);
  [[nodiscard]] bool see_mocha(std::string_view line);
  [[nodiscard]] bool see_go(std::string_view line);
  [[nodiscard]] bool see_cargo(std::string_view line);
  [[nodiscard]] bool see_ctest(std::string_view line);
  [[nodiscard]] bool see_googletest(std::string_view line);
  [[nodiscard]] bool see_surefire(std::string_view line);
  [[nodiscard]] bool see_gradle(std::string_view line);
  [[nodiscard]] bool see_node(std::string_view line);
  [[nodiscard]] bool see_counted(std::string_view text);
  [[nodiscard]] bool see_phpunit(std::string_view text);
  [[nodiscard]] bool see_unittest(std::string_view text);
  [[nodiscard]] bool see_dotnet(std::string_view text);
  [[nodiscard]] bool see_nextest(std::string_view text);
  [[nodiscard]] bool see_deno(std::string_view text);
  [[nodiscard]] bool see_bun(std::string_view text);
  [[nodiscard]] bool see_swift(std::string_view text);
  void see_names(std::string_view line);
  [[nodiscard]] bool see_other_names(std::string_view text);
  std::vector<std::string>* names_of(Framework framework);

  TestSummary& add(Framework framework);
  // The newest summary of the framework, unless another framework's came after it.
  TestSummary* open(Framework framework);
  void finish_go();
  void finish_names();

  std::vector<TestSummary> found_;
  std::vector<TestSummary> classes_;  // Surefire: one a class
  struct {
    bool verbose = false;
    std::int64_t passed = 0, failed = 0, skipped = 0, ok_packages = 0, failed_packages = 0;
    std::vector<std::string> names;
    std::size_t place = 0;  // among found_, when it was first seen
    bool seen = false;
  } go_;
  enum class List : std::uint8_t { none, ctest_failed, ctest_not_run, gtest_failed, mocha_failed };
  List list_ = List::none;
  std::optional<std::int64_t> unittest_ran_;
  bool dotnet_table_ = false;  // a count on each line
  std::optional<TestOutcome> bun_;
  struct {
    bool suites = false;  // some were named,
    bool whole = false;   // and the last of them is all there is
    std::int64_t failed = 0;
    std::vector<std::string> names;
  } swift_;
  bool minitest_name_ = false;  // the next line has one
  std::vector<std::string> crosses_, bullets_, files_, pytest_, cargo_, node_, rspec_, minitest_,
      exunit_, phpunit_, unittest_, dotnet_, nextest_, deno_, bun_names_, gotestsum_, gradle_;
};

}  // namespace dragoman
