// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::config {

// One assignment of a file, its tables joined by dots.
struct Assignment {
  std::string key;
  enum class Kind : std::uint8_t { text, flag, integer, list, other } kind = Kind::other;
  std::vector<std::string> texts;  // what it says: one, or those of a list of texts
  unsigned line = 0;
};

// Whose file it is. That of a project comes from a stranger: it has to be one, not a pipe that
// somebody waits at for ever.
enum class Whose : bool { ours, strangers };

// Absent: there is no such file. An error names the file, and the line where it is no TOML.
[[nodiscard]] Result<std::optional<std::vector<Assignment>>> read_file(
    const std::filesystem::path& path, Whose whose = Whose::ours);

}  // namespace dragoman::config
