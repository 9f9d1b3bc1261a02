// SPDX-License-Identifier: Apache-2.0
// What `codex cloud` prints, read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/mcp/cloud_backend.hpp"
#include "dragoman/process/exit.hpp"

namespace dragoman::mcp {

// The last line of `codex cloud exec` that is a URL; empty: there is none.
[[nodiscard]] std::string task_url_in(std::string_view out);
// Of a URL its last segment, checked: letters, digits, '_', '-' and '.'. Empty: it has none.
[[nodiscard]] std::string last_segment(std::string_view url);

// The first line of `codex cloud status`: "[READY] Add a test". Absent: it is not one.
[[nodiscard]] std::optional<CloudNews> read_cloud_status(std::string_view out);

struct CloudPage {
  std::vector<CloudNews> tasks;
  std::string cursor;  // of the next page; empty: this is the last
};
[[nodiscard]] Result<CloudPage> read_cloud_list(std::string_view json);

// What stderr says when a command has failed, as one of our reasons.
[[nodiscard]] Error cloud_failure(std::string_view err, const process::Exit& exit,
                                  std::string_view out = {});
[[nodiscard]] bool is_no_diff(std::string_view err);

[[nodiscard]] std::string summary_of(const CloudTask& task, const FileOperations& files);

}  // namespace dragoman::mcp
