// SPDX-License-Identifier: Apache-2.0
// Schemas made ready for evaluation. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/schema/decimal.hpp"
#include "dragoman/schema/documents.hpp"
#include "dragoman/schema/pattern.hpp"

namespace dragoman::schema {

using SchemaId = std::uint32_t;
inline constexpr SchemaId kNoSchema = std::numeric_limits<SchemaId>::max();

// One bit per json::Kind, and one for numbers that are whole.
using TypeSet = std::uint8_t;
inline constexpr TypeSet kIntegerBit = 1U << 6U;
[[nodiscard]] constexpr TypeSet type_bit(json::Kind kind) {
  return static_cast<TypeSet>(1U << static_cast<unsigned>(kind));
}

// Values by their canonical form, as const and enum want them.
struct AllowedValues {
  TypeSet types = 0;  // kinds that occur, so that most mismatches cost nothing
  std::vector<std::string> canonical;
  NodeId listed = kRoot;  // the keyword's value in the schema
};

struct NumberRules {
  std::optional<Decimal> minimum;
  std::optional<Decimal> maximum;
  std::optional<Decimal> exclusive_minimum;
  std::optional<Decimal> exclusive_maximum;
  std::optional<Decimal> multiple_of;
};

struct StringRules {
  std::optional<std::uint64_t> min_length;
  std::optional<std::uint64_t> max_length;
  std::optional<Pattern> pattern;
  std::string format;
};

struct ArrayRules {
  std::optional<std::uint64_t> min_items;
  std::optional<std::uint64_t> max_items;
  std::uint64_t min_contains = 1;
  std::optional<std::uint64_t> max_contains;
  bool unique_items = false;
  std::vector<SchemaId> prefix_items;
  SchemaId items = kNoSchema;
  SchemaId contains = kNoSchema;
  SchemaId unevaluated = kNoSchema;
};

struct ObjectRules {
  std::optional<std::uint64_t> min_properties;
  std::optional<std::uint64_t> max_properties;
  std::vector<std::string> required;
  std::unordered_map<std::string, SchemaId> properties;
  std::vector<std::pair<Pattern, SchemaId>> pattern_properties;
  SchemaId additional = kNoSchema;
  SchemaId names = kNoSchema;
  SchemaId unevaluated = kNoSchema;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required;
  std::vector<std::pair<std::string, SchemaId>> dependent_schemas;
};

struct DynamicRef {
  SchemaId target = kNoSchema;
  std::string anchor;  // not empty: the outermost schema in scope with this $dynamicAnchor wins
};

// Schemas applied to the instance itself.
struct LogicRules {
  SchemaId ref = kNoSchema;
  DynamicRef dynamic_ref;
  std::vector<SchemaId> all_of;
  std::vector<SchemaId> any_of;
  std::vector<SchemaId> one_of;
  SchemaId not_schema = kNoSchema;
  SchemaId if_schema = kNoSchema;
  SchemaId then_schema = kNoSchema;
  SchemaId else_schema = kNoSchema;
};

struct Schema {
  Location where;
  ResourceId resource = 0;
  std::optional<bool> fixed;  // the schemas true and false
  TypeSet types = 0;          // 0: any
  std::optional<AllowedValues> constant;
  std::optional<AllowedValues> enumeration;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<LogicRules> logic;
};

// Everything reachable from `root`. Immutable once compiled, so threads may share it.
class Program {
 public:
  explicit Program(const ValidatorOptions& options)
      : documents(options.documents), formats(options.formats), limits(options.limits) {}

  Documents documents;
  std::vector<Schema> schemas;
  std::map<Location, SchemaId> by_location;
  SchemaId root = 0;
  Formats formats;
  Limits limits;
};

// Compiles the schema at `root` and all it refers to into `program`, whose documents hold it.
Result<void> compile_into(Program& program, Location root);

}  // namespace dragoman::schema
