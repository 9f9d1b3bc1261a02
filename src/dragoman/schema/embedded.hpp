// SPDX-License-Identifier: Apache-2.0
// The schemas of schemas/, compiled into the program.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace dragoman::schema {

// All views live as long as the program.
struct EmbeddedSchema {
  std::string_view id;    // its $id: "dragoman/event/status/v1"
  std::string_view file;  // below schemas/: "event/status.json"
  std::string_view text;

  friend bool operator==(const EmbeddedSchema&, const EmbeddedSchema&) = default;
};

// In the order of their file names.
[[nodiscard]] std::span<const EmbeddedSchema> all();
[[nodiscard]] std::optional<EmbeddedSchema> find(std::string_view id);

}  // namespace dragoman::schema
