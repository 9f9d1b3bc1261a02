// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/tree.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <ranges>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::schema {
namespace {

constexpr std::size_t kLongestPath = 1024;

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

void append_segment(std::string& path, std::string_view name) {
  path.push_back('/');
  for (const char c : name.substr(0, kLongestPath)) {
    if (c == '~') {
      path.append("~0");
    } else if (c == '/') {
      path.append("~1");
    } else {
      path.push_back(c);
    }
  }
}

}  // namespace

// Pulls values from the cursor; open containers are on a stack of its own, not on the machine's.
class Tree::Builder {
 public:
  explicit Builder(Tree& tree) : tree_(tree), cursor_(tree.text_) {}

  Result<void> build() {
    bool good = add_value({}, kRoot);
    while (good && !open_.empty()) good = step();
    if (good && cursor_.finish()) return {};
    return Error{ErrorCode::validation, fmt::format("not JSON at byte {}: {}", cursor_.fault_at(),
                                                    json::name(cursor_.fault()))};
  }

 private:
  struct Open {
    NodeId node;
    std::size_t first_pending;  // its children so far, in pending_
    std::variant<json::Members, json::Elements> steps;
  };

  // One child of the innermost open container, or its end.
  bool step() {
    Open& top = open_.back();
    std::string_view name;
    const bool more = std::holds_alternative<json::Members>(top.steps)
                          ? std::get_if<json::Members>(&top.steps)->next(name)
                          : std::get_if<json::Elements>(&top.steps)->next();
    if (more) return add_value(keep(name), top.node);
    if (!cursor_.ok()) return false;
    close(top);
    open_.pop_back();
    return true;
  }

  bool add_value(Piece key, NodeId parent) {
    const json::Kind kind = cursor_.peek();
    if (!cursor_.ok()) return false;
    const NodeId id = narrow(tree_.nodes_.size());
    Node& node = tree_.nodes_.emplace_back();
    node.kind = kind;
    node.parent = parent;
    node.key = key;
    node.begin = narrow(cursor_.position());
    if (!open_.empty()) {
      node.place = narrow(pending_.size() - open_.back().first_pending);
      pending_.push_back(id);
    }
    if (kind == json::Kind::object) {
      open_.push_back({id, pending_.size(), json::Members(cursor_)});
      return cursor_.ok();
    }
    if (kind == json::Kind::array) {
      open_.push_back({id, pending_.size(), json::Elements(cursor_)});
      return cursor_.ok();
    }
    const json::Value value = cursor_.take();
    if (!cursor_.ok()) return false;
    node.begin = narrow(offset_of(value.raw));
    node.length = narrow(value.raw.size());
    if (kind == json::Kind::string) node.value = keep(value.text());
    return true;
  }

  void close(const Open& top) {
    Node& node = tree_.nodes_[top.node];
    node.length = narrow(cursor_.position()) - node.begin;
    node.first_child = narrow(tree_.children_.size());
    const auto first = pending_.begin() + static_cast<std::ptrdiff_t>(top.first_pending);
    tree_.children_.insert(tree_.children_.end(), first, pending_.end());
    tree_.sorted_.insert(tree_.sorted_.end(), first, pending_.end());
    pending_.erase(first, pending_.end());
    if (node.kind == json::Kind::object) sort_members(node.first_child);
    node.child_count = narrow(tree_.children_.size()) - node.first_child;
  }

  // Orders the newest container's members by name and lets go of all but the last of equal ones.
  void sort_members(std::uint32_t first_child) {
    const auto from = [&](std::vector<NodeId>& all) {
      return all.begin() + static_cast<std::ptrdiff_t>(first_child);
    };
    std::vector<NodeId>& sorted = tree_.sorted_;
    std::sort(from(sorted), sorted.end(), [&](NodeId a, NodeId b) {
      const int order = tree_.key(a).compare(tree_.key(b));
      return order != 0 ? order < 0 : a > b;  // the last of equal ones comes first
    });
    const auto same = [&](NodeId a, NodeId b) { return tree_.key(a) == tree_.key(b); };
    const auto end = std::unique(from(sorted), sorted.end(), same);
    if (end == sorted.end()) return;
    sorted.erase(end, sorted.end());
    std::vector<NodeId> kept(from(sorted), sorted.end());
    std::sort(kept.begin(), kept.end());
    tree_.children_.resize(first_child);
    tree_.children_.insert(tree_.children_.end(), kept.begin(), kept.end());
    for (std::size_t place = 0; place < kept.size(); ++place) {
      tree_.nodes_[kept[place]].place = narrow(place);
    }
  }

  // A name from the cursor is a view of the text unless it had escapes.
  Piece keep(std::string_view name) {
    if (name.empty()) return {};
    const char* begin = tree_.text_.data();
    const bool inside = !std::less<>{}(name.data(), begin) &&
                        std::less<>{}(name.data(), begin + tree_.text_.size());
    if (inside && utf8::valid(name)) return {narrow(offset_of(name)), narrow(name.size()), false};
    const Piece piece{narrow(tree_.decoded_.size()), 0, true};
    utf8::append_repaired(tree_.decoded_, name);
    return finished(piece);
  }
  Piece keep(json::Text text) {
    if (!text.escaped) return keep(text.bytes);
    const Piece piece{narrow(tree_.decoded_.size()), 0, true};
    json::decode_to(tree_.decoded_, text);
    return finished(piece);
  }
  Piece finished(Piece piece) const {
    piece.length = narrow(tree_.decoded_.size()) - piece.begin;
    return piece;
  }
  std::size_t offset_of(std::string_view part) const {
    return part.data() == nullptr ? 0 : static_cast<std::size_t>(part.data() - tree_.text_.data());
  }

  Tree& tree_;
  json::Cursor cursor_;
  std::vector<Open> open_;
  std::vector<NodeId> pending_;
};

Result<Tree> Tree::parse(std::string text) {
  // Positions are 32 bits wide; decoding can make a text with broken UTF-8 three times longer.
  if (text.size() > std::numeric_limits<std::uint32_t>::max() / 4) {
    return Error{ErrorCode::validation, "JSON text of 1 GiB or more"};
  }
  Tree tree;
  tree.text_ = std::move(text);
  DRAGOMAN_CHECK(Builder(tree).build());
  return tree;
}

Tree Tree::of_string(std::string_view value) {
  Tree tree;
  tree.text_ = value;
  Node& node = tree.nodes_.emplace_back();
  node.kind = json::Kind::string;
  node.length = narrow(value.size());
  node.value = {0, narrow(value.size()), false};
  return tree;
}

std::optional<NodeId> Tree::member(NodeId object, std::string_view name) const {
  const auto members = sorted_members(object);
  const auto found = std::lower_bound(members.begin(), members.end(), name,
                                      [this](NodeId a, std::string_view b) { return key(a) < b; });
  if (found == members.end() || key(*found) != name) return std::nullopt;
  return *found;
}

std::string Tree::path(NodeId node, NodeId ancestor) const {
  std::vector<NodeId> way;
  for (NodeId at = node; at != ancestor && at != kRoot; at = parent(at)) way.push_back(at);
  std::string path;
  for (const NodeId at : std::views::reverse(way)) {
    if (path.size() > kLongestPath) break;
    if (is(parent(at), json::Kind::object)) {
      append_segment(path, key(at));
    } else {
      path.append(fmt::format("/{}", nodes_[at].place));
    }
  }
  if (path.size() <= kLongestPath) return path;
  return std::string(utf8::head(path, kLongestPath)).append("…");
}

}  // namespace dragoman::schema
