// SPDX-License-Identifier: Apache-2.0
// environments.json: where cloud tasks can be sent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::mcp {

struct Environment {
  std::string id;
  std::string name;
  std::string repository;
  std::string tech_stack;
  std::string created_at;   // empty: not said
  std::string description;  // empty: not said
  std::string backend = "codex-cloud";
  std::string fleet;  // JSON: what backend fleet wants to know; empty: nothing

  friend bool operator==(const Environment&, const Environment&) = default;
};

struct Environments {
  std::vector<Environment> all;  // of a list in its order, of an object by id
  std::string source;            // the file, the home directory as ~
  std::size_t skipped = 0;       // entries without a name or a repository

  [[nodiscard]] const Environment* find(std::string_view id) const;
};

// Where it is looked for; the first file that exists is used. An error is NOT_FOUND
// environment_config when there is none, VALIDATION bad_config with the place when it is broken.
[[nodiscard]] Result<Environments> read_environments(
    const std::vector<std::filesystem::path>& places, const std::filesystem::path& home);

// The text of a file; both forms.
[[nodiscard]] Result<Environments> parse_environments(std::string_view text);

}  // namespace dragoman::mcp
