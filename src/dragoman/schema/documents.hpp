// SPDX-License-Identifier: Apache-2.0
// Schema documents, and what their $id, $anchor and $ref name. Internal to the module.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/schema/tree.hpp"
#include "dragoman/schema/validator.hpp"

namespace dragoman::schema {

// A node of one of the documents.
struct Location {
  std::uint32_t document = 0;
  NodeId node = kRoot;

  friend auto operator<=>(const Location&, const Location&) = default;
};

// Which keywords count, by the $vocabulary of the metaschema.
struct Vocabularies {
  bool applicator = true;
  bool validation = true;
  bool unevaluated = true;
};

// A schema with a base URI of its own: a document, or a subschema with $id.
struct Resource {
  std::string uri;
  Location root;
  Vocabularies vocabularies;
  std::map<std::string, Location, std::less<>> anchors;  // $anchor and $dynamicAnchor
  std::map<std::string, Location, std::less<>> dynamic_anchors;
};
using ResourceId = std::uint32_t;

// Every document that was needed so far. Others are taken from `available` when a reference leads
// to them; nothing is ever fetched.
class Documents {
 public:
  explicit Documents(const std::vector<SchemaDocument>& available);

  // Adds a document that lies at `uri` and gives its root.
  Result<Location> add(std::string_view uri, std::string text);
  // The document or subschema with this absolute URI (no fragment).
  Result<Location> load(std::string_view uri);
  // What a $ref at `from` points at.
  Result<Location> find(Location from, std::string_view reference);

  [[nodiscard]] const Tree& tree(std::uint32_t document) const { return *trees_[document]; }
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  [[nodiscard]] ResourceId resource_of(Location where) const;
  // "dragoman/event/v1#/properties/seq" + "/" + keyword
  [[nodiscard]] std::string name(Location where, std::string_view keyword) const;
  [[nodiscard]] Error refuse(Location where, std::string_view keyword, std::string_view why) const;

 private:
  struct Visit {
    NodeId node;
    ResourceId resource;
  };

  Result<void> index(std::uint32_t document, std::string_view uri);
  Result<void> visit(std::uint32_t document, Visit at, std::vector<Visit>& next);
  ResourceId open_resource(Location root, std::string uri);
  Result<ResourceId> identify(Location where, ResourceId resource);
  Result<void> note_anchors(Location where, ResourceId resource);
  Result<Vocabularies> vocabularies_of(std::string_view metaschema);
  std::optional<Location> follow(Location from, std::string_view pointer) const;

  std::unordered_map<std::string, std::string_view> available_;
  std::vector<std::unique_ptr<const Tree>> trees_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, ResourceId> by_uri_;
  std::map<Location, ResourceId> roots_;  // where a resource begins
  std::vector<std::string> metaschemas_being_read_;
};

}  // namespace dragoman::schema
