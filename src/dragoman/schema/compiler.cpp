// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/compiler.hpp"

#include <array>
#include <utility>

#include "dragoman/schema/uri.hpp"

namespace dragoman::schema {
namespace {

template <typename Rules>
Rules& in(std::unique_ptr<Rules>& rules) {
  if (!rules) rules = std::make_unique<Rules>();
  return *rules;
}

}  // namespace

Result<void> compile_into(Program& program, Location root) { return Compiler(program).run(root); }

std::span<const Compiler::Entry> Compiler::entries() {
  using V = Vocabulary;
  static constexpr std::array kEntries = {
      Entry{"$ref", V::core, &Compiler::ref},
      Entry{"$dynamicRef", V::core, &Compiler::dynamic_ref},
      Entry{"allOf", V::applicator, &Compiler::logic},
      Entry{"anyOf", V::applicator, &Compiler::logic},
      Entry{"oneOf", V::applicator, &Compiler::logic},
      Entry{"not", V::applicator, &Compiler::logic},
      Entry{"if", V::applicator, &Compiler::logic},
      Entry{"then", V::applicator, &Compiler::logic},
      Entry{"else", V::applicator, &Compiler::logic},
      Entry{"prefixItems", V::applicator, &Compiler::array_keyword},
      Entry{"items", V::applicator, &Compiler::array_keyword},
      Entry{"contains", V::applicator, &Compiler::array_keyword},
      Entry{"properties", V::applicator, &Compiler::property_map},
      Entry{"patternProperties", V::applicator, &Compiler::property_map},
      Entry{"dependentSchemas", V::applicator, &Compiler::property_map},
      Entry{"additionalProperties", V::applicator, &Compiler::object_keyword},
      Entry{"propertyNames", V::applicator, &Compiler::object_keyword},
      Entry{"unevaluatedItems", V::unevaluated, &Compiler::array_keyword},
      Entry{"unevaluatedProperties", V::unevaluated, &Compiler::object_keyword},
      Entry{"type", V::validation, &Compiler::types},
      Entry{"const", V::validation, &Compiler::const_value},
      Entry{"enum", V::validation, &Compiler::enum_values},
      Entry{"minimum", V::validation, &Compiler::number_keyword},
      Entry{"maximum", V::validation, &Compiler::number_keyword},
      Entry{"exclusiveMinimum", V::validation, &Compiler::number_keyword},
      Entry{"exclusiveMaximum", V::validation, &Compiler::number_keyword},
      Entry{"multipleOf", V::validation, &Compiler::number_keyword},
      Entry{"minLength", V::validation, &Compiler::string_keyword},
      Entry{"maxLength", V::validation, &Compiler::string_keyword},
      Entry{"pattern", V::validation, &Compiler::string_keyword},
      Entry{"format", V::core, &Compiler::string_keyword},
      Entry{"minItems", V::validation, &Compiler::array_keyword},
      Entry{"maxItems", V::validation, &Compiler::array_keyword},
      Entry{"minContains", V::validation, &Compiler::array_keyword},
      Entry{"maxContains", V::validation, &Compiler::array_keyword},
      Entry{"uniqueItems", V::validation, &Compiler::array_keyword},
      Entry{"minProperties", V::validation, &Compiler::object_keyword},
      Entry{"maxProperties", V::validation, &Compiler::object_keyword},
      Entry{"required", V::validation, &Compiler::object_keyword},
      Entry{"dependentRequired", V::validation, &Compiler::dependent_required},
  };
  return kEntries;
}

Result<void> Compiler::run(Location root) {
  program_.root = schema_at(root);
  for (;;) {
    while (!waiting_.empty()) {
      const SchemaId id = waiting_.back();
      waiting_.pop_back();
      DRAGOMAN_CHECK(compile(id));
    }
    add_dynamic_anchors();
    if (waiting_.empty()) return {};
  }
}

SchemaId Compiler::schema_at(Location where) {
  const auto next = static_cast<SchemaId>(program_.schemas.size());
  const auto [known, added] = program_.by_location.emplace(where, next);
  if (added) {
    Schema& schema = program_.schemas.emplace_back();
    schema.where = where;
    schema.resource = documents_.resource_of(where);
    waiting_.push_back(next);
  }
  return known->second;
}

// A $dynamicRef may lead to any of them, depending on how it is reached.
void Compiler::add_dynamic_anchors() {
  for (; resources_seen_ < documents_.resources().size(); ++resources_seen_) {
    for (const auto& [name, where] : documents_.resources()[resources_seen_].dynamic_anchors) {
      schema_at(where);
    }
  }
}

Result<void> Compiler::compile(SchemaId id) {
  const Location where = program_.schemas[id].where;
  tree_index_ = where.document;
  if (tree().is(where.node, json::Kind::boolean)) {
    program_.schemas[id].fixed = tree().is_true(where.node);
    return {};
  }
  if (!tree().is(where.node, json::Kind::object)) {
    return documents_.refuse(where, {}, "a schema must be an object or a boolean");
  }
  // Compiling adds schemas, which may move the others: fill this one apart from them.
  Schema schema = std::move(program_.schemas[id]);
  DRAGOMAN_CHECK(compile_keywords(schema));
  program_.schemas[id] = std::move(schema);
  return {};
}

Result<void> Compiler::compile_keywords(Schema& schema) {
  const Vocabularies used = documents_.resources()[schema.resource].vocabularies;
  for (const Entry& entry : entries()) {
    const bool skipped = (entry.vocabulary == Vocabulary::applicator && !used.applicator) ||
                         (entry.vocabulary == Vocabulary::validation && !used.validation) ||
                         (entry.vocabulary == Vocabulary::unevaluated && !used.unevaluated);
    const auto value = tree().member(schema.where.node, entry.name);
    if (skipped || !value) continue;
    DRAGOMAN_CHECK((this->*entry.method)({schema, entry.name, *value}));
  }
  return {};
}

Result<void> Compiler::ref(const Keyword& k) {
  if (!tree().is(k.value, json::Kind::string)) return refuse(k, "must be a string");
  const auto target = documents_.find(k.schema.where, tree().string(k.value));
  if (!target) return refuse(k, target.error().message);
  in(k.schema.logic).ref = schema_at(*target);
  return {};
}

Result<void> Compiler::dynamic_ref(const Keyword& k) {
  if (!tree().is(k.value, json::Kind::string)) return refuse(k, "must be a string");
  const auto target = documents_.find(k.schema.where, tree().string(k.value));
  if (!target) return refuse(k, target.error().message);
  DynamicRef& dynamic = in(k.schema.logic).dynamic_ref;
  dynamic.target = schema_at(*target);
  // It is dynamic only where it names a $dynamicAnchor to begin with.
  std::string name = percent_decoded(split_fragment(tree().string(k.value)).fragment);
  const Resource& resource = documents_.resources()[documents_.resource_of(*target)];
  const auto anchor = resource.dynamic_anchors.find(name);
  if (anchor != resource.dynamic_anchors.end() && anchor->second == *target) {
    dynamic.anchor = std::move(name);
  }
  return {};
}

Result<void> Compiler::logic(const Keyword& k) {
  LogicRules& rules = in(k.schema.logic);
  if (k.name == "allOf") return set_list(rules.all_of, k);
  if (k.name == "anyOf") return set_list(rules.any_of, k);
  if (k.name == "oneOf") return set_list(rules.one_of, k);
  if (k.name == "not") return set_schema(rules.not_schema, k);
  if (k.name == "if") return set_schema(rules.if_schema, k);
  if (k.name == "then") return set_schema(rules.then_schema, k);
  return set_schema(rules.else_schema, k);
}

Result<void> Compiler::array_keyword(const Keyword& k) {
  ArrayRules& rules = in(k.schema.array);
  if (k.name == "prefixItems") return set_list(rules.prefix_items, k);
  if (k.name == "items") return set_schema(rules.items, k);
  if (k.name == "contains") return set_schema(rules.contains, k);
  if (k.name == "unevaluatedItems") return set_schema(rules.unevaluated, k);
  if (k.name == "minItems") return set_count(rules.min_items, k);
  if (k.name == "maxItems") return set_count(rules.max_items, k);
  if (k.name == "maxContains") return set_count(rules.max_contains, k);
  if (k.name == "minContains") {
    std::optional<std::uint64_t> count;
    DRAGOMAN_CHECK(set_count(count, k));
    rules.min_contains = *count;
    return {};
  }
  if (!tree().is(k.value, json::Kind::boolean)) return refuse(k, "must be a boolean");
  rules.unique_items = tree().is_true(k.value);
  return {};
}

Result<void> Compiler::object_keyword(const Keyword& k) {
  ObjectRules& rules = in(k.schema.object);
  if (k.name == "additionalProperties") return set_schema(rules.additional, k);
  if (k.name == "propertyNames") return set_schema(rules.names, k);
  if (k.name == "unevaluatedProperties") return set_schema(rules.unevaluated, k);
  if (k.name == "minProperties") return set_count(rules.min_properties, k);
  if (k.name == "maxProperties") return set_count(rules.max_properties, k);
  DRAGOMAN_TRY(rules.required, names_in(k, k.value));
  return {};
}

Result<void> Compiler::property_map(const Keyword& k) {
  if (!tree().is(k.value, json::Kind::object)) return refuse(k, "must be an object");
  ObjectRules& rules = in(k.schema.object);
  for (const NodeId member : tree().children(k.value)) {
    const std::string name(tree().key(member));
    const SchemaId id = schema_at(member);
    if (k.name == "properties") {
      rules.properties.emplace(name, id);
    } else if (k.name == "dependentSchemas") {
      rules.dependent_schemas.emplace_back(name, id);
    } else {
      auto pattern = Pattern::compile(name);
      if (!pattern) return refuse(k, pattern.error().message);
      rules.pattern_properties.emplace_back(*std::move(pattern), id);
    }
  }
  return {};
}

Result<void> Compiler::dependent_required(const Keyword& k) {
  if (!tree().is(k.value, json::Kind::object)) return refuse(k, "must be an object");
  for (const NodeId member : tree().children(k.value)) {
    DRAGOMAN_TRY(auto names, names_in(k, member));
    in(k.schema.object).dependent_required.emplace_back(tree().key(member), std::move(names));
  }
  return {};
}

}  // namespace dragoman::schema
