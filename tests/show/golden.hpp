// SPDX-License-Identifier: Apache-2.0
// The cases of tests/show/golden.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace dragoman::show {

inline std::filesystem::path golden_dir() { return test::source_dir() / "tests/show/golden"; }

inline std::vector<std::string> golden_cases() {
  std::vector<std::string> cases;
  for (const auto& entry : std::filesystem::directory_iterator(golden_dir())) {
    if (std::filesystem::exists(entry.path() / "events.jsonl")) {
      cases.push_back(entry.path().filename().string());
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

}  // namespace dragoman::show
