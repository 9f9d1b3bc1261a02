// SPDX-License-Identifier: Apache-2.0
// What a finding says, and what hostile schemas and instances can do: nothing.
#include "dragoman/schema/validator.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

using schema::Finding;
using schema::Tree;
using schema::Validator;
using schema::ValidatorOptions;

std::vector<Finding> findings(const std::string& schema, const std::string& instance,
                              const ValidatorOptions& options = {}) {
  const auto validator = Validator::compile(schema, options);
  if (!validator) return {{"", 0, "", "compile: " + validator.error().message, ""}};
  const auto tree = Tree::parse(instance);
  if (!tree) return {{"", 0, "", "parse: " + tree.error().message, ""}};
  auto result = validator->validate(*tree);
  if (!result) return {{"", 0, "", "error: " + result.error().message, ""}};
  return *std::move(result);
}

std::string compile_error(const std::string& schema) {
  const auto validator = Validator::compile(schema);
  return validator ? "" : validator.error().message;
}

TEST(Finding, SaysWhereWhatAndHow) {
  const std::vector<Finding> expected = {
      {"", 0, "#/required", "'b' is missing", "add 'b'"},
      {"/a/0/x", 13, "#/$defs/x/type", "expected number or null, got string", "How many."},
      {"/aa", 26, "#/additionalProperties", "is not a known property", "did you mean 'a'?"},
  };
  EXPECT_EQ(findings(R"({"required": ["b"], "additionalProperties": false, "$defs": {"x": {
      "type": ["number", "null"], "description": "How many."}}, "properties": {"b": true, "a":
      {"items": {"properties": {"x": {"$ref": "#/$defs/x"}}}}}})",
                     R"({"a": [{"x": "1"}], "aa": 1})"),
            expected);
}

TEST(Finding, NamesTheSchemaItComesFrom) {
  const auto validator = Validator::with_id("dragoman/event/v1");
  ASSERT_TRUE(validator);
  EXPECT_EQ(verdict(*validator, R"({"kind": "status", "data": {"progress": 120}, "origin": {
      "dialect": "wxcode", "stream": "stdout", "offset": 0, "length": 1, "line": 1,
      "channel": "stdout"}})"),
            "/data/progress @40 dragoman/event/status/v1#/properties/progress/maximum must be at "
            "most 100, got 120 [Percentage, clamped to 0..100.]\n");
}

TEST(Finding, SuggestsTheWordThatWasMeant) {
  const auto validator = Validator::with_id("wxcode/1.0.0/STATUS");
  ASSERT_TRUE(validator);
  EXPECT_EQ(verdict(*validator, R"({"status": "inprogress", "message": "m"})"),
            "/status @11 wxcode/1.0.0/STATUS#/properties/status/enum must be one of \"pending\", "
            "\"in_progress\", \"completed\", \"failed\", \"paused\", got \"inprogress\" "
            "[did you mean 'in_progress'?]\n");
}

TEST(Finding, SuggestsNothingFarFetched) {
  const std::string schema =
      R"({"properties": {"name": {}, "fame": {}}, "additionalProperties": false})";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"nam", "did you mean 'name'?"},
      {"game", "did you mean 'fame'?"},  // of two, the first
      {"title", ""},
      {"n", ""},
      {std::string(100, 'n'), ""},
  };
  for (const auto& [written, hint] : rows) {
    const auto found = findings(schema, "{\"" + written + "\": 1}");
    ASSERT_EQ(found.size(), 1U) << written;
    EXPECT_EQ(found[0].hint, hint) << written;
  }
}

