// SPDX-License-Identifier: Apache-2.0
// Which run a word means to a command that reads recordings or sessions, and may do without a
// store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/engine/session_store.hpp"
#include "dragoman/task/find_run.hpp"

namespace dragoman::cli {

// Where this user's recordings are, and which directory `last` is of; without a store.
[[nodiscard]] task::RunPlaces own_recordings(const std::filesystem::path& directory);

struct NamedRecording {
  std::string name;  // the run's id, or the directory as it was given
  std::filesystem::path directory;
};

// A directory, or what names a run (task/find_run.hpp) of the store or of the recordings. A store
// that is not there is not made. not_found: the word names neither, or the run was not recorded
// on this machine.
[[nodiscard]] Result<NamedRecording> find_recording(const Invocation& invocation, Console& console,
                                                    const std::string& word);

// The same for a command that reads files too: absent where the word is to be read as a file,
// because it is one or because it names no run.
[[nodiscard]] Result<std::optional<NamedRecording>> recording_instead_of_file(
    const Invocation& invocation, Console& console, const std::string& word);

struct NamedSession {
  std::optional<engine::StoredSession> session;
  std::string chosen;  // the run's id, where the word said something else
};

// The session of --resume: by its own id, by the run that had it last, or by that run's directory.
// A word that names no run may still be a session of the agent: then there is none, and no error.
[[nodiscard]] Result<NamedSession> find_stored_session(const std::filesystem::path& state,
                                                       const std::filesystem::path& directory,
                                                       const std::string& word);

}  // namespace dragoman::cli
