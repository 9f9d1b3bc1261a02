// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/documents.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/schema/uri.hpp"

namespace dragoman::schema {
namespace {

constexpr std::string_view kDraft = "https://json-schema.org/draft/2020-12/";

// Where schemas stand inside a schema. An $id anywhere else is only data.
enum class Holds : std::uint8_t { one, list, map };
struct Place {
  std::string_view keyword;
  Holds holds;
};
constexpr std::array<Place, 20> kPlaces = {{
    {"additionalProperties", Holds::one},
    {"allOf", Holds::list},
    {"anyOf", Holds::list},
    {"contains", Holds::one},
    {"contentSchema", Holds::one},
    {"$defs", Holds::map},
    {"definitions", Holds::map},
    {"dependentSchemas", Holds::map},
    {"else", Holds::one},
    {"if", Holds::one},
    {"items", Holds::one},
    {"not", Holds::one},
    {"oneOf", Holds::list},
    {"patternProperties", Holds::map},
    {"prefixItems", Holds::list},
    {"properties", Holds::map},
    {"propertyNames", Holds::one},
    {"then", Holds::one},
    {"unevaluatedItems", Holds::one},
    {"unevaluatedProperties", Holds::one},
}};

// One step of a JSON pointer, unescaped.
std::string unescaped(std::string_view segment) {
  std::string out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const bool escape = segment[i] == '~' && i + 1 < segment.size() &&
                        (segment[i + 1] == '0' || segment[i + 1] == '1');
    out.push_back(escape ? (segment[++i] == '0' ? '~' : '/') : segment[i]);
  }
  return out;
}

bool is_anchor_name(std::string_view name) {
  const auto fits = [](char c) { return ascii::is_alnum(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && (ascii::is_letter(name[0]) || name[0] == '_') &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

Documents::Documents(const std::vector<SchemaDocument>& available) {
  for (const SchemaDocument& document : available) {
    available_.emplace(document.uri, document.text);
  }
}

Result<Location> Documents::add(std::string_view uri, std::string text) {
  auto tree = Tree::parse(std::move(text));
  if (!tree)
    return std::move(tree).error().while_doing(uri.empty() ? "schema"
                                                           : fmt::format("schema {}", uri));
  const auto document = static_cast<std::uint32_t>(trees_.size());
  trees_.push_back(std::make_unique<const Tree>(*std::move(tree)));
  DRAGOMAN_CHECK(index(document, uri));
  return Location{document, kRoot};
}

Result<Location> Documents::load(std::string_view uri) {
  if (const auto known = by_uri_.find(std::string(uri)); known != by_uri_.end()) {
    return resources_[known->second].root;
  }
  const auto source = available_.find(std::string(uri));
  if (source == available_.end()) {
    return Error{ErrorCode::not_found, fmt::format("no schema with the id '{}'", uri)};
  }
  return add(uri, std::string(source->second));
}

// Walks the document through the places where schemas stand, with a stack of its own.
Result<void> Documents::index(std::uint32_t document, std::string_view uri) {
  const ResourceId root = open_resource({document, kRoot}, std::string(uri));
  std::vector<Visit> next = {{kRoot, root}};
  while (!next.empty()) {
    const Visit at = next.back();
    next.pop_back();
    DRAGOMAN_CHECK(visit(document, at, next));
  }
  return {};
}

Result<void> Documents::visit(std::uint32_t document, Visit at, std::vector<Visit>& next) {
  const Tree& tree = *trees_[document];
  if (!tree.is(at.node, json::Kind::object)) return {};
  DRAGOMAN_TRY(const ResourceId resource, identify({document, at.node}, at.resource));
  DRAGOMAN_CHECK(note_anchors({document, at.node}, resource));
  for (const Place& place : kPlaces) {
    const auto value = tree.member(at.node, place.keyword);
    if (!value) continue;
    if (place.holds == Holds::one) {
      next.push_back({*value, resource});
    } else if (tree.is(*value,
                       place.holds == Holds::list ? json::Kind::array : json::Kind::object)) {
      for (const NodeId child : tree.children(*value)) next.push_back({child, resource});
    }
  }
  return {};
}

ResourceId Documents::open_resource(Location root, std::string uri) {
  const auto id = static_cast<ResourceId>(resources_.size());
  by_uri_.emplace(uri, id);
  roots_.emplace(root, id);
  resources_.push_back({std::move(uri), root, {}, {}, {}});
  return id;
}

// The resource a schema belongs to: a new one where it has an $id.
Result<ResourceId> Documents::identify(Location where, ResourceId resource) {
  const Tree& tree = *trees_[where.document];
  if (const auto id = tree.member(where.node, "$id")) {
    if (!tree.is(*id, json::Kind::string)) return refuse(where, "$id", "must be a string");
    const SplitReference parts = split_fragment(tree.string(*id));
    if (!parts.fragment.empty()) return refuse(where, "$id", "must not have a fragment");
    // A document that lies where its $id says needs no base to be resolved against.
    const std::string& base = resources_[resource].uri;
    std::string uri = where.node == kRoot && parts.uri == base ? base : resolve(base, parts.uri);
    if (where.node == kRoot) {
      by_uri_.emplace(uri, resource);
      resources_[resource].uri = std::move(uri);
    } else {
      const Vocabularies inherited = resources_[resource].vocabularies;
      resource = open_resource(where, std::move(uri));
      resources_[resource].vocabularies = inherited;
    }
  }
  if (resources_[resource].root == where) {
    if (const auto metaschema = tree.member(where.node, "$schema")) {
      if (!tree.is(*metaschema, json::Kind::string))
        return refuse(where, "$schema", "must be a string");
      auto vocabularies = vocabularies_of(tree.string(*metaschema));
      if (!vocabularies) return refuse(where, "$schema", vocabularies.error().message);
      resources_[resource].vocabularies = *vocabularies;
    }
  }
  return resource;
}

Result<void> Documents::note_anchors(Location where, ResourceId resource) {
  const Tree& tree = *trees_[where.document];
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const auto anchor = tree.member(where.node, keyword);
    if (!anchor) continue;
    if (!tree.is(*anchor, json::Kind::string) || !is_anchor_name(tree.string(*anchor))) {
      return refuse(where, keyword, "must be a name");
    }
    const std::string name(tree.string(*anchor));
    resources_[resource].anchors.emplace(name, where);
    if (keyword == "$dynamicAnchor") resources_[resource].dynamic_anchors.emplace(name, where);
  }
  return {};
}

// A metaschema may be described by one of its own; the chain ends at the draft itself or is
// refused.
Result<Vocabularies> Documents::vocabularies_of(std::string_view metaschema) {
  const std::string_view uri = split_fragment(metaschema).uri;
  if (uri == std::string(kDraft) + "schema") return Vocabularies{};
  auto& chain = metaschemas_being_read_;
  if (std::find(chain.begin(), chain.end(), uri) != chain.end()) return Vocabularies{};
  chain.emplace_back(uri);
  const auto root = load(uri);
  chain.pop_back();
  if (!root) {
    return Error{ErrorCode::unsupported, fmt::format("unknown metaschema '{}'", uri)};
  }
  const Tree& tree = *trees_[root->document];
  if (!tree.is(root->node, json::Kind::object)) return Vocabularies{};
  const auto listed = tree.member(root->node, "$vocabulary");
  if (!listed || !tree.is(*listed, json::Kind::object)) return Vocabularies{};
  const auto has = [&](std::string_view name) {
    return tree.member(*listed, std::string(kDraft).append("vocab/").append(name)).has_value();
  };
  for (const NodeId vocabulary : tree.children(*listed)) {
    const bool known = tree.key(vocabulary).starts_with(std::string(kDraft).append("vocab/"));
    if (!known && tree.raw(vocabulary) == "true") {
      return Error{ErrorCode::unsupported,
                   fmt::format("unknown vocabulary '{}'", tree.key(vocabulary))};
    }
  }
  return Vocabularies{has("applicator"), has("validation"), has("unevaluated")};
}

Result<Location> Documents::find(Location from, std::string_view reference) {
  const SplitReference parts = split_fragment(reference);
  const std::string uri = resolve(resources_[resource_of(from)].uri, parts.uri);
  DRAGOMAN_TRY(const Location root, load(uri));
  const std::string fragment = percent_decoded(parts.fragment);
  if (fragment.empty()) return root;
  std::optional<Location> found;
  if (fragment.starts_with('/')) {
    found = follow(root, fragment);
  } else {
    const auto& anchors = resources_[resource_of(root)].anchors;
    if (const auto anchor = anchors.find(fragment); anchor != anchors.end()) found = anchor->second;
  }
  if (!found) {
    return Error{ErrorCode::not_found, fmt::format("'{}' has no '#{}'", uri, fragment)};
  }
  return *found;
}

std::optional<Location> Documents::follow(Location from, std::string_view pointer) const {
  const Tree& tree = *trees_[from.document];
  NodeId at = from.node;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    const std::string name = unescaped(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
    if (tree.is(at, json::Kind::object)) {
      const auto member = tree.member(at, name);
      if (!member) return std::nullopt;
      at = *member;
    } else if (tree.is(at, json::Kind::array)) {
      std::size_t place = 0;
      const auto read = std::from_chars(name.data(), name.data() + name.size(), place);
      const bool number = read.ec == std::errc{} && read.ptr == name.data() + name.size();
      if (!number || place >= tree.children(at).size()) return std::nullopt;
      at = tree.children(at)[place];
    } else {
      return std::nullopt;
    }
  }
  return Location{from.document, at};
}

ResourceId Documents::resource_of(Location where) const {
  for (NodeId at = where.node;; at = trees_[where.document]->parent(at)) {
    if (const auto root = roots_.find({where.document, at}); root != roots_.end())
      return root->second;
  }
}

std::string Documents::name(Location where, std::string_view keyword) const {
  const Resource& resource = resources_[resource_of(where)];
  std::string out =
      resource.uri + "#" + trees_[where.document]->path(where.node, resource.root.node);
  if (!keyword.empty()) out.append("/").append(keyword);
  return out;
}

Error Documents::refuse(Location where, std::string_view keyword, std::string_view why) const {
  return {ErrorCode::validation, fmt::format("schema {}: {}", name(where, keyword), why)};
}

}  // namespace dragoman::schema
