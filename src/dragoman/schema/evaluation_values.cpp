// SPDX-License-Identifier: Apache-2.0
// Keywords that look at a single value.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/schema/canonical.hpp"
#include "dragoman/schema/evaluation.hpp"
#include "dragoman/schema/format.hpp"

namespace dragoman::schema {
namespace {

std::string names_of(TypeSet types) {
  constexpr std::array kKinds = {json::Kind::object, json::Kind::array,   json::Kind::string,
                                 json::Kind::number, json::Kind::boolean, json::Kind::null_};
  std::string out;
  const auto add = [&out](std::string_view name) {
    if (!out.empty()) out.append(" or ");
    out.append(name);
  };
  for (const json::Kind kind : kKinds) {
    if ((types & type_bit(kind)) != 0) add(kind_name(kind));
    if (kind == json::Kind::number && (types & kIntegerBit) != 0) add("integer");
  }
  return out;
}

std::string_view plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

}  // namespace

bool Evaluation::check_type(const Frame& f) {
  const TypeSet wanted = f.schema.types;
  const json::Kind kind = tree_->kind(f.node);
  if (wanted == 0 || (wanted & type_bit(kind)) != 0) return true;
  if (kind == json::Kind::number && (wanted & kIntegerBit) != 0) {
    if (Decimal::parse(tree_->raw(f.node)).is_integer()) return true;
  }
  return fail(f,
              {"type", fmt::format("expected {}, got {}", names_of(wanted),
                                   kind == json::Kind::number ? shown(f.node) : kind_name(kind))});
}

bool Evaluation::check_values(const Frame& f, const AllowedValues& values,
                              std::string_view keyword) {
  if ((values.types & type_bit(tree_->kind(f.node))) != 0) {
    spend(tree_->raw(f.node).size() / 16);
    const std::string here = canonical(*tree_, f.node);
    const auto& allowed = values.canonical;
    if (std::find(allowed.begin(), allowed.end(), here) != allowed.end()) return true;
  }
  if (quiet()) return false;
  const Tree& schema = program_.documents.tree(f.schema.where.document);
  if (keyword == "const") {
    return fail(
        f, {keyword, fmt::format("must be {}, got {}", utf8::prefix(schema.raw(values.listed), 200),
                                 shown(f.node))});
  }
  std::string list;
  std::vector<std::string_view> names;
  for (const NodeId value : schema.children(values.listed)) {
    if (schema.is(value, json::Kind::string)) names.push_back(schema.string(value));
    if (list.size() > 400) continue;  // long lists are in the schema
    if (!list.empty()) list.append(", ");
    list.append(utf8::prefix(schema.raw(value), 60));
  }
  const bool is_text = tree_->is(f.node, json::Kind::string);
  return fail(f, {keyword, fmt::format("must be one of {}, got {}", list, shown(f.node)),
                  is_text ? did_you_mean(tree_->string(f.node), names) : std::string()});
}

bool Evaluation::check_number(const Frame& f, const NumberRules& rules) {
  const Decimal value = Decimal::parse(tree_->raw(f.node));
  spend(value.digits.size() / 16);
  bool ok = true;
  const auto demand = [&](bool holds, std::string_view keyword, std::string_view what) {
    if (holds) return;
    const Tree& schema = program_.documents.tree(f.schema.where.document);
    const auto limit = schema.member(f.schema.where.node, keyword);
    ok = fail(f, {keyword, fmt::format("must be {} {}, got {}", what,
                                       limit ? schema.raw(*limit) : "", shown(f.node))});
  };
  if (rules.minimum) demand(value >= *rules.minimum, "minimum", "at least");
  if (rules.maximum) demand(value <= *rules.maximum, "maximum", "at most");
  if (rules.exclusive_minimum) {
    demand(value > *rules.exclusive_minimum, "exclusiveMinimum", "greater than");
  }
  if (rules.exclusive_maximum) {
    demand(value < *rules.exclusive_maximum, "exclusiveMaximum", "less than");
  }
  if (rules.multiple_of) {
    demand(is_multiple(value, *rules.multiple_of), "multipleOf", "a multiple of");
  }
  return ok;
}

bool Evaluation::check_string(const Frame& f, const StringRules& rules) {
  const std::string_view text = tree_->string(f.node);
  spend(text.size() / 64);
  bool ok = true;
  if (rules.min_length || rules.max_length) {
    const std::uint64_t length = utf8::count(text);
    if (rules.min_length && length < *rules.min_length) {
      ok = fail(f, {"minLength",
                    fmt::format("must have at least {} {}, has {}", *rules.min_length,
                                plural(*rules.min_length, "character", "characters"), length)});
    }
    if (rules.max_length && length > *rules.max_length) {
      ok = fail(f, {"maxLength",
                    fmt::format("must have at most {} {}, has {}", *rules.max_length,
                                plural(*rules.max_length, "character", "characters"), length)});
    }
  }
  const auto spelled = [&](std::string_view keyword) {
    const Tree& schema = program_.documents.tree(f.schema.where.document);
    return schema.string(*schema.member(f.schema.where.node, keyword));
  };
  if (rules.pattern && !rules.pattern->found_in(text)) {
    ok = fail(f, {"pattern", fmt::format("must match {}, got {}",
                                         utf8::prefix(spelled("pattern"), 200), shown(f.node))});
  }
  const bool asserted = program_.formats == Formats::assert_known ||
                        (program_.formats == Formats::assert_times && rules.format == "date-time");
  if (asserted && !has_format(rules.format, text)) {
    ok = fail(f, {"format", fmt::format("must be a {}, got {}", rules.format, shown(f.node))});
  }
  return ok;
}

}  // namespace dragoman::schema
