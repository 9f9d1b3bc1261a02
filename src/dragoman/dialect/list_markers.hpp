// SPDX-License-Identifier: Apache-2.0
// The bracket markers that are followed by a list.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/event/findings.hpp"

namespace dragoman {

// Each gives the marker line and its list. A path or name is written as it is or refused; words
// around it are mended.
[[nodiscard]] Result<std::string> files_modified_lines(const FilesChanged& files);
[[nodiscard]] Result<std::string> test_results_lines(const TestResults& results);
[[nodiscard]] Result<std::string> lint_warnings_lines(const LintWarnings& warnings);
[[nodiscard]] Result<std::string> dependency_lines(const DependencyNeeded& needed);

// A value of key=value: bare when it can be, else "…" with \" and \\.
[[nodiscard]] std::string quoted_unless_bare(std::string_view value);

}  // namespace dragoman
