// SPDX-License-Identifier: Apache-2.0
// From schema documents to a Program. Internal to the module.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/schema/program.hpp"

namespace dragoman::schema {

// Schemas found on the way are numbered at once and compiled later, from a list: however deep a
// schema nests or refers, nothing here recurses.
class Compiler {
 public:
  explicit Compiler(Program& program) : program_(program), documents_(program.documents) {}

  Result<void> run(Location root);

  // A keyword's value, and the schema it belongs to.
  struct Keyword {
    Schema& schema;
    std::string_view name;
    NodeId value;
  };

 private:
  using Method = Result<void> (Compiler::*)(const Keyword&);
  enum class Vocabulary : std::uint8_t { core, applicator, validation, unevaluated };
  struct Entry {
    std::string_view name;
    Vocabulary vocabulary;
    Method method;
  };
  static std::span<const Entry> entries();

  SchemaId schema_at(Location where);
  SchemaId schema_at(NodeId node) { return schema_at({tree_index_, node}); }
  void add_dynamic_anchors();
  Result<void> compile(SchemaId id);
  Result<void> compile_keywords(Schema& schema);

  [[nodiscard]] const Tree& tree() const { return documents_.tree(tree_index_); }
  [[nodiscard]] Error refuse(const Keyword& k, std::string_view why) const {
    return documents_.refuse(k.schema.where, k.name, why);
  }
  Result<void> set_schema(SchemaId& slot, const Keyword& k);
  Result<void> set_list(std::vector<SchemaId>& list, const Keyword& k);
  Result<void> set_count(std::optional<std::uint64_t>& slot, const Keyword& k);
  Result<void> set_number(std::optional<Decimal>& slot, const Keyword& k);
  Result<std::vector<std::string>> names_in(const Keyword& k, NodeId list) const;
  void allow(AllowedValues& values, NodeId value) const;

  Result<void> ref(const Keyword& k);
  Result<void> dynamic_ref(const Keyword& k);
  Result<void> logic(const Keyword& k);
  Result<void> types(const Keyword& k);
  Result<void> const_value(const Keyword& k);
  Result<void> enum_values(const Keyword& k);
  Result<void> number_keyword(const Keyword& k);
  Result<void> string_keyword(const Keyword& k);
  Result<void> array_keyword(const Keyword& k);
  Result<void> object_keyword(const Keyword& k);
  Result<void> property_map(const Keyword& k);
  Result<void> dependent_required(const Keyword& k);

  Program& program_;
  Documents& documents_;
  std::vector<SchemaId> waiting_;
  std::size_t resources_seen_ = 0;
  std::uint32_t tree_index_ = 0;  // of the schema being compiled
};

}  // namespace dragoman::schema
