// SPDX-License-Identifier: Apache-2.0
// A JSON text as nodes that can be walked in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman::schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0;

// A read-only tree over its own copy of the text. Nodes are numbered in document order, so a
// node's number, not a pointer, names it, and a tree of any shape is built and freed without
// recursion. Numbers keep their spelling. Of repeated keys only the last one is a member. What is
// deeper than json::kMaxDepth is refused, so whoever walks the tree may recurse.
class Tree {
 public:
  [[nodiscard]] static Result<Tree> parse(std::string text);
  // One string node; a member's name seen as a value.
  [[nodiscard]] static Tree of_string(std::string_view value);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] json::Kind kind(NodeId node) const { return nodes_[node].kind; }
  [[nodiscard]] bool is(NodeId node, json::Kind kind) const { return nodes_[node].kind == kind; }
  [[nodiscard]] bool is_true(NodeId node) const { return text_[nodes_[node].begin] == 't'; }

  // Where the value begins in the text, and the value as it is spelled there.
  [[nodiscard]] std::size_t offset(NodeId node) const { return nodes_[node].begin; }
  [[nodiscard]] std::string_view raw(NodeId node) const {
    return std::string_view(text_).substr(nodes_[node].begin, nodes_[node].length);
  }
  // Strings only: the decoded value.
  [[nodiscard]] std::string_view string(NodeId node) const { return view(nodes_[node].value); }
  // Members only: the decoded name.
  [[nodiscard]] std::string_view key(NodeId node) const { return view(nodes_[node].key); }

  // Elements or members in document order.
  [[nodiscard]] std::span<const NodeId> children(NodeId node) const {
    return std::span(children_).subspan(nodes_[node].first_child, nodes_[node].child_count);
  }
  // Members of an object in the order of their names.
  [[nodiscard]] std::span<const NodeId> sorted_members(NodeId object) const {
    return std::span(sorted_).subspan(nodes_[object].first_child, nodes_[object].child_count);
  }
  [[nodiscard]] std::optional<NodeId> member(NodeId object, std::string_view key) const;

  [[nodiscard]] NodeId parent(NodeId node) const {
    return nodes_[node].parent;
  }  // the root's: itself
  // JSON pointer from `ancestor`: "" for itself, "/a~1b/0" below. A very long one is cut and ends
  // in "…".
  [[nodiscard]] std::string path(NodeId node, NodeId ancestor = kRoot) const;

 private:
  class Builder;

  // A piece of text_, or of decoded_ where the text has escapes or broken UTF-8.
  struct Piece {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    bool decoded = false;
  };
  struct Node {
    json::Kind kind = json::Kind::null_;
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    NodeId parent = 0;
    std::uint32_t first_child = 0;  // in children_ and sorted_
    std::uint32_t child_count = 0;
    std::uint32_t place = 0;  // among its siblings
    Piece key;
    Piece value;
  };

  [[nodiscard]] std::string_view view(const Piece& piece) const {
    return std::string_view(piece.decoded ? decoded_ : text_).substr(piece.begin, piece.length);
  }

  std::string text_;
  std::string decoded_;
  std::vector<Node> nodes_;
  std::vector<NodeId> children_;
  std::vector<NodeId> sorted_;
};

}  // namespace dragoman::schema
