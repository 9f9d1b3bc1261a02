// SPDX-License-Identifier: Apache-2.0
// What git has to do with a run: dangerous commands, checkpoints, and what changed.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/engine/run.hpp"

namespace dragoman::cli {

// Judges what the agent asks to run; a checkpoint under `id` comes before what somebody allows.
void guard_git(engine::Plan& plan, const std::string& id, const std::filesystem::path& state);

// Remembers the directory as it is now, so that the end can say what changed. Nothing where there
// is no repository.
void compare_with_git(engine::Plan& plan, const std::filesystem::path& state);

// Where our own git directories are, see task/git_twin.hpp: in the state directory, where the
// sandbox of an agent lets it write nothing. Empty where there is none.
[[nodiscard]] std::filesystem::path git_files(const std::filesystem::path& state);

}  // namespace dragoman::cli
