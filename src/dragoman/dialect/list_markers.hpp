// SPDX-License-Identifier: Apache-2.0
// The bracket markers that are followed by a list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/event/findings.hpp"

namespace dragoman {

// Each gives the marker line and its list. A path or name is written as it is or refused; words
// around it are mended.
[[nodiscard]] Result<std::string> files_modified_lines(const FilesChanged& files);
// `pairs`: what the line says besides, as strings.
[[nodiscard]] Result<std::string> test_results_lines(const TestResults& results,
                                                     std::span<const Extra> pairs);
[[nodiscard]] Result<std::string> lint_warnings_lines(const LintWarnings& warnings);
[[nodiscard]] Result<std::string> dependency_lines(const DependencyNeeded& needed);

// Why something cannot be listed as it is.
struct ListFault {
  std::string_view field;  // path; name, version, manager
  std::string_view value;
  std::string_view why;  // "begins or ends with a blank"
};
[[nodiscard]] std::optional<ListFault> list_fault(const FileChange& file);
[[nodiscard]] std::optional<ListFault> list_fault(const Dependency& item);

// Why `value` cannot stand on a line as it is; empty: it can.
[[nodiscard]] std::string_view line_fault(std::string_view value);

// A value of key=value: bare when it can be, else "…" with \" and \\.
[[nodiscard]] std::string quoted_unless_bare(std::string_view value);

}  // namespace dragoman
