// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/evaluation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::schema {
namespace {

// Schemas applied inside one another: two for each level of the deepest instance, and some. A
// schema can put any number of references between two levels; each costs stack, at most 4 KiB with
// sanitizers on.
constexpr std::size_t kMaxNesting = 1100;

constexpr std::size_t kShownCodePoints = 40;

// Bytes to insert, leave out or change.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view kind_name(json::Kind kind) {
  switch (kind) {
    case json::Kind::null_:
      return "null";
    case json::Kind::boolean:
      return "boolean";
    case json::Kind::number:
      return "number";
    case json::Kind::string:
      return "string";
    case json::Kind::array:
      return "array";
    case json::Kind::object:
      return "object";
  }
  return "";
}

Result<std::vector<Finding>> Evaluation::run() {
  apply(program_.root, kRoot, nullptr);
  if (!fault_.empty()) return Error{ErrorCode::validation, fault_};
  return std::move(findings_);
}

bool Evaluation::enter(SchemaId id, NodeId node) {
  if (active_.size() >= kMaxNesting) fault_ = "the schema nests or refers too deep";
  std::uint64_t looked_at = 0;
  for (auto above = active_.rbegin(); above != active_.rend(); ++above, ++looked_at) {
    if (above->node != node || above->tree != tree_) break;
    if (above->schema == id) {
      fault_ = fmt::format("schema {} refers to itself without end",
                           program_.documents.name(program_.schemas[id].where, {}));
    }
  }
  spend(1 + looked_at / 8);
  return fault_.empty();
}

void Evaluation::spend(std::uint64_t steps) {
  steps_ += steps;
  if (steps_ > program_.limits.steps) fault_ = "validating takes too many steps";
}

bool Evaluation::apply(SchemaId id, NodeId node, Evaluated* evaluated) {
  if (!fault_.empty() || !enter(id, node)) return false;
  const Schema& schema = program_.schemas[id];
  if (schema.fixed) {
    return *schema.fixed || fail({schema, node, nullptr}, {{}, "is not allowed here"});
  }
  active_.push_back({id, tree_, node});
  scope_.push_back(schema.resource);
  const bool asks = (schema.array && schema.array->unevaluated != kNoSchema) ||
                    (schema.object && schema.object->unevaluated != kNoSchema);
  Evaluated here;
  const bool ok = apply_keywords({schema, node, asks || evaluated != nullptr ? &here : nullptr});
  scope_.pop_back();
  active_.pop_back();
  if (ok && evaluated != nullptr) evaluated->add(here);
  return ok;
}

bool Evaluation::apply_keywords(const Frame& f) {
  const Schema& s = f.schema;
  bool ok = check_type(f);
  if (!stop(ok) && s.constant) ok = check_values(f, *s.constant, "const") && ok;
  if (!stop(ok) && s.enumeration) ok = check_values(f, *s.enumeration, "enum") && ok;
  const json::Kind kind = tree_->kind(f.node);
  if (!stop(ok) && s.number && kind == json::Kind::number) ok = check_number(f, *s.number) && ok;
  if (!stop(ok) && s.string && kind == json::Kind::string) ok = check_string(f, *s.string) && ok;
  if (!stop(ok) && s.array && kind == json::Kind::array) ok = check_array(f, *s.array) && ok;
  if (!stop(ok) && s.object && kind == json::Kind::object) ok = check_object(f, *s.object) && ok;
  if (!stop(ok) && s.logic) ok = check_logic(f, *s.logic) && ok;
  // What all the others have left over comes last.
  if (!stop(ok) && s.array && kind == json::Kind::array) {
    ok = check_unevaluated(f, s.array->unevaluated) && ok;
  }
  if (!stop(ok) && s.object && kind == json::Kind::object) {
    ok = check_unevaluated(f, s.object->unevaluated) && ok;
  }
  return ok;
}

bool Evaluation::apply_quietly(SchemaId id, NodeId node, Evaluated* evaluated) {
  ++muted_;
  const bool ok = apply(id, node, evaluated);
  --muted_;
  return ok;
}

bool Evaluation::check_logic(const Frame& f, const LogicRules& rules) {
  bool ok = true;
  if (rules.ref != kNoSchema) ok = apply(rules.ref, f.node, f.evaluated);
  if (!stop(ok) && rules.dynamic_ref.target != kNoSchema) {
    ok = apply(dynamic_target(rules.dynamic_ref), f.node, f.evaluated) && ok;
  }
  for (const SchemaId branch : rules.all_of) {
    if (stop(ok)) return false;
    ok = apply(branch, f.node, f.evaluated) && ok;
  }
  if (!stop(ok) && !rules.any_of.empty()) ok = check_any_of(f, rules.any_of) && ok;
  if (!stop(ok) && !rules.one_of.empty()) ok = check_one_of(f, rules.one_of) && ok;
  if (!stop(ok) && rules.not_schema != kNoSchema &&
      apply_quietly(rules.not_schema, f.node, nullptr)) {
    ok = fail(f, {"not", forbidden(f)});
  }
  if (!stop(ok) && rules.if_schema != kNoSchema) ok = check_condition(f, rules) && ok;
  return ok;
}

