// SPDX-License-Identifier: Apache-2.0
// The first line is a schema, the rest an instance; both may be anything. Whatever they are, the
// answer is an error or findings that point into the instance, twice the same, and a value equals
// itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dragoman/schema/validator.hpp"

namespace {

using dragoman::schema::Finding;
using dragoman::schema::NodeId;
using dragoman::schema::Tree;
using dragoman::schema::Validator;
using dragoman::schema::ValidatorOptions;

void demand(bool law) {
  if (!law) std::abort();
}

ValidatorOptions options() {
  ValidatorOptions options;
  options.formats = dragoman::schema::Formats::assert_known;
  options.limits.findings = 8;
  options.limits.steps = 20'000;
  return options;
}

void check_tree(const Tree& tree, std::size_t size) {
  for (NodeId node = 0; node < tree.size(); ++node) {
    demand(tree.offset(node) + tree.raw(node).size() <= size);
    for (const NodeId child : tree.children(node)) {
      demand(child > node && tree.parent(child) == node);
      if (!tree.is(node, dragoman::json::Kind::object)) continue;
      demand(tree.member(node, tree.key(child)) == child);
    }
  }
}

void check_equality(const Tree& tree) {
  const std::string text = "{\"const\":" + std::string(tree.raw(0)) + "}";
  const auto same = Validator::compile(text, options());
  if (!same) return;  // one level deeper than a schema may be
  const auto findings = same->validate(tree);
  demand(!findings || findings->empty());
}

void check_findings(const Validator& validator, const Tree& tree, std::size_t size) {
  const auto once = validator.validate(tree);
  const auto twice = validator.validate(tree);
  demand(once.has_value() == twice.has_value());
  if (!once) return;
  demand(*once == *twice && once->size() <= options().limits.findings);
  for (const Finding& finding : *once) {
    demand(finding.offset < size && !finding.message.empty() && !finding.schema_path.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find('\n');
  const std::string schema(input.substr(0, cut));
  const std::string instance(cut == std::string_view::npos ? "" : input.substr(cut + 1));
  const auto validator = Validator::compile(schema, options());
  const auto tree = Tree::parse(instance);
  if (!tree) return 0;
  check_tree(*tree, instance.size());
  check_equality(*tree);
  if (validator) check_findings(*validator, *tree, instance.size());
  return 0;
}
