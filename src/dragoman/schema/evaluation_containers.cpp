// SPDX-License-Identifier: Apache-2.0
// Keywords that look into arrays and objects.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/schema/canonical.hpp"
#include "dragoman/schema/evaluation.hpp"

namespace dragoman::schema {
namespace {

std::string counted_properties(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "property" : "properties");
}

}  // namespace

bool Evaluation::check_array(const Frame& f, const ArrayRules& rules) {
  const std::uint64_t size = tree_->children(f.node).size();
  bool ok = true;
  if (rules.min_items && size < *rules.min_items) {
    ok = fail(f, {"minItems", fmt::format("must have at least {}, has {}",
                                          counted(*rules.min_items, "item"), size)});
  }
  if (!stop(ok) && rules.max_items && size > *rules.max_items) {
    ok = fail(f, {"maxItems", fmt::format("must have at most {}, has {}",
                                          counted(*rules.max_items, "item"), size)});
  }
  if (!stop(ok) && rules.unique_items) ok = check_unique(f) && ok;
  if (!stop(ok)) ok = check_items(f, rules) && ok;
  if (!stop(ok) && rules.contains != kNoSchema) ok = check_contains(f, rules) && ok;
  return ok;
}

bool Evaluation::check_items(const Frame& f, const ArrayRules& rules) {
  const auto children = tree_->children(f.node);
  const std::size_t prefix = std::min(rules.prefix_items.size(), children.size());
  const std::size_t end = rules.items == kNoSchema ? prefix : children.size();
  bool ok = true;
  for (std::size_t i = 0; i < end && !stop(ok); ++i) {
    ok = apply(i < prefix ? rules.prefix_items[i] : rules.items, children[i], nullptr) && ok;
  }
  if (f.evaluated != nullptr) {
    f.evaluated->all = f.evaluated->all || rules.items != kNoSchema;
    for (std::size_t i = 0; i < prefix; ++i) {
      f.evaluated->places.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return ok;
}

bool Evaluation::check_contains(const Frame& f, const ArrayRules& rules) {
  const auto children = tree_->children(f.node);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!apply_quietly(rules.contains, children[i], nullptr)) continue;
    ++found;
    if (f.evaluated != nullptr) f.evaluated->places.push_back(static_cast<std::uint32_t>(i));
    if (!fault_.empty()) return false;
  }
  if (found < rules.min_contains) {
    const bool written = rules.min_contains != 1;
    return fail(f, {written ? "minContains" : "contains",
                    fmt::format("must contain at least {} of a certain kind, has {}",
                                counted(rules.min_contains, "item"), found)});
  }
  if (rules.max_contains && found > *rules.max_contains) {
    return fail(f, {"maxContains", fmt::format("must contain at most {} of a certain kind, has {}",
                                               counted(*rules.max_contains, "item"), found)});
  }
  return true;
}

bool Evaluation::check_unique(const Frame& f) {
  spend(tree_->raw(f.node).size() / 16);
  std::unordered_set<std::string> seen;
  for (const NodeId child : tree_->children(f.node)) {
    if (seen.insert(canonical(*tree_, child)).second) continue;
    return fail_at(f, child, {"uniqueItems", "repeats an earlier item"});
  }
  return true;
}

bool Evaluation::check_object(const Frame& f, const ObjectRules& rules) {
  const std::uint64_t size = tree_->children(f.node).size();
  bool ok = true;
  if (rules.min_properties && size < *rules.min_properties) {
    ok = fail(f, {"minProperties", fmt::format("must have at least {}, has {}",
                                               counted_properties(*rules.min_properties), size)});
  }
  if (!stop(ok) && rules.max_properties && size > *rules.max_properties) {
    ok = fail(f, {"maxProperties", fmt::format("must have at most {}, has {}",
                                               counted_properties(*rules.max_properties), size)});
  }
  if (!stop(ok)) ok = check_presence(f, rules) && ok;
  if (!stop(ok)) ok = check_members(f, rules) && ok;
  if (!stop(ok)) ok = check_dependents(f, rules) && ok;
  return ok;
}

