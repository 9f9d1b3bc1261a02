// SPDX-License-Identifier: Apache-2.0
// What a value of a task has to look like before anything is started with it, whoever gave it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// VALIDATION bad_value, with what was expected and the beginning of what came instead.
[[nodiscard]] Error bad_value(std::string_view parameter, std::string_view expected,
                              std::optional<std::string_view> got = {});

// Nothing said is well: the agent has its own.
[[nodiscard]] Result<void> check_model(std::string_view model);

[[nodiscard]] Result<void> refuse_way_up(const std::string& path);  // ".."
// A path without symbolic links, of one that is absolute, that has no "..", that is a directory,
// and that is inside one of the roots; no roots: anywhere.
[[nodiscard]] Result<std::string> checked_directory(const std::string& path,
                                                    const std::vector<std::string>& roots = {});

// What read-only, preview, workspace-write and danger-full-access mean to the task's agent. Nothing
// said: as that agent is set up.
[[nodiscard]] Result<void> take_mode(std::string_view mode, Task& task);
// The mode that lets the task's agent do what it may; empty: as that agent is set up.
[[nodiscard]] std::string_view mode_of(const Task& task);
// The words that are part of the mode stay, others belonged to that one task.
void keep_words_of_mode(Task& task);

}  // namespace dragoman::task
