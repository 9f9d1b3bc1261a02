// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/embedded.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/schema/canonical.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

TEST(EmbeddedSchemas, AreAllThereUnderTheirIds) {
  std::map<std::string, std::string> expected = {
      {"dragoman/event/v1", "event/event.json"},
      {"claude/question/v1", "question.json"},
  };
  for (const char* kind : {"session_started",
                           "command_started",
                           "text",
                           "thinking",
                           "tool_started",
                           "tool_finished",
                           "status",
                           "question",
                           "blocked",
                           "files_changed",
                           "next_action",
                           "failure",
                           "usage",
                           "rate_limited",
                           "completion_claimed",
                           "turn_finished",
                           "finished",
                           "artifact_updated",
                           "server_ready",
                           "goto",
                           "context_request",
                           "test_results",
                           "lint_warnings",
                           "dependency_needed",
                           "commit_suggestion",
                           "quoted_marker",
                           "malformed",
                           "oversize",
                           "unknown",
                           "diagnostic"}) {
    const std::string name = kind;
    expected.emplace("dragoman/event/" + name + "/v1", "event/" + name + ".json");
  }
  for (const char* type : {"HEADER", "TOOL", "TOOL_RESULT", "STATUS", "NEXT_ACTION", "ERROR"}) {
    const std::string name = type;
    expected.emplace("wxcode/1.0.0/" + name, "wxcode/" + name + ".json");
  }
  for (const char* category :
       {"execution_ack", "wait_result", "status_snapshot", "result_set", "registry_info"}) {
    const std::string name = category;
    expected.emplace("codex/v3.6/" + name + "/v1", "delegator/" + name + ".json");
  }
  std::map<std::string, std::string> found;
  for (const schema::EmbeddedSchema& s : schema::all()) found.emplace(s.id, s.file);
  EXPECT_EQ(found, expected);
}

TEST(EmbeddedSchemas, AreTheFilesOfTheSourceTree) {
  for (const schema::EmbeddedSchema& s : schema::all()) {
    EXPECT_EQ(s.text, read_file(source_dir() / "schemas" / s.file)) << s.file;
    EXPECT_EQ(schema::find(s.id), s);
  }
  EXPECT_EQ(schema::find("dragoman/event/nothing/v1"), std::nullopt);
}

TEST(EmbeddedSchemas, ObeyTheMetaschema) {
  const auto texts = metaschema_texts();
  const auto metaschema = schema::Validator::with_id("https://json-schema.org/draft/2020-12/schema",
                                                     {.documents = documents_of(texts)});
  ASSERT_TRUE(metaschema) << metaschema.error().message;
  for (const schema::EmbeddedSchema& s : schema::all()) {
    EXPECT_EQ(verdict(*metaschema, std::string(s.text)), "") << s.file;
  }
  EXPECT_EQ(verdict(*metaschema, R"({"properties": {"a": {"type": "strin"}}})").substr(0, 24),
            "/properties/a/type @30 h");
  EXPECT_NE(verdict(*metaschema, R"({"minLength": -1})"), "");
  EXPECT_NE(verdict(*metaschema, R"({"$defs": {"x": 1}})"), "");
}

TEST(EmbeddedSchemas, CompileOnTheirOwn) {
  for (const schema::EmbeddedSchema& s : schema::all()) {
    const auto validator = schema::Validator::with_id(s.id);
    EXPECT_TRUE(validator) << validator.error().message;
  }
}

TEST(EmbeddedSchemas, DescribeEveryField) {
  for (const schema::EmbeddedSchema& s : schema::all()) {
    const auto tree = schema::Tree::parse(std::string(s.text));
    ASSERT_TRUE(tree) << s.file;
    for (const char* keyword : {"$schema", "$id", "title", "description"}) {
      EXPECT_TRUE(tree->member(schema::kRoot, keyword)) << s.file << " has no " << keyword;
    }
    const auto properties = tree->member(schema::kRoot, "properties");
    ASSERT_TRUE(properties) << s.file;
    for (const schema::NodeId field : tree->children(*properties)) {
      const bool described = tree->member(field, "description") || tree->member(field, "$ref");
      EXPECT_TRUE(described) << s.file << tree->path(field);
    }
  }
}

// Each Delegator schema stands alone, so that one file can be handed to a client; what they have in
// common must then be the same in all.
TEST(EmbeddedSchemas, ShareTheDefinitionsOfTheDelegator) {
  std::map<std::string, std::string> first;
  std::set<std::string> shared;
  for (const schema::EmbeddedSchema& s : schema::all()) {
    if (!s.file.starts_with("delegator/")) continue;
    const auto tree = schema::Tree::parse(std::string(s.text));
    ASSERT_TRUE(tree);
    for (const schema::NodeId def : tree->children(*tree->member(schema::kRoot, "$defs"))) {
      const std::string name(tree->key(def));
      if (name == "ok_meta" || name == "ok_data") continue;
      const std::string text = schema::canonical(*tree, def);
      const auto [known, added] = first.emplace(name, text);
      if (!added) shared.insert(name);
      EXPECT_EQ(known->second, text) << s.file << " has its own " << name;
    }
  }
  EXPECT_TRUE(shared.contains("error") && shared.contains("output") && shared.contains("metadata"));
}

}  // namespace
}  // namespace dragoman::test
