// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/tree.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dragoman::schema {
namespace {

Tree parsed(std::string text) {
  auto tree = Tree::parse(std::move(text));
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? *std::move(tree) : Tree::of_string("");
}

std::string error_of(std::string text) {
  const auto tree = Tree::parse(std::move(text));
  return tree ? "" : tree.error().message;
}

TEST(Tree, KnowsKindSpellingAndPlaceOfEveryValue) {
  const Tree tree = parsed(R"( {"a": [1.50, true], "b": null} )");
  std::vector<std::string> seen;
  seen.reserve(tree.size());
  for (NodeId node = 0; node < tree.size(); ++node) {
    seen.push_back(tree.path(node) + "@" + std::to_string(tree.offset(node)) + " " +
                   std::string(tree.raw(node)));
  }
  const std::vector<std::string> expected = {R"(@1 {"a": [1.50, true], "b": null})",
                                             "/a@7 [1.50, true]", "/a/0@8 1.50", "/a/1@14 true",
                                             "/b@26 null"};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(tree.kind(2), json::Kind::number);
  EXPECT_TRUE(tree.is_true(3));
}

TEST(Tree, DecodesStringsAndNames) {
  const Tree tree = parsed(R"({"t\tb": "\u00e9\ud83d\ude00\\", "plain": "é"})");
  EXPECT_EQ(tree.key(1), "t\tb");
  EXPECT_EQ(tree.string(1), "é😀\\");
  EXPECT_EQ(tree.key(2), "plain");
  EXPECT_EQ(tree.string(2), "é");
}

TEST(Tree, MendsWhatIsNotText) {
  const Tree tree = parsed("[\"a\xff\x62\", \"\\ud800\", {\"\xc3\": 1}]");
  EXPECT_EQ(tree.string(1), "a\xEF\xBF\xBD\x62");
  EXPECT_EQ(tree.string(2), "\xEF\xBF\xBD");
  EXPECT_EQ(tree.key(4), "\xEF\xBF\xBD");
}

TEST(Tree, FindsMembersWhateverTheirOrder) {
  const Tree tree = parsed(R"({"z": 1, "a": 2, "": 3, "aa": 4})");
  const auto value = [&](std::string_view key) {
    const auto member = tree.member(kRoot, key);
    return member ? std::string(tree.raw(*member)) : std::string("none");
  };
  EXPECT_EQ(value("z"), "1");
  EXPECT_EQ(value("a"), "2");
  EXPECT_EQ(value(""), "3");
  EXPECT_EQ(value("aa"), "4");
  EXPECT_EQ(value("b"), "none");
  EXPECT_EQ(value("zz"), "none");
}

TEST(Tree, KeepsTheLastOfRepeatedNamesOnly) {
  const Tree tree = parsed(R"({"a": 1, "b": 2, "\u0061": 3, "c": 4, "b": 5})");
  std::vector<std::string> members;
  for (const NodeId child : tree.children(kRoot)) {
    members.push_back(std::string(tree.key(child)) + "=" + std::string(tree.raw(child)));
  }
  EXPECT_EQ(members, (std::vector<std::string>{"a=3", "c=4", "b=5"}));
  EXPECT_EQ(tree.raw(*tree.member(kRoot, "a")), "3");
  EXPECT_EQ(tree.sorted_members(kRoot).size(), 3U);
}

TEST(Tree, EscapesNamesInPaths) {
  const Tree tree = parsed(R"({"a/b": {"c~d": [[0]]}})");
  EXPECT_EQ(tree.path(4), "/a~1b/c~0d/0/0");
  EXPECT_EQ(tree.path(4, 1), "/c~0d/0/0");
  EXPECT_EQ(tree.path(kRoot), "");
}

TEST(Tree, CutsAVeryLongPath) {
  const Tree tree = parsed("{\"" + std::string(100'000, 'x') + "\": {\"y\": 1}}");
  EXPECT_EQ(tree.path(2), "/" + std::string(1023, 'x') + "…");
}

TEST(Tree, SurvivesBeingMoved) {
  Tree tree = parsed(R"(["s", "\n"])");  // short enough to lie inside the object
  const Tree moved = std::move(tree);
  EXPECT_EQ(moved.string(1), "s");
  EXPECT_EQ(moved.string(2), "\n");
}

TEST(Tree, SaysWhereATextIsBroken) {
  EXPECT_EQ(error_of(""), "not JSON at byte 0: unexpected end");
  EXPECT_EQ(error_of("[1,]"), "not JSON at byte 3: syntax");
  EXPECT_EQ(error_of("{\"a\" 1}"), "not JSON at byte 5: syntax");
  EXPECT_EQ(error_of("[1] 2"), "not JSON at byte 4: syntax");
  EXPECT_EQ(error_of("[01]"), "not JSON at byte 1: not a JSON number");
  EXPECT_EQ(error_of("\"\\x\""), "not JSON at byte 1: unknown escape");
  EXPECT_EQ(error_of("{\"a\":"), "not JSON at byte 5: unexpected end");
}

TEST(Tree, RefusesWhatIsTooDeep) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(parsed(nested(json::kMaxDepth)).size(), json::kMaxDepth);
  EXPECT_EQ(error_of(nested(json::kMaxDepth + 1)), "not JSON at byte 512: nested too deep");
  EXPECT_EQ(error_of(std::string(1'000'000, '[')), "not JSON at byte 512: nested too deep");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(error_of(objects), "not JSON at byte 2560: nested too deep");
}

TEST(Tree, HoldsManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i)
    text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const Tree tree = parsed(text);
  EXPECT_EQ(tree.children(kRoot).size(), 50'000U);
  EXPECT_EQ(tree.raw(*tree.member(kRoot, "k31415")), "31415");
}

}  // namespace
}  // namespace dragoman::schema
