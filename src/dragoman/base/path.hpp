// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dragoman {

// `path` as one sees it from `directory`; as it is where it does not lie in there.
[[nodiscard]] constexpr std::string_view path_within(std::string_view directory,
                                                     std::string_view path) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  const bool inside = !directory.empty() && path.size() > directory.size() + 1 &&
                      path.starts_with(directory) && path[directory.size()] == '/';
  return inside ? path.substr(directory.size() + 1) : path;
}

}  // namespace dragoman
