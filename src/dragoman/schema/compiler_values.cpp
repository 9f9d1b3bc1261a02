// SPDX-License-Identifier: Apache-2.0
// The keywords that look at single values, and what keyword values themselves must be.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dragoman/schema/canonical.hpp"
#include "dragoman/schema/compiler.hpp"

namespace dragoman::schema {
namespace {

struct TypeName {
  std::string_view name;
  TypeSet bits;
};
constexpr std::array<TypeName, 7> kTypeNames = {{
    {"null", type_bit(json::Kind::null_)},
    {"boolean", type_bit(json::Kind::boolean)},
    {"number", type_bit(json::Kind::number)},
    {"integer", kIntegerBit},
    {"string", type_bit(json::Kind::string)},
    {"array", type_bit(json::Kind::array)},
    {"object", type_bit(json::Kind::object)},
}};

TypeSet type_named(std::string_view name) {
  for (const TypeName& type : kTypeNames) {
    if (type.name == name) return type.bits;
  }
  return 0;
}

// Lengths beyond any text we read all mean the same.
constexpr std::uint64_t kHugeCount = std::uint64_t{1} << 62U;

}  // namespace

Result<void> Compiler::set_schema(SchemaId& slot, const Keyword& k) {
  slot = schema_at(k.value);
  return {};
}

Result<void> Compiler::set_list(std::vector<SchemaId>& list, const Keyword& k) {
  if (!tree().is(k.value, json::Kind::array) || tree().children(k.value).empty()) {
    return refuse(k, "must be an array of schemas, not empty");
  }
  for (const NodeId child : tree().children(k.value)) list.push_back(schema_at(child));
  return {};
}

Result<void> Compiler::set_count(std::optional<std::uint64_t>& slot, const Keyword& k) {
  if (tree().is(k.value, json::Kind::number)) {
    const Decimal value = Decimal::parse(tree().raw(k.value));
    if (value.is_integer() && !value.negative) {
      const auto whole = value.whole();
      slot = whole ? static_cast<std::uint64_t>(*whole) : kHugeCount;
      return {};
    }
  }
  return refuse(k, "must be a whole number, not negative");
}

Result<void> Compiler::set_number(std::optional<Decimal>& slot, const Keyword& k) {
  if (!tree().is(k.value, json::Kind::number)) return refuse(k, "must be a number");
  slot = Decimal::parse(tree().raw(k.value));
  return {};
}

Result<std::vector<std::string>> Compiler::names_in(const Keyword& k, NodeId list) const {
  if (!tree().is(list, json::Kind::array)) return refuse(k, "must be an array of strings");
  std::vector<std::string> names;
  for (const NodeId child : tree().children(list)) {
    if (!tree().is(child, json::Kind::string)) return refuse(k, "must be an array of strings");
    names.emplace_back(tree().string(child));
  }
  return names;
}

Result<void> Compiler::types(const Keyword& k) {
  const bool list = tree().is(k.value, json::Kind::array);
  for (const NodeId name : list ? tree().children(k.value) : std::span(&k.value, 1)) {
    const TypeSet bits =
        tree().is(name, json::Kind::string) ? type_named(tree().string(name)) : TypeSet{0};
    if (bits == 0) return refuse(k, "must be a type name or an array of type names");
    k.schema.types = static_cast<TypeSet>(k.schema.types | bits);
  }
  if (k.schema.types == 0) return refuse(k, "must not be empty");
  return {};
}

void Compiler::allow(AllowedValues& values, NodeId value) const {
  values.types = static_cast<TypeSet>(values.types | type_bit(tree().kind(value)));
  values.canonical.push_back(canonical(tree(), value));
}

Result<void> Compiler::const_value(const Keyword& k) {
  k.schema.constant.emplace().listed = k.value;
  allow(*k.schema.constant, k.value);
  return {};
}

Result<void> Compiler::enum_values(const Keyword& k) {
  if (!tree().is(k.value, json::Kind::array)) return refuse(k, "must be an array");
  AllowedValues& values = k.schema.enumeration.emplace();
  values.listed = k.value;
  for (const NodeId child : tree().children(k.value)) allow(values, child);
  return {};
}

Result<void> Compiler::number_keyword(const Keyword& k) {
  if (!k.schema.number) k.schema.number = std::make_unique<NumberRules>();
  NumberRules& rules = *k.schema.number;
  if (k.name == "minimum") return set_number(rules.minimum, k);
  if (k.name == "maximum") return set_number(rules.maximum, k);
  if (k.name == "exclusiveMinimum") return set_number(rules.exclusive_minimum, k);
  if (k.name == "exclusiveMaximum") return set_number(rules.exclusive_maximum, k);
  DRAGOMAN_CHECK(set_number(rules.multiple_of, k));
  if (rules.multiple_of->negative || rules.multiple_of->digits.empty()) {
    return refuse(k, "must be greater than 0");
  }
  if (rules.multiple_of->digits.size() > kMaxDivisorDigits) {
    return refuse(k, fmt::format("must have at most {} significant digits", kMaxDivisorDigits));
  }
  return {};
}

Result<void> Compiler::string_keyword(const Keyword& k) {
  if (!k.schema.string) k.schema.string = std::make_unique<StringRules>();
  StringRules& rules = *k.schema.string;
  if (k.name == "minLength") return set_count(rules.min_length, k);
  if (k.name == "maxLength") return set_count(rules.max_length, k);
  if (!tree().is(k.value, json::Kind::string)) return refuse(k, "must be a string");
  if (k.name == "format") {
    rules.format = tree().string(k.value);
    return {};
  }
  auto pattern = Pattern::compile(tree().string(k.value));
  if (!pattern) return refuse(k, pattern.error().message);
  rules.pattern = *std::move(pattern);
  return {};
}

}  // namespace dragoman::schema
