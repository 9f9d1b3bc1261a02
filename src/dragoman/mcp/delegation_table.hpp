// SPDX-License-Identifier: Apache-2.0
// The fifteen tools and everything that can be said to them. One table is the source of what is
// advertised, of what is read and of what is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

enum class ParameterType : std::uint8_t { text, integer, flag, object, texts };

struct Parameter {
  std::string_view name;  // snake_case; the camelCase spelling is accepted as well
  ParameterType type = ParameterType::text;
  std::string_view description;
  bool required = false;
  std::string_view standard = {};  // as JSON; empty: none, or it depends
  std::vector<std::string_view> choices = {};
  std::int64_t least = 0;      // of an integer
  std::int64_t most = 0;       // of an integer; of a text its code points, 0: no bound
  std::string_view also = {};  // a further name
};

struct DelegationTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::vector<Parameter> parameters;
  bool read_only = false;
  bool idempotent = false;
  bool open_world = true;
  TaskSupport task_support = TaskSupport::forbidden;
  bool quick = false;
  bool repeatable = false;  // depends on the arguments, the store and the second, nothing else

  [[nodiscard]] const Parameter* find(std::string_view parameter) const;
};

// In the order of the specification.
[[nodiscard]] std::span<const DelegationTool> delegation_table();
[[nodiscard]] const DelegationTool* find_delegation_tool(std::string_view name);

[[nodiscard]] std::string input_schema(const DelegationTool& tool);
[[nodiscard]] ToolSpec spec_of(const DelegationTool& tool);

}  // namespace dragoman::mcp
