// SPDX-License-Identifier: Apache-2.0
// Changed files, read from what git prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace dragoman {

struct FilesInText {
  std::set<std::string> modified;
  std::set<std::string> added;
  std::set<std::string> deleted;
  std::optional<std::int64_t> lines_changed;  // insertions and deletions together
  friend bool operator==(const FilesInText&, const FilesInText&) = default;
};

// `exists`: whether a relative path is there; asked for words that do not look like paths.
[[nodiscard]] FilesInText read_git_output(
    std::string_view text, const std::function<bool(const std::string&)>& exists = {});

}  // namespace dragoman
