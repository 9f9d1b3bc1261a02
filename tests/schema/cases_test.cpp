// SPDX-License-Identifier: Apache-2.0
// Our own cases: each keyword from both sides, and the schemas of schemas/ with the examples of the
// source documents. tests/schema/ajv_check.mjs holds ajv to the same answers.
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/scale.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

constexpr std::array<const char*, 5> kFiles = {"keywords", "wxcode", "question", "delegator",
                                               "event"};

std::vector<Case> cases_of(const std::string& file) {
  return read_cases(schema_data_dir() / "schema-cases" / (file + ".json"));
}

// Validators by their schema: compiled once, used for all instances.
class Validators {
 public:
  const schema::Validator* get(const std::string& text) {
    auto known = by_text_.find(text);
    if (known == by_text_.end()) {
      known = by_text_.emplace(text, schema::Validator::compile(text)).first;
    }
    if (!known->second) {
      ADD_FAILURE() << known->second.error().message;
      return nullptr;
    }
    return &*known->second;
  }

 private:
  std::map<std::string, Result<schema::Validator>> by_text_;
};

class Cases : public testing::TestWithParam<const char*> {};

TEST_P(Cases, AreAnsweredAsExpected) {
  Validators validators;
  for (const Case& c : cases_of(GetParam())) {
    const schema::Validator* validator = validators.get(c.schema);
    ASSERT_NE(validator, nullptr) << c.description;
    const std::string answer = verdict(*validator, c.instance);
    EXPECT_EQ(answer.empty(), c.valid) << c.description << ": " << c.instance << "\n" << answer;
    EXPECT_FALSE(answer.starts_with("error")) << c.description << ": " << answer;
  }
}

INSTANTIATE_TEST_SUITE_P(Schema, Cases, testing::ValuesIn(kFiles),
                         [](const testing::TestParamInfo<const char*>& file) {
                           return std::string(file.param);
                         });

// `tree` as text with `node` left out, or with `text` in its place.
void append_changed(std::string& out, const schema::Tree& tree, schema::NodeId at,
                    const std::pair<schema::NodeId, std::string>& change) {
  if (at == change.first) {
    out += change.second;
    return;
  }
  const bool object = tree.is(at, json::Kind::object);
  if (!object && !tree.is(at, json::Kind::array)) {
    out += tree.raw(at);
    return;
  }
  out += object ? '{' : '[';
  bool first = true;
  for (const schema::NodeId child : tree.children(at)) {
    if (child == change.first && change.second.empty()) continue;
    if (!std::exchange(first, false)) out += ',';
    if (object) out += '"' + std::string(tree.key(child)) + "\":";
    append_changed(out, tree, child, change);
  }
  out += object ? '}' : ']';
}

// Every valid instance of the embedded schemas with each of its values replaced or left out. What
// is right is not known here; ajv says so when DRAGOMAN_MUTATIONS names a file to write them to.
TEST(Mutations, AreAllAnswered) {
  const std::array<std::string, 11> replacements = {
      "", "null", "true", "0", "-1", "1.5", R"("")", R"("x")", "[]", "{}", R"([{"x":1},"y"])"};
  const char* path = std::getenv("DRAGOMAN_MUTATIONS");
  std::ofstream file;
  if (path != nullptr) file.open(path);
  constexpr std::size_t kAll = 1000;
  const std::size_t stride = kAll / scaled(kAll);  // 1 in ./dev soak
  Validators validators;
  std::size_t number = 0;
  std::size_t valid = 0;
  std::size_t invalid = 0;
  for (const char* name : {"wxcode", "question", "delegator", "event"}) {
    for (const Case& c : cases_of(name)) {
      if (!c.valid) continue;
      const schema::Validator* validator = validators.get(c.schema);
      const auto tree = schema::Tree::parse(c.instance);
      ASSERT_TRUE(tree);
      for (schema::NodeId node = 1; node < tree->size(); ++node) {
        for (const std::string& replacement : replacements) {
          if (++number % stride != 0) continue;
          std::string changed;
          append_changed(changed, *tree, schema::kRoot, {node, replacement});
          const std::string answer = verdict(*validator, changed);
          ASSERT_FALSE(answer.starts_with("error")) << changed << "\n" << answer;
          ++(answer.empty() ? valid : invalid);
          file << R"({"schema":)" << c.schema << R"(,"instance":)" << changed << R"(,"valid":)"
               << (answer.empty() ? "true" : "false") << "}\n";
        }
      }
    }
  }
  EXPECT_GT(valid, 1000 / stride);
  EXPECT_GT(invalid, 10000 / stride);
}

}  // namespace
}  // namespace dragoman::test