// What "not" says of the value: the pattern where there is one, as a whole schema is too much.
std::string Evaluation::forbidden(const Frame& f) const {
  const Tree& schema = program_.documents.tree(f.schema.where.document);
  const NodeId banned = *schema.member(f.schema.where.node, "not");
  const auto pattern =
      schema.kind(banned) == json::Kind::object ? schema.member(banned, "pattern") : std::nullopt;
  if (!pattern || tree_->kind(f.node) != json::Kind::string) return "matches what is forbidden";
  return fmt::format("must not match {}, got {}", utf8::prefix(schema.string(*pattern), 200),
                     shown(f.node));
}

bool Evaluation::check_any_of(const Frame& f, const std::vector<SchemaId>& branches) {
  bool any = false;
  for (const SchemaId branch : branches) {
    any = apply_quietly(branch, f.node, f.evaluated) || any;
    // Each matching branch adds to what is evaluated, so with somebody asking all are needed.
    if (any && f.evaluated == nullptr) return true;
  }
  if (any || quiet()) return any;
  return fail(f, {"anyOf", fmt::format("matches none of the {} alternatives", branches.size()),
                  nearest(f, branches)});
}

bool Evaluation::check_one_of(const Frame& f, const std::vector<SchemaId>& branches) {
  std::size_t matching = 0;
  Evaluated of_match;
  for (const SchemaId branch : branches) {
    Evaluated* wanted = f.evaluated != nullptr ? &of_match : nullptr;
    if (apply_quietly(branch, f.node, wanted)) ++matching;
    if (matching > 1) {
      return fail(f, {"oneOf", "matches more than one of the alternatives, must match one"});
    }
  }
  if (matching == 1) {
    if (f.evaluated != nullptr) f.evaluated->add(of_match);
    return true;
  }
  if (quiet()) return false;
  return fail(f, {"oneOf", fmt::format("matches none of the {} alternatives", branches.size()),
                  nearest(f, branches)});
}

bool Evaluation::check_condition(const Frame& f, const LogicRules& rules) {
  const bool holds = apply_quietly(rules.if_schema, f.node, f.evaluated);
  const SchemaId next = holds ? rules.then_schema : rules.else_schema;
  return next == kNoSchema || apply(next, f.node, f.evaluated);
}

// The alternative that got furthest is most likely the one that was meant.
std::string Evaluation::nearest(const Frame& f, const std::vector<SchemaId>& branches) {
  std::vector<Finding> kept;
  std::swap(kept, findings_);
  const std::size_t limit = std::exchange(limit_, 1);
  std::optional<Finding> best;
  for (const SchemaId branch : branches) {
    findings_.clear();
    apply(branch, f.node, nullptr);
    if (findings_.empty()) continue;
    if (!best || findings_[0].instance_path.size() > best->instance_path.size()) {
      best = std::move(findings_[0]);
    }
  }
  limit_ = limit;
  findings_ = std::move(kept);
  if (!best) return {};
  return best->instance_path.empty()
             ? fmt::format("nearest: {}", best->message)
             : fmt::format("nearest: {} {}", best->instance_path, best->message);
}

SchemaId Evaluation::dynamic_target(const DynamicRef& ref) const {
  if (ref.anchor.empty()) return ref.target;
  const auto& resources = program_.documents.resources();
  for (const ResourceId id : scope_) {
    const auto found = resources[id].dynamic_anchors.find(ref.anchor);
    if (found == resources[id].dynamic_anchors.end()) continue;
    return program_.by_location.at(found->second);
  }
  return ref.target;
}

bool Evaluation::fail_at(const Frame& f, NodeId node, Problem problem) {
  if (quiet()) return false;
  if (problem.hint.empty()) {
    const Tree& schema = program_.documents.tree(f.schema.where.document);
    if (schema.is(f.schema.where.node, json::Kind::object)) {
      const auto description = schema.member(f.schema.where.node, "description");
      if (description && schema.is(*description, json::Kind::string)) {
        problem.hint = schema.string(*description);
      }
    }
  }
  findings_.push_back({tree_->path(node), tree_->offset(node),
                       program_.documents.name(f.schema.where, problem.keyword),
                       std::move(problem.message), std::move(problem.hint)});
  return false;
}

std::string Evaluation::shown(NodeId node) const {
  const json::Kind kind = tree_->kind(node);
  if (kind == json::Kind::object || kind == json::Kind::array) {
    return std::string(kind_name(kind));
  }
  const std::string_view raw = tree_->raw(node);
  const std::string_view head = utf8::prefix(raw, kShownCodePoints);
  std::string out;
  utf8::append_repaired(out, head);
  if (head.size() < raw.size()) out.append("…");
  return out;
}

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kMost = 256;  // a guess is not worth more
  if (written.size() > kLongest || names.size() > kMost) return {};
  std::string_view best;
  std::size_t best_distance = std::clamp<std::size_t>(written.size() / 3, 1, 3) + 1;
  for (const std::string_view name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < best_distance || (distance == best_distance && name < best)) {
      best = name;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format("did you mean '{}'?", best);
}

}  // namespace dragoman::schema
