// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_strict.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

#include "dragoman/schema/embedded.hpp"
#include "dragoman/schema/validator.hpp"

namespace dragoman {
namespace {

using Validators = std::map<std::string, schema::Validator, std::less<>>;

// Those of the envelopes, made ready when the first one is held to them.
const Validators& envelope_validators() {
  static const Validators all = [] {
    Validators validators;
    schema::ValidatorOptions options;
    options.formats = schema::Formats::assert_times;  // as `check` has it
    for (const schema::EmbeddedSchema& each : schema::all()) {
      if (!each.file.starts_with("delegator/")) continue;
      auto compiled = schema::Validator::with_id(each.id, options);
      if (compiled) validators.emplace(each.id, *std::move(compiled));
    }
    return validators;
  }();
  return all;
}

// The rule of docs/rules.md that a keyword of a schema stands for.
std::string_view rule_of(std::string_view schema_path) {
  const std::string_view keyword = schema_path.substr(schema_path.rfind('/') + 1);
  if (keyword == "required") return "missing_field";
  if (keyword == "type") return "field_type";
  if (keyword == "enum" || keyword == "const") return "unknown_value";
  return "schema";
}

}  // namespace

std::optional<Finding> delegator_fault(std::string_view json, const DelegatorEnvelope& envelope,
                                       Arena& arena) {
  const std::string id = schema_of(envelope);
  const auto known = envelope_validators().find(id);
  if (known == envelope_validators().end()) {
    return Finding{"unknown_value", arena.copy(fmt::format("there is no schema '{}'", id))};
  }
  const auto tree = schema::Tree::parse(std::string(json));
  if (!tree) return Finding{"schema", arena.copy(tree.error().message)};
  const auto findings = known->second.validate(*tree);
  if (!findings) return Finding{"schema", arena.copy(findings.error().message)};
  if (findings->empty()) return std::nullopt;
  const schema::Finding& first = findings->front();
  return Finding{rule_of(first.schema_path),
                 arena.copy(fmt::format("{}: {}", first.instance_path, first.message))};
}

}  // namespace dragoman
