// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/named_run.hpp"

#include <fmt/format.h>

#include "dragoman/agent/request.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/record/reader.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// A word such as a file's name is looked for among the runs only where it can be one.
bool is_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.starts_with('.');
}

// What --resume calls the run in this directory.
std::string run_recorded_in(const fs::path& directory) {
  const auto run = record::Reader::open(directory);
  if (!run) return {};
  const std::string& id = (*run)->command().run;
  std::error_code failed;
  return id.empty() ? fs::canonical(directory, failed).filename().string() : id;
}

}  // namespace

task::RunPlaces own_recordings(const fs::path& directory) {
  task::RunPlaces places;
  if (const auto state = state_directory()) places.recordings = *state / "runs";
  std::error_code gone;
  places.directory = fs::canonical(directory, gone).string();
  return places;
}

Result<NamedRecording> find_recording(const Invocation& invocation, Console& console,
                                      const std::string& word) {
  std::error_code failed;
  if (fs::is_directory(word, failed)) return NamedRecording{word, word};
  if (is_path(word)) return Error{ErrorCode::not_found, "no such directory", "path"};
  task::RunPlaces places = own_recordings(".");
  const fs::path exact = places.recordings / run_id_of(word);
  if (!places.recordings.empty() && fs::is_directory(exact, failed))
    return NamedRecording{run_id_of(word), exact};
  DRAGOMAN_TRY(const auto store, open_store_if_there(invocation, console, Reach::everywhere));
  places.log = store.get();
  DRAGOMAN_TRY(const auto run, task::find_run(places, word));
  if (fs::is_directory(run.recording, failed)) return NamedRecording{run.id, run.recording};
  return Error{ErrorCode::not_found, fmt::format("{} has no recording on this machine", run.id),
               "recording"};
}

Result<std::optional<NamedRecording>> recording_instead_of_file(const Invocation& invocation,
                                                                Console& console,
                                                                const std::string& word) {
  std::error_code failed;
  const bool is_file = fs::exists(word, failed) && !fs::is_directory(word, failed);
  if (word == "-" || is_file) return std::optional<NamedRecording>();
  auto found = find_recording(invocation, console, word);
  if (found) return std::optional<NamedRecording>(*std::move(found));
  // The complaint about a file that is not there is for a word that looks like one.
  const bool meant = word == "last" || is_run_id(word) || is_task_id(word) ||
                     found.error().code != ErrorCode::not_found ||
                     found.error().reason == "recording";
  if (meant) return std::move(found).error();
  return std::optional<NamedRecording>();
}

Result<NamedSession> find_stored_session(const fs::path& state, const fs::path& directory,
                                         const std::string& word) {
  const engine::SessionStore sessions(state / "sessions");
  NamedSession named;
  named.session = sessions.find(run_id_of(word));
  if (named.session) return named;
  std::error_code failed;
  if (fs::is_directory(directory / word, failed)) {
    named.session = sessions.find(run_recorded_in(directory / word));
    if (named.session) named.chosen = named.session->run;
    return named;
  }
  if (is_path(word) || agent::is_uuid(word)) return named;
  task::RunPlaces places;
  places.recordings = state / "runs";
  places.directory = fs::canonical(directory, failed).string();
  const auto run = task::find_run(places, word);
  if (!run && run.error().code != ErrorCode::not_found) return run.error();
  if (!run) return named;
  named.session = sessions.find(run->id);
  named.chosen = run->id;
  return named;
}

}  // namespace dragoman::cli
