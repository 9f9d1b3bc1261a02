// SPDX-License-Identifier: Apache-2.0
// The arguments of a call, held to the table of its tool.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/mcp/delegation_table.hpp"
#include "dragoman/task/values.hpp"

namespace dragoman::mcp {

using task::bad_value;

class Arguments {
 public:
  // Every name and value is checked: what the tool does not know, what is missing, what has the
  // wrong type or is out of range is refused by name.
  [[nodiscard]] static Result<Arguments> read(const DelegationTool& tool, std::string_view json);

  [[nodiscard]] bool has(std::string_view name) const { return given_.contains(name); }
  // The value, else what the table has as standard; a name that the table lacks is a fault of ours.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::optional<bool> given_flag(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::string object(std::string_view name) const;  // JSON; empty: not given

 private:
  struct Value {
    std::string text;  // of an object its JSON
    std::int64_t number = 0;
    bool truth = false;
    std::vector<std::string> texts;
    friend bool operator==(const Value&, const Value&) = default;
  };
  class Reader;

  [[nodiscard]] const Value& value(std::string_view name) const;

  std::map<std::string, Value, std::less<>> given_;
  std::map<std::string, Value, std::less<>> standard_;
};

// How the text of the answer shall be, also of a call whose other arguments are wrong.
enum class Format : std::uint8_t { markdown, json };
[[nodiscard]] Format format_in(std::string_view arguments);

}  // namespace dragoman::mcp
