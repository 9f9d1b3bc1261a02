// SPDX-License-Identifier: Apache-2.0
// What the agent of a task has to be told and the registry must not keep.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// Secrets in a text are replaced, those of our own environment included.
[[nodiscard]] std::string without_secrets(std::string_view text);

// Takes the secrets out of a task before it is stored, and the values of its variables whatever
// they look like, but for the shortest. What they stood in goes into a file of the
// directory that only we can read, until the task has started; with no directory it is lost, and
// the agent gets what is stored.
[[nodiscard]] Result<void> hide_secrets(Task& task, const std::filesystem::path& directory);

// Puts back what was hidden, for the process that runs the task. Nothing was: nothing changes.
void reveal_secrets(Task& task, const std::filesystem::path& directory);
void forget_secrets(std::string_view task_id, const std::filesystem::path& directory);

}  // namespace dragoman::task
