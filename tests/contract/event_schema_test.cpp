// SPDX-License-Identifier: Apache-2.0
// schemas/event says what the event model says: the same fields, of the same types.
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/event/empty_payload.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/schema/embedded.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman {
namespace {

using schema::NodeId;
using schema::Tree;

template <typename Enum>
std::set<std::string> names_of(std::size_t count) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace(name(static_cast<Enum>(i)));
  return names;
}

// Visits the fields of a payload and holds each against the property of its name.
class Comparison {
 public:
  Comparison(const Tree& schema, NodeId object) : tree_(schema), object_(object) {}

  template <typename T>
  void operator()(std::string_view key, const T& field) {
    const NodeId property = claim(key);
    if (property != schema::kRoot) check(property, field);
    if (std::is_arithmetic_v<T> || std::is_enum_v<T>) expect_required(key);
  }
  template <typename T>
  void required(std::string_view key, std::span<const T> items) {
    (*this)(key, items);
    expect_required(key);
  }
  void map(std::string_view key, std::span<const Field> /*items*/) {
    expect_type(claim(key), "object");
  }

  // What the schema describes beyond the fields that were visited.
  [[nodiscard]] std::set<std::string> unclaimed() const {
    std::set<std::string> names;
    for (const NodeId property : tree_.children(*tree_.member(object_, "properties"))) {
      names.emplace(tree_.key(property));
    }
    for (const std::string& name : claimed_) names.erase(name);
    return names;
  }

 private:
  NodeId claim(std::string_view key) {
    claimed_.emplace(key);
    const auto properties = tree_.member(object_, "properties");
    const auto property = properties ? tree_.member(*properties, key) : std::nullopt;
    EXPECT_TRUE(property) << where(object_) << " does not describe '" << key << "'";
    return property.value_or(schema::kRoot);
  }
  // What is always written is always there.
  void expect_required(std::string_view key) {
    const auto required = tree_.member(object_, "required");
    bool found = false;
    for (const NodeId name : required ? tree_.children(*required) : std::span<const NodeId>()) {
      found = found || tree_.string(name) == key;
    }
    EXPECT_TRUE(found) << where(object_) << "/required lacks '" << key << "'";
  }
  std::string where(NodeId node) const {
    return std::string(tree_.string(*tree_.member(schema::kRoot, "$id"))) + "#" + tree_.path(node);
  }

  void expect_type(NodeId property, std::string_view type) {
    const auto found = tree_.member(property, "type");
    ASSERT_TRUE(found) << where(property);
    EXPECT_EQ(tree_.raw(*found), fmt::format(R"("{}")", type)) << where(property);
  }
  void expect_enum(NodeId property, const std::set<std::string>& names) {
    const auto listed = tree_.member(property, "enum");
    ASSERT_TRUE(listed) << where(property);
    std::set<std::string> found;
    for (const NodeId value : tree_.children(*listed)) {
      found.emplace(tree_.is(value, json::Kind::string) ? tree_.string(value) : tree_.raw(value));
    }
    EXPECT_EQ(found, names) << where(property);
  }

  // A closed set of words is a string in the model.
  void check(NodeId property, std::string_view /*field*/) {
    if (!tree_.member(property, "enum")) expect_type(property, "string");
  }
  void check(NodeId property, const json::Text& /*field*/) { expect_type(property, "string"); }
  void check(NodeId property, const Raw& /*field*/) {
    EXPECT_FALSE(tree_.member(property, "type")) << where(property);
  }
  void check(NodeId property, bool /*field*/) { expect_type(property, "boolean"); }
  void check(NodeId property, std::int64_t /*field*/) { expect_type(property, "integer"); }
  void check(NodeId property, std::uint64_t /*field*/) { expect_type(property, "integer"); }
  void check(NodeId property, double /*field*/) { expect_type(property, "number"); }
  void check(NodeId property, const Number& /*field*/) { expect_type(property, "number"); }
  void check(NodeId p, Outcome /*field*/) { expect_enum(p, names_of<Outcome>(4)); }
  void check(NodeId p, QuestionKind /*field*/) { expect_enum(p, names_of<QuestionKind>(3)); }
  void check(NodeId p, QuestionSource /*field*/) { expect_enum(p, names_of<QuestionSource>(5)); }
  void check(NodeId p, QuestionState /*field*/) { expect_enum(p, names_of<QuestionState>(4)); }
  void check(NodeId p, Grant /*field*/) { expect_enum(p, names_of<Grant>(4)); }
  void check(NodeId p, FileAction /*field*/) { expect_enum(p, names_of<FileAction>(5)); }
  void check(NodeId p, Recoverable /*field*/) { expect_enum(p, names_of<Recoverable>(3)); }
  void check(NodeId p, UsageScope /*field*/) { expect_enum(p, names_of<UsageScope>(4)); }
  void check(NodeId p, Level /*field*/) { expect_enum(p, names_of<Level>(3)); }
  template <typename T>
  void check(NodeId property, const std::optional<T>& /*field*/) {
    check(property, T{});
  }
  template <typename T>
  void check(NodeId property, std::span<const T> /*field*/) {
    expect_type(property, "array");
    check(*tree_.member(property, "items"), T{});
  }
  template <typename T>
  requires requires(const T& object, Comparison& visitor) { T::fields(object, visitor); }
  void check(NodeId property, const T& object) {
    expect_type(property, "object");
    Comparison inner(tree_, property);
    T::fields(object, inner);
    EXPECT_EQ(inner.unclaimed(), std::set<std::string>{}) << where(property);
  }

  const Tree& tree_;
  NodeId object_;
  std::set<std::string> claimed_;
};

Tree schema_named(const std::string& id) {
  const auto found = schema::find(id);
  EXPECT_TRUE(found) << id;
  auto tree = Tree::parse(std::string(found ? found->text : "{}"));
  EXPECT_TRUE(tree) << id;
  return *std::move(tree);
}

class EventSchema : public testing::TestWithParam<std::size_t> {};

TEST_P(EventSchema, DescribesTheFieldsOfTheModel) {
  const std::string kind(name(static_cast<Kind>(GetParam())));
  const Tree tree = schema_named("dragoman/event/" + kind + "/v1");
  Comparison comparison(tree, schema::kRoot);
  const Payload payload = empty_payload(static_cast<Kind>(GetParam()));
  std::visit([&](const auto& p) { p.fields(p, comparison); }, payload);
  std::set<std::string> beyond = comparison.unclaimed();
  beyond.erase("partial");  // of the event itself
  EXPECT_EQ(beyond, std::set<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Contract, EventSchema, testing::Range(std::size_t{0}, kKinds),
                         [](const testing::TestParamInfo<std::size_t>& kind) {
                           return std::string(name(static_cast<Kind>(kind.param)));
                         });

TEST(EventLineSchema, KnowsEveryKindDialectAndChannel) {
  const Tree tree = schema_named("dragoman/event/v1");
  const auto words = [&](std::initializer_list<std::string_view> path) {
    NodeId at = schema::kRoot;
    for (const std::string_view step : path) at = *tree.member(at, step);
    std::set<std::string> found;
    for (const NodeId value : tree.children(at)) found.emplace(tree.string(value));
    return found;
  };
  EXPECT_EQ(words({"properties", "kind", "enum"}), names_of<Kind>(kKinds));
  const auto of_origin = [&](std::string_view field) {
    return words({"$defs", "origin", "properties", field, "enum"});
  };
  EXPECT_EQ(of_origin("dialect"), names_of<Dialect>(7));
  EXPECT_EQ(of_origin("via"), names_of<Dialect>(7));
  EXPECT_EQ(of_origin("stream"), names_of<Stream>(2));
  EXPECT_EQ(of_origin("channel"), names_of<Channel>(14));
}

}  // namespace
}  // namespace dragoman