TEST(Finding, HasAMessageForEachKeyword) {
  struct Row {
    std::string schema;
    std::string instance;
    std::string message;
  };
  const std::vector<Row> rows = {
      {"false", "1", "is not allowed here"},
      {R"({"type": "integer"})", "1.5", "expected integer, got 1.5"},
      {R"({"type": ["object", "null"]})", "[]", "expected object or null, got array"},
      {R"({"const": {"a": 1}})", "{}", R"(must be {"a": 1}, got object)"},
      {R"({"minimum": 3})", "2", "must be at least 3, got 2"},
      {R"({"maximum": 3})", "4", "must be at most 3, got 4"},
      {R"({"exclusiveMinimum": 3})", "3", "must be greater than 3, got 3"},
      {R"({"exclusiveMaximum": 3})", "3.0", "must be less than 3, got 3.0"},
      {R"({"multipleOf": 0.5})", "0.7", "must be a multiple of 0.5, got 0.7"},
      {R"({"minLength": 1})", R"("")", "must have at least 1 character, has 0"},
      {R"({"maxLength": 2})", R"("abc")", "must have at most 2 characters, has 3"},
      {R"({"pattern": "^a"})", R"("b")", R"(must match ^a, got "b")"},
      {R"({"minItems": 1})", "[]", "must have at least 1 item, has 0"},
      {R"({"maxItems": 0})", "[1]", "must have at most 0 items, has 1"},
      {R"({"uniqueItems": true})", "[1, 1]", "repeats an earlier item"},
      {R"({"contains": {"const": 1}})", "[]",
       "must contain at least 1 item of a certain kind, has 0"},
      {R"({"contains": true, "maxContains": 1})", "[1, 2]",
       "must contain at most 1 item of a certain kind, has 2"},
      {R"({"minProperties": 2})", "{}", "must have at least 2 properties, has 0"},
      {R"({"maxProperties": 1})", R"({"a": 1, "b": 2})", "must have at most 1 property, has 2"},
      {R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})", "'b' is missing beside 'a'"},
      {R"({"propertyNames": {"maxLength": 1}})", R"({"ab": 1})", "the name 'ab' is not allowed"},
      {R"({"unevaluatedProperties": false})", R"({"a": 1})", "is not allowed here"},
      {R"({"not": {}})", "1", "matches what is forbidden"},
      {R"({"not": {"type": "number", "pattern": "a"}})", "1", "matches what is forbidden"},
      {R"({"not": {"pattern": "^a"}})", R"("ab")", R"(must not match ^a, got "ab")"},
      {R"({"oneOf": [{}, {}]})", "1", "matches more than one of the alternatives, must match one"},
      {R"({"anyOf": [{"type": "null"}, {"type": "string"}]})", "1",
       "matches none of the 2 alternatives"},
  };
  for (const Row& row : rows) {
    const auto found = findings(row.schema, row.instance);
    ASSERT_EQ(found.size(), 1U) << row.schema;
    EXPECT_EQ(found[0].message, row.message) << row.schema;
  }
}

TEST(Finding, TellsTheNearestAlternative) {
  const auto found =
      findings(R"({"oneOf": [{"type": "string"}, {"properties": {"a": {"type": "integer"}}}]})",
               R"({"a": "x"})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].hint, "nearest: /a expected integer, got string");
}

TEST(Finding, ShowsLongValuesCut) {
  const auto found =
      findings(R"({"type": "object", "maxLength": 3})", "\"" + std::string(500, 'x') + "\"");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "expected object, got string");
  const auto numbers = findings(R"({"maximum": 3})", "1" + std::string(5000, '0'));
  ASSERT_EQ(numbers.size(), 1U);
  EXPECT_EQ(numbers[0].message, "must be at most 3, got 1" + std::string(39, '0') + "…");
}

TEST(Validator, StopsAtTheLimitOfFindings) {
  ValidatorOptions options;
  options.limits.findings = 3;
  const auto found = findings(R"({"items": {"type": "string"}})", "[1, 2, 3, 4, 5]", options);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].instance_path, "/2");
}

TEST(Validator, AssertsFormatsOnlyWhenTold) {
  const std::string schema = R"({"format": "uuid"})";
  EXPECT_EQ(findings(schema, R"("x")"), std::vector<Finding>{});
  ValidatorOptions options;
  options.formats = schema::Formats::assert_known;
  const std::vector<Finding> expected = {{"", 0, "#/format", R"(must be a uuid, got "x")", ""}};
  EXPECT_EQ(findings(schema, R"("x")", options), expected);
  options.formats = schema::Formats::assert_times;
  EXPECT_EQ(findings(schema, R"("x")", options), std::vector<Finding>{});
  EXPECT_EQ(findings(R"({"format": "date-time"})", R"("x")", options).size(), 1U);
}

