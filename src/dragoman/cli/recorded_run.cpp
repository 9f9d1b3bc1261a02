// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/recorded_run.hpp"

#include "dragoman/event/json.hpp"
#include "dragoman/process/exit.hpp"
#include "dragoman/record/reader.hpp"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// `said`: the verdict of the last turn. Of one that ended before its program did that is all that
// can be known.
EndedBy ended_by(const record::ExitRecord& exit, std::string_view said) {
  const bool waited = said == "question" || said == "blocked";
  if (exit.rested) return said == "cancelled" ? EndedBy::cancel : EndedBy::itself;
  if (exit.timeout == "after_result") return EndedBy::after_result;
  if (!exit.timeout.empty()) return EndedBy::timeout;
  if (!exit.stopped) return EndedBy::itself;
  return waited ? EndedBy::question : EndedBy::cancel;
}

}  // namespace

Result<ProcessEnd> fold_recorded_run(const fs::path& directory, RunFold& fold) {
  DRAGOMAN_TRY(const auto run, record::Reader::open(directory));
  DRAGOMAN_TRY(const auto lines, run->events());
  fold.know_directory(run->command().directory);
  Arena arena;
  std::string said;
  for (const std::string& line : lines) {
    arena.reset();
    auto event = read_event(line, arena);
    if (!event) return std::move(event).error().while_doing("read " + directory.string());
    const auto* const end = event->as<Finished>();
    if (end != nullptr) {
      said = end->verdict;
      for (const Extra& field : event->extra) {
        if (field.key != "git") continue;
        if (const auto changes = read_git_changes(field.value.json)) fold.see_changes(*changes);
      }
    } else {
      fold.on_event(*event);
    }
  }
  ProcessEnd end;
  // Of a run that rests with its program alive there is no exit yet.
  if (!run->exit() && said == "cancelled") end.ended_by = EndedBy::cancel;
  if (!run->exit()) return end;
  const record::ExitRecord& exit = *run->exit();
  end.ended_by = ended_by(exit, said);
  end.survivors = exit.survivors;
  if (exit.rested) return end;
  if (exit.how == "exited") end.exit_code = exit.code;
  if (exit.how == "signal") end.signal = exit.code;
  if (exit.how == "lost") end.exit_code = process::exit_code_of(process::Exit{});
  return end;
}

}  // namespace dragoman::cli
