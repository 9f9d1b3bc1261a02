// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/emit_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/refused.hpp"

namespace dragoman {
namespace {

using std::string_view;

Result<void> check_number(const EmitField& field, string_view value) {
  const json::ParsedNumber parsed = json::parse_number(value);
  if (parsed.fault == json::NumberFault::spelling)
    return refused(fmt::format("{}: '{}' is not a number", field.name, value));
  const bool percent = field.name == "progress";
  const double real = parsed.value.real;
  const bool fits = !percent || (real >= 0 && real <= 100);
  if (parsed.fault == json::NumberFault::none && fits) return {};
  return refused(fmt::format("{}: '{}' is not within {}", field.name, value,
                             percent ? "0 and 100" : "the range of numbers"));
}

Result<void> check_value(const EmitField& field, string_view value) {
  if (!utf8::valid(value)) return refused(fmt::format("{}: not UTF-8", field.name));
  switch (field.type) {
    case EmitType::text:
    case EmitType::list:
      if (field.required && trimmed(value).empty())
        return refused(fmt::format("{}: is empty", field.name));
      return {};
    case EmitType::number:
      return check_number(field, value);
    case EmitType::boolean:
      if (value == "true" || value == "false") return {};
      return refused(fmt::format("{}: '{}' is neither true nor false", field.name, value));
    case EmitType::choice:
      if (std::ranges::find(field.choices, value) != field.choices.end()) return {};
      return refused(fmt::format("{}: '{}' is not one of {}", field.name, value,
                                 fmt::join(field.choices, ", ")));
  }
  return {};
}

}  // namespace

Error misused(std::string message) {
  return {ErrorCode::validation, std::move(message), std::string(kMisused)};
}

Result<EmitArguments> EmitArguments::check(const EmitKind& kind,
                                           std::span<const EmitArgument> given, Arena& arena) {
  EmitArguments arguments;
  arguments.arena_ = &arena;
  for (const EmitArgument& argument : given) {
    const auto field = std::ranges::find(kind.fields, argument.name, &EmitField::name);
    if (field == kind.fields.end()) {
      return misused(fmt::format("{} has no field '{}'", kind.name, argument.name));
    }
    const bool again = arguments.text(field->name).data() != nullptr;
    if (again && field->type != EmitType::list) {
      return misused(fmt::format("{}: given twice", field->name));
    }
    DRAGOMAN_CHECK(check_value(*field, argument.value));
    arguments.given_.push_back({field->name, arena.copy(string_view(argument.value))});
  }
  for (const EmitField& field : kind.fields) {
    if (field.required && arguments.text(field.name).data() == nullptr) {
      return refused(fmt::format("{}: is missing", field.name));
    }
  }
  return arguments;
}

string_view EmitArguments::text(string_view field) const {
  const auto found = std::ranges::find(given_, field, &Given::field);
  return found != given_.end() ? found->value : string_view();
}

std::optional<Number> EmitArguments::number(string_view field) const {
  const string_view value = text(field);
  if (value.data() == nullptr) return std::nullopt;
  return json::parse_number(value).value;
}

std::optional<std::int64_t> EmitArguments::integer(string_view field) const {
  const auto value = number(field);
  return value ? value->whole() : std::nullopt;
}

std::optional<bool> EmitArguments::boolean(string_view field) const {
  const string_view value = text(field);
  if (value.data() == nullptr) return std::nullopt;
  return value == "true";
}

std::vector<string_view> EmitArguments::list(string_view field) const {
  std::vector<string_view> values;
  for (const Given& one : given_) {
    if (one.field == field) values.push_back(one.value);
  }
  return values;
}

}  // namespace dragoman
