// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/embedded.hpp"

#include <vector>

#include "dragoman/base/embedded.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {

std::span<const EmbeddedFile> embedded_schemas();

namespace schema {
namespace {

// The value of the outermost "$id", which no schema of ours spells with escapes.
std::string_view id_of(std::string_view text) {
  json::Cursor cursor(text);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key == "$id") return cursor.take().text().bytes;
    cursor.skip();
  }
  return {};
}

std::vector<EmbeddedSchema> list() {
  std::vector<EmbeddedSchema> schemas;
  for (const EmbeddedFile& file : embedded_schemas()) {
    schemas.push_back({id_of(file.bytes), file.name, file.bytes});
  }
  return schemas;
}

}  // namespace

std::span<const EmbeddedSchema> all() {
  static const std::vector<EmbeddedSchema> schemas = list();
  return schemas;
}

std::optional<EmbeddedSchema> find(std::string_view id) {
  for (const EmbeddedSchema& schema : all()) {
    if (schema.id == id) return schema;
  }
  return std::nullopt;
}

}  // namespace schema
}  // namespace dragoman
