// SPDX-License-Identifier: Apache-2.0
// Behind read_test_output: one recogniser for each framework, told every line in turn.
#pragma once

#include <cstdint>
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
};

struct TestSummary {
  Framework framework = Framework::jest;
  TestOutcome outcome;
  std::int64_t total = 0;  // where the framework gives that instead of what passed
};

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
  void see_names(std::string_view line);

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
  std::vector<std::string> crosses_, bullets_, files_, pytest_, cargo_, node_;
};

}  // namespace dragoman
