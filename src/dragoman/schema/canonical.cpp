// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/canonical.hpp"

#include <fmt/format.h>

#include "dragoman/schema/decimal.hpp"

namespace dragoman::schema {
namespace {

// The length in front makes any bytes unambiguous.
void append_bytes(std::string& out, std::string_view bytes) {
  out += fmt::format("\"{}:", bytes.size());
  out.append(bytes);
}

void append_number(std::string& out, std::string_view raw) {
  const Decimal value = Decimal::parse(raw);
  out += fmt::format("{}{}e{};", value.negative ? '-' : '+', value.digits, value.exponent);
}

}  // namespace

// Recursion is bounded by the depth a Tree may have.
void append_canonical(std::string& out, const Tree& tree, NodeId node) {
  switch (tree.kind(node)) {
    case json::Kind::null_:
      out.push_back('n');
      return;
    case json::Kind::boolean:
      out.push_back(tree.is_true(node) ? 't' : 'f');
      return;
    case json::Kind::number:
      append_number(out, tree.raw(node));
      return;
    case json::Kind::string:
      append_bytes(out, tree.string(node));
      return;
    case json::Kind::array:
      out.push_back('[');
      for (const NodeId child : tree.children(node)) append_canonical(out, tree, child);
      out.push_back(']');
      return;
    case json::Kind::object:
      out.push_back('{');
      for (const NodeId child : tree.sorted_members(node)) {
        append_bytes(out, tree.key(child));
        append_canonical(out, tree, child);
      }
      out.push_back('}');
      return;
  }
}

std::string canonical(const Tree& tree, NodeId node) {
  std::string out;
  append_canonical(out, tree, node);
  return out;
}

}  // namespace dragoman::schema
