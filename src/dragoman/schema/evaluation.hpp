// SPDX-License-Identifier: Apache-2.0
// One instance against one Program. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/schema/program.hpp"

namespace dragoman::schema {

// Children of one instance that some schema has looked at, by their place among the children; for
// the unevaluated keywords. A place may be listed twice.
struct Evaluated {
  bool all = false;
  std::vector<std::uint32_t> places;

  void add(const Evaluated& other) {
    all = all || other.all;
    places.insert(places.end(), other.places.begin(), other.places.end());
  }
};

class Evaluation {
 public:
  Evaluation(const Program& program, const Tree& instance)
      : program_(program), tree_(&instance), limit_(program.limits.findings) {}

  Result<std::vector<Finding>> run();

 private:
  // A schema at work on a node. It is handed down, so that a keyword can say where it stands.
  struct Frame {
    const Schema& schema;
    NodeId node;
    Evaluated* evaluated;  // null: nobody above asks
  };
  struct Active {
    SchemaId schema;
    const Tree* tree;
    NodeId node;
  };

  bool apply(SchemaId id, NodeId node, Evaluated* evaluated);
  bool apply_keywords(const Frame& f);
  bool apply_quietly(SchemaId id, NodeId node, Evaluated* evaluated);
  bool enter(SchemaId id, NodeId node);
  void spend(std::uint64_t steps);

  bool check_type(const Frame& f);
  bool check_values(const Frame& f, const AllowedValues& values, std::string_view keyword);
  bool check_number(const Frame& f, const NumberRules& rules);
  bool check_string(const Frame& f, const StringRules& rules);

  bool check_logic(const Frame& f, const LogicRules& rules);
  bool check_any_of(const Frame& f, const std::vector<SchemaId>& branches);
  bool check_one_of(const Frame& f, const std::vector<SchemaId>& branches);
  bool check_condition(const Frame& f, const LogicRules& rules);
  [[nodiscard]] SchemaId dynamic_target(const DynamicRef& ref) const;
  std::string nearest(const Frame& f, const std::vector<SchemaId>& branches);
  [[nodiscard]] std::string forbidden(const Frame& f) const;

  bool check_array(const Frame& f, const ArrayRules& rules);
  bool check_items(const Frame& f, const ArrayRules& rules);
  bool check_contains(const Frame& f, const ArrayRules& rules);
  bool check_unique(const Frame& f);
  bool check_object(const Frame& f, const ObjectRules& rules);
  bool check_presence(const Frame& f, const ObjectRules& rules);
  bool check_members(const Frame& f, const ObjectRules& rules);
  bool check_member(const Frame& f, const ObjectRules& rules, std::uint32_t place);
  bool check_name(const Frame& f, const ObjectRules& rules, NodeId member);
  bool check_dependents(const Frame& f, const ObjectRules& rules);
  bool check_unevaluated(const Frame& f, SchemaId id);

  // Notes what is wrong and returns false.
  struct Problem {
    std::string_view keyword;
    std::string message;
    std::string hint = {};
  };
  bool fail(const Frame& f, Problem problem) { return fail_at(f, f.node, std::move(problem)); }
  bool fail_at(const Frame& f, NodeId node, Problem problem);
  // Nobody reads further findings, so the first failure may end the work.
  [[nodiscard]] bool quiet() const { return muted_ > 0 || findings_.size() >= limit_; }
  [[nodiscard]] bool stop(bool ok) const { return !fault_.empty() || (!ok && quiet()); }
  [[nodiscard]] std::string shown(NodeId node) const;

  const Program& program_;
  const Tree* tree_;
  std::size_t limit_;
  std::vector<Finding> findings_;
  std::vector<Active> active_;
  std::vector<ResourceId> scope_;  // resources entered, outermost first
  std::string fault_;              // not empty: no answer can be given
  std::uint64_t steps_ = 0;
  unsigned muted_ = 0;
};

[[nodiscard]] std::string_view kind_name(json::Kind kind);
// "did you mean 'x'?" when one of the names is a slip away from `written`, else empty.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& names);

}  // namespace dragoman::schema