bool Evaluation::check_presence(const Frame& f, const ObjectRules& rules) {
  bool ok = true;
  spend(rules.required.size() / 8);
  for (const std::string& name : rules.required) {
    if (tree_->member(f.node, name)) continue;
    ok = fail(f, {"required", fmt::format("'{}' is missing", name), fmt::format("add '{}'", name)});
    if (stop(ok)) return false;
  }
  for (const auto& [present, names] : rules.dependent_required) {
    if (!tree_->member(f.node, present)) continue;
    for (const std::string& name : names) {
      if (tree_->member(f.node, name)) continue;
      ok = fail(f, {"dependentRequired", fmt::format("'{}' is missing beside '{}'", name, present),
                    fmt::format("add '{}'", name)});
      if (stop(ok)) return false;
    }
  }
  return ok;
}

bool Evaluation::check_members(const Frame& f, const ObjectRules& rules) {
  if (rules.properties.empty() && rules.pattern_properties.empty() &&
      rules.additional == kNoSchema && rules.names == kNoSchema) {
    return true;
  }
  const std::size_t size = tree_->children(f.node).size();
  bool ok = true;
  for (std::size_t i = 0; i < size && !stop(ok); ++i) {
    ok = check_member(f, rules, static_cast<std::uint32_t>(i)) && ok;
  }
  return ok;
}

bool Evaluation::check_member(const Frame& f, const ObjectRules& rules, std::uint32_t place) {
  const NodeId member = tree_->children(f.node)[place];
  const std::string_view name = tree_->key(member);
  spend(1 + rules.pattern_properties.size() * (1 + name.size() / 64));
  bool ok = rules.names == kNoSchema || check_name(f, rules, member);
  bool looked_at = false;
  const auto look = [&](SchemaId id) {
    looked_at = true;
    if (!stop(ok)) ok = apply(id, member, nullptr) && ok;
  };
  if (const auto own = rules.properties.find(std::string(name)); own != rules.properties.end()) {
    look(own->second);
  }
  for (const auto& [pattern, id] : rules.pattern_properties) {
    if (pattern.found_in(name)) look(id);
  }
  if (!looked_at && rules.additional != kNoSchema) {
    looked_at = true;
    if (program_.schemas[rules.additional].fixed == false) {
      std::vector<std::string_view> names;
      names.reserve(rules.properties.size());
      for (const auto& [known, id] : rules.properties) names.push_back(known);
      ok = fail_at(f, member,
                   {"additionalProperties", "is not a known property",
                    quiet() ? std::string() : did_you_mean(name, names)});
    } else {
      look(rules.additional);
    }
  }
  if (looked_at && f.evaluated != nullptr) f.evaluated->places.push_back(place);
  return ok;
}

// The name is a value of its own: a text of one string.
bool Evaluation::check_name(const Frame& f, const ObjectRules& rules, NodeId member) {
  const Tree name = Tree::of_string(tree_->key(member));
  const Tree* instance = std::exchange(tree_, &name);
  const bool ok = apply_quietly(rules.names, kRoot, nullptr);
  tree_ = instance;
  if (ok || quiet()) return ok;
  return fail_at(f, member,
                 {"propertyNames", fmt::format("the name '{}' is not allowed",
                                               utf8::prefix(tree_->key(member), 60))});
}

bool Evaluation::check_dependents(const Frame& f, const ObjectRules& rules) {
  bool ok = true;
  for (const auto& [present, id] : rules.dependent_schemas) {
    if (stop(ok)) return false;
    if (tree_->member(f.node, present)) ok = apply(id, f.node, f.evaluated) && ok;
  }
  return ok;
}

bool Evaluation::check_unevaluated(const Frame& f, SchemaId id) {
  if (id == kNoSchema || f.evaluated == nullptr || f.evaluated->all) return true;
  const auto children = tree_->children(f.node);
  std::vector<bool> known(children.size());
  for (const std::uint32_t place : f.evaluated->places) known[place] = true;
  bool ok = true;
  for (std::size_t i = 0; i < children.size() && !stop(ok); ++i) {
    if (!known[i]) ok = apply(id, children[i], nullptr) && ok;
  }
  f.evaluated->all = true;
  return ok;
}

}  // namespace dragoman::schema
