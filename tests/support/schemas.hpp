// SPDX-License-Identifier: Apache-2.0
// Schema cases kept as JSON files, in the form of the JSON Schema Test Suite:
// [{"description", "schema", "tests": [{"description", "data", "valid"}]}].
#pragma once

#include <filesystem>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/schema/validator.hpp"
#include "tests/support/files.hpp"

namespace dragoman::schema {

inline void PrintTo(const Finding& f, std::ostream* out) {
  *out << f.instance_path << " @" << f.offset << " " << f.schema_path << " " << f.message;
  if (!f.hint.empty()) *out << " [" << f.hint << "]";
}

}  // namespace dragoman::schema

namespace dragoman::test {

inline std::filesystem::path schema_data_dir() { return source_dir() / "tests" / "data"; }

// Texts of the files below `dir`, named by the URI they would have at `root`.
struct NamedText {
  std::string uri;
  std::string text;
};
inline std::vector<NamedText> texts_below(const std::filesystem::path& dir,
                                          const std::string& root) {
  std::vector<NamedText> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
    if (entry.path().extension() != ".json") continue;
    texts.push_back({root + std::filesystem::relative(entry.path(), dir).generic_string(),
                     read_file(entry.path())});
  }
  return texts;
}

// The metaschema and its vocabularies; ids without a file ending, as published.
inline std::vector<NamedText> metaschema_texts() {
  auto texts = texts_below(schema_data_dir() / "json-schema-metaschema",
                           "https://json-schema.org/draft/2020-12/");
  for (NamedText& text : texts) text.uri.resize(text.uri.size() - std::string(".json").size());
  return texts;
}

inline std::vector<schema::SchemaDocument> documents_of(const std::vector<NamedText>& texts) {
  std::vector<schema::SchemaDocument> documents;
  documents.reserve(texts.size());
  for (const NamedText& text : texts) documents.push_back({text.uri, text.text});
  return documents;
}

// Findings of `instance`, one a line; "error: …" where no answer can be given.
inline std::string verdict(const schema::Validator& validator, const std::string& instance) {
  const auto tree = schema::Tree::parse(instance);
  if (!tree) return "error: " + tree.error().message;
  const auto findings = validator.validate(*tree);
  if (!findings) return "error: " + findings.error().message;
  std::ostringstream out;
  for (const schema::Finding& finding : *findings) {
    PrintTo(finding, &out);
    out << "\n";
  }
  return out.str();
}

struct Tally {
  int passed = 0;
  int total = 0;
};

// Runs every test of a file in the suite's form and reports each wrong answer.
inline Tally run_cases(const std::filesystem::path& file, const schema::ValidatorOptions& options) {
  Tally tally;
  // Numbers must reach the validator as they are written, so values are cut out of the text.
  const auto cases = schema::Tree::parse(read_file(file));
  if (!cases) {
    ADD_FAILURE() << file << ": " << cases.error().message;
    return tally;
  }
  const schema::Tree& t = *cases;
  for (const schema::NodeId group : t.children(schema::kRoot)) {
    const auto validator =
        schema::Validator::compile(std::string(t.raw(*t.member(group, "schema"))), options);
    for (const schema::NodeId test : t.children(*t.member(group, "tests"))) {
      ++tally.total;
      const std::string data(t.raw(*t.member(test, "data")));
      const std::string answer =
          validator ? verdict(*validator, data) : "error: " + validator.error().message;
      const bool expected = t.is_true(*t.member(test, "valid"));
      const bool right = !answer.starts_with("error") && answer.empty() == expected;
      tally.passed += right ? 1 : 0;
      EXPECT_TRUE(right) << file.filename() << ": " << t.string(*t.member(group, "description"))
                         << ": " << t.string(*t.member(test, "description")) << "\nexpected "
                         << (expected ? "valid" : "invalid") << ", got: " << answer;
    }
  }
  return tally;
}

// The instances of a file of our own cases,
// [{"description", "schema", "valid": [instance], "invalid": [instance]}]. An instance of the form
// {"$base": N, "set": {pointer: value}, "remove": [pointer]} is the Nth valid one, changed.
struct Case {
  std::string description;
  std::string schema;
  std::string instance;
  bool valid = false;
};

inline std::string changed(const std::string& base, const std::string& change) {
  nlohmann::ordered_json instance = nlohmann::ordered_json::parse(base);
  const auto steps = nlohmann::ordered_json::parse(change);
  using Pointer = nlohmann::ordered_json::json_pointer;
  if (steps.contains("set")) {
    for (const auto& [pointer, value] : steps["set"].items()) instance[Pointer(pointer)] = value;
  }
  if (steps.contains("remove")) {
    for (const auto& pointer : steps["remove"]) {
      const Pointer path(pointer.get<std::string>());
      EXPECT_TRUE(instance.contains(path)) << change;
      instance[path.parent_pointer()].erase(path.back());
    }
  }
  return instance.dump();
}

inline std::vector<Case> read_cases(const std::filesystem::path& file) {
  std::vector<Case> cases;
  const auto tree = schema::Tree::parse(read_file(file));
  if (!tree) {
    ADD_FAILURE() << file << ": " << tree.error().message;
    return cases;
  }
  const schema::Tree& t = *tree;
  for (const schema::NodeId group : t.children(schema::kRoot)) {
    const auto bases = t.children(*t.member(group, "valid"));
    for (const bool valid : {true, false}) {
      for (const schema::NodeId node : t.children(*t.member(group, valid ? "valid" : "invalid"))) {
        std::string instance(t.raw(node));
        if (t.is(node, dragoman::json::Kind::object) && t.member(node, "$base")) {
          const auto base = std::stoul(std::string(t.raw(*t.member(node, "$base"))));
          instance = changed(std::string(t.raw(bases[base])), instance);
        }
        cases.push_back({std::string(t.string(*t.member(group, "description"))),
                         std::string(t.raw(*t.member(group, "schema"))), std::move(instance),
                         valid});
      }
    }
  }
  return cases;
}

}  // namespace dragoman::test