TEST(Validator, TakesDocumentsThatAreHandedOver) {
  const std::string text = R"({"$defs": {"n": {"$anchor": "num", "type": "integer"}}})";
  ValidatorOptions options;
  options.documents = {{"https://example.com/lib", text}};
  const auto found =
      findings(R"({"items": {"$ref": "https://example.com/lib#num"}})", R"(["x"])", options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].schema_path, "https://example.com/lib#/$defs/n/type");
}

TEST(Validator, RefusesSchemasThatAreNone) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"{", "schema: not JSON at byte 1: unexpected end"},
      {"3", "schema #: a schema must be an object or a boolean"},
      {R"({"items": 3})", "schema #/items: a schema must be an object or a boolean"},
      {R"({"type": "float"})", "schema #/type: must be a type name or an array of type names"},
      {R"({"type": []})", "schema #/type: must not be empty"},
      {R"({"minLength": -1})", "schema #/minLength: must be a whole number, not negative"},
      {R"({"maxItems": 1.5})", "schema #/maxItems: must be a whole number, not negative"},
      {R"({"minimum": "1"})", "schema #/minimum: must be a number"},
      {R"({"multipleOf": 0})", "schema #/multipleOf: must be greater than 0"},
      {R"({"multipleOf": 0.1234567890123456789})",
       "schema #/multipleOf: must have at most 18 significant digits"},
      {R"({"required": "a"})", "schema #/required: must be an array of strings"},
      {R"({"required": [1]})", "schema #/required: must be an array of strings"},
      {R"({"properties": []})", "schema #/properties: must be an object"},
      {R"({"allOf": []})", "schema #/allOf: must be an array of schemas, not empty"},
      {R"({"enum": 1})", "schema #/enum: must be an array"},
      {R"({"uniqueItems": 1})", "schema #/uniqueItems: must be a boolean"},
      {R"re({"pattern": "("})re", "schema #/pattern: pattern '(': missing ): ("},
      {R"re({"patternProperties": {"(?=x)": {}}})re",
       "schema #/patternProperties: pattern '(?=x)': look-around is not supported"},
      {R"({"$ref": 1})", "schema #/$ref: must be a string"},
      {R"({"$ref": "#/$defs/x"})", "schema #/$ref: '' has no '#/$defs/x'"},
      {R"({"$ref": "#x"})", "schema #/$ref: '' has no '#x'"},
      {R"({"$ref": "https://example.com/"})",
       "schema #/$ref: no schema with the id 'https://example.com/'"},
      {R"({"$id": "a#b"})", "schema #/$id: must not have a fragment"},
      {R"({"$anchor": "1"})", "schema #/$anchor: must be a name"},
      {R"({"$schema": "http://json-schema.org/draft-07/schema#"})",
       "schema #/$schema: unknown metaschema 'http://json-schema.org/draft-07/schema'"},
  };
  for (const auto& [text, message] : rows) EXPECT_EQ(compile_error(text), message) << text;
  EXPECT_FALSE(Validator::with_id("dragoman/nothing/v1"));
}

TEST(Validator, DetectsSchemasThatReferToThemselvesWithoutEnd) {
  const std::vector<std::string> schemas = {
      R"({"$ref": "#"})",
      R"({"allOf": [{"$ref": "#"}]})",
      R"({"anyOf": [{"type": "string"}, {"$ref": "#"}]})",
      R"({"not": {"$ref": "#"}})",
      R"({"if": {"$ref": "#"}})",
      R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})",
      R"({"$dynamicAnchor": "x", "$dynamicRef": "#x"})",
      R"({"dependentSchemas": {"a": {"$ref": "#"}}})",
  };
  for (const std::string& schema : schemas) {
    const auto found = findings(schema, R"({"a": 1})");
    ASSERT_EQ(found.size(), 1U) << schema;
    EXPECT_TRUE(found[0].message.ends_with("refers to itself without end"))
        << schema << ": " << found[0].message;
  }
  EXPECT_EQ(findings(R"({"propertyNames": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}})",
                     R"({"a": {"b": {}}})"),
            std::vector<Finding>{});
}

