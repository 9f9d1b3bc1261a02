// SPDX-License-Identifier: Apache-2.0
// The official JSON Schema Test Suite, draft 2020-12: every required test, and the optional ones
// about what we promise.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

std::filesystem::path suite_dir() { return schema_data_dir() / "json-schema-suite"; }

std::vector<std::string> files_in(const std::string& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(suite_dir() / dir)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string case_name(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const std::vector<NamedText>& remotes() {
  static const std::vector<NamedText> texts = [] {
    auto all = texts_below(suite_dir() / "remotes", "http://localhost:1234/");
    for (NamedText& text : metaschema_texts()) all.push_back(std::move(text));
    return all;
  }();
  return texts;
}

class RequiredTests : public testing::TestWithParam<std::string> {};

TEST_P(RequiredTests, AllAnswerAsTheSuiteSays) {
  const Tally tally = run_cases(suite_dir() / "tests" / (GetParam() + ".json"),
                                {.documents = documents_of(remotes())});
  EXPECT_GT(tally.total, 0);
  RecordProperty("passed", tally.passed);
  RecordProperty("total", tally.total);
}

INSTANTIATE_TEST_SUITE_P(Suite, RequiredTests, testing::ValuesIn(files_in("tests")), case_name);

class OptionalTests : public testing::TestWithParam<std::string> {};

TEST_P(OptionalTests, AllAnswerAsTheSuiteSays) {
  run_cases(suite_dir() / "optional" / (GetParam() + ".json"),
            {.documents = documents_of(remotes()), .formats = schema::Formats::assert_known});
}

INSTANTIATE_TEST_SUITE_P(Suite, OptionalTests, testing::ValuesIn(files_in("optional")), case_name);

TEST(Suite, HasAllRequiredTestsOfTheCopiedCommit) {
  int total = 0;
  for (const std::string& name : files_in("tests")) {
    const auto cases = schema::Tree::parse(read_file(suite_dir() / "tests" / (name + ".json")));
    ASSERT_TRUE(cases);
    for (const schema::NodeId group : cases->children(schema::kRoot)) {
      total += static_cast<int>(cases->children(*cases->member(group, "tests")).size());
    }
  }
  EXPECT_EQ(total, 1176);
}

}  // namespace
}  // namespace dragoman::test