TEST(Validator, GivesUpOnSchemasThatTakeForEver) {
  std::string schema = R"({"$ref": "#/$defs/0", "$defs": {)";
  for (int i = 0; i < 60; ++i) {
    const std::string ref = R"({"$ref": "#/$defs/)" + std::to_string(i + 1) + "\"}";
    schema.append("\"").append(std::to_string(i)).append(R"(": {"allOf": [)");
    schema.append(ref).append(", ").append(ref).append("]},");
  }
  schema += R"("60": true}})";
  ValidatorOptions options;
  options.limits.steps = 100'000;
  const auto found = findings(schema, "1", options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "error: validating takes too many steps");
}

TEST(Validator, FollowsInstancesAsDeepAsATreeCanBe) {
  const std::string schema = R"({"type": ["array", "integer"], "items": {"$ref": "#"}})";
  const std::size_t depth = json::kMaxDepth;
  EXPECT_EQ(findings(schema, std::string(depth, '[') + std::string(depth, ']')),
            std::vector<Finding>{});
  const auto found = findings(schema, std::string(depth, '[') + "null" + std::string(depth, ']'));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "expected array or integer, got null");
}

TEST(Validator, GivesUpWhereReferencesNestTooDeep) {
  std::string schema = R"({"$ref": "#/$defs/0", "$defs": {)";
  for (int i = 0; i < 5000; ++i) {
    schema +=
        "\"" + std::to_string(i) + R"(": {"$ref": "#/$defs/)" + std::to_string(i + 1) + "\"},";
  }
  schema += R"("5000": true}})";
  const auto found = findings(schema, "1");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "error: the schema nests or refers too deep");
}

TEST(Validator, SpendsLittleStackOnTheDeepestNesting) {
  const std::string schema =
      R"({"$defs": {"a": {"anyOf": [{"type": "string"}, {"oneOf": [{"$ref": "#"}, false]}]}},
          "type": "object", "propertyNames": {"minLength": 1},
          "additionalProperties": {"$ref": "#/$defs/a"}, "unevaluatedProperties": false})";
  std::string instance;
  for (unsigned i = 1; i < json::kMaxDepth; ++i) instance += R"({"x":)";
  instance += "1" + std::string(json::kMaxDepth - 1, '}');
  const auto found = findings(schema, instance);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "error: the schema nests or refers too deep");
}

TEST(Validator, CompilesDeepAndWideSchemas) {
  std::string deep;
  for (int i = 0; i < 255; ++i) deep += R"({"items":)";
  deep += "true" + std::string(255, '}');
  EXPECT_EQ(compile_error(deep), "");
  std::string wide = R"({"properties": {)";
  for (int i = 0; i < 20'000; ++i) wide += "\"p" + std::to_string(i) + R"(": {"type": "integer"},)";
  wide.back() = '}';
  EXPECT_EQ(compile_error(wide + "}"), "");
}

TEST(Validator, TakesLinearTimeForManyItemsAndMembers) {
  std::string array = "[";
  std::string object = "{";
  for (int i = 0; i < 50'000; ++i) {
    array += std::to_string(i) + ",";
    object += "\"k" + std::to_string(i) + "\":1,";
  }
  array.back() = ']';
  object.back() = '}';
  EXPECT_EQ(findings(R"({"uniqueItems": true, "unevaluatedItems": {"type": "integer"}})", array),
            std::vector<Finding>{});
  EXPECT_EQ(
      findings(R"({"patternProperties": {"^k": {}}, "unevaluatedProperties": false})", object),
      std::vector<Finding>{});
}

TEST(Validator, MayBeUsedByManyThreads) {
  const auto validator = Validator::with_id("codex/v3.6/wait_result/v1");
  ASSERT_TRUE(validator);
  const auto tree = Tree::parse(R"({"status": "ok"})");
  ASSERT_TRUE(tree);
  std::vector<std::size_t> counts(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(counts.size());
    for (std::size_t& count : counts) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const auto found = validator->validate(*tree);
          count = found ? found->size() : 0;
        }
      });
    }
  }
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 8));
}

}  // namespace
}  // namespace dragoman::test
