// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/path.hpp"
#include "dragoman/dialect/codex_reader.hpp"

namespace dragoman {
namespace {

struct Change {
  json::Value path;
  json::Value kind;
  json::Value type;
};
constexpr FieldTable kChange({
    Slot<Change>{"path", &Change::path},
    {"kind", &Change::kind},
    {"type", &Change::type},
});

FileAction action_named(std::string_view kind) {
  if (kind == "add") return FileAction::created;
  if (kind == "update") return FileAction::modified;
  if (kind == "delete") return FileAction::deleted;
  return FileAction::unknown;
}

// {"add":{…}}, or {"type":"add",…}.
FileAction change_of(const json::Value& change) {
  if (!change.is(json::Kind::object)) return FileAction::unknown;
  FileAction action = FileAction::unknown;
  json::Cursor cursor(change.raw);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool named = key == "type";
    const std::string kind(key);
    const json::Value value = cursor.take();
    const std::string word = named && value.is(json::Kind::string) ? value.text().str() : kind;
    if (word == "add") action = FileAction::created;
    if (word == "update") action = FileAction::modified;
    if (word == "delete") action = FileAction::deleted;
  }
  return action;
}

// Calls take(path, action) for each change, and returns whether all of them name a file:
// {"a.txt":{"add":{…}}} in the oldest shape,
// [{"path":"a.txt","kind":"add"}] today, and with {"kind":{"type":"add"}} in the app server.
template <typename Take>
bool each_change(const json::Value& changes, Arena& arena, Take&& take) {
  bool complete = true;
  json::Cursor cursor(changes.raw);
  if (changes.is(json::Kind::object)) {
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const std::string_view path = arena.copy(key);
      take(path, change_of(cursor.take()));
    }
  }
  if (!changes.is(json::Kind::array)) return complete;
  for (json::Elements elements(cursor); elements.next();) {
    Change change;
    bool duplicate = false;
    pass_object(cursor, kChange, change, duplicate);
    Change kind;
    if (change.kind.is(json::Kind::object)) read_object(change.kind.raw, kChange, kind);
    const std::string_view path = string_of(change.path, arena);
    complete = complete && path.data() != nullptr;
    if (path.data() == nullptr) continue;
    take(path, action_named(string_of(kind.type.absent() ? change.kind : kind.type, arena)));
  }
  return complete;
}

}  // namespace

// Only what was applied has changed a file.
void CodexReader::file_item(const CodexItem& item, Phase phase, LineEvents& events) {
  if (phase == Phase::updated) return;
  const std::string_view id = call_id(item.id, kPatchTool, phase, events);
  if (phase == Phase::started) {
    begin_patch(id, item.changes);
    start_patch(id, events);
    return;
  }
  const Outcome outcome = outcome_named(string(item.status));
  if (outcome != Outcome::ok) {
    begin_patch(id, item.changes);
    tell_failed_patch(id, events);
    forget_patch(id);
    ToolFinished finished;
    finished.id = id;
    finished.tool = kPatchTool;
    finished.outcome = outcome;
    finish_tool(finished, events, Extras().add("changes", item.changes));
    return;
  }
  forget_patch(id);
  close_patch(id);
  std::vector<FileChange> files;
  const bool complete =
      each_change(item.changes, arena_, [&](std::string_view path, FileAction action) {
        files.push_back({path_within(cwd_, path), action, {}, {}});
      });
  if (complete || !files.empty()) events.emit(FilesChanged{files, false}, Channel::tool_result);
  if (!complete) unknown_item("file_change", item.changes, events);
  questions_.settle_permissions(id, "Allow", events, arena_);
}

// One that is applied is told by the files it changed. Until then it is kept among the tools, to be
// told of when it is never heard of again.
void CodexReader::start_patch(std::string_view id, LineEvents& events) {
  const std::optional<RunningTool> pushed_out =
      tools_.open(id, kPatchTool, {}, events.origin().parent);
  if (pushed_out.has_value()) {
    abandon(*pushed_out, events.origin_behind(Channel::tool_result), events);
  }
}

void CodexReader::close_patch(std::string_view id) {
  if (RunningTool* const open = tools_.find(id); open != nullptr) tools_.close(*open);
}

// Nothing has told yet that it began.
void CodexReader::tell_start_of_patch(const RunningTool& tool, const Origin& where,
                                      LineEvents& events) {
  const std::string paths = paths_of_patch(tool.id);
  ToolStarted started;
  started.id = tool.id;
  started.tool = tool.tool;
  if (!paths.empty()) started.description = paths;
  Origin origin = where;
  origin.channel = Channel::tool_input;
  origin.parent = {};
  if (!tool.parent.empty()) origin.parent = tool.parent;
  events.emit_at(started, origin);
}

// One that was not applied is a tool that was used: its beginning is told just before its end.
void CodexReader::tell_failed_patch(std::string_view id, LineEvents& events) {
  RunningTool tool;
  tool.id = id;
  tool.tool = kPatchTool;
  tool.parent = events.origin().parent;
  tell_start_of_patch(tool, events.origin_before(Channel::tool_input), events);
}

// What a patch would change is announced when it begins; whether it did is said when it ends.
void CodexReader::begin_patch(std::string_view id, const Value& changes) {
  constexpr std::size_t kMostPatches = 64;
  constexpr std::size_t kMostFiles = 4096;
  if (!changes.is(json::Kind::object) && !changes.is(json::Kind::array)) return;
  forget_patch(id);
  if (patches_.size() >= kMostPatches) patches_.erase(patches_.begin());
  Patch& patch = patches_.emplace_back();
  patch.id = id;
  (void)each_change(changes, arena_, [&](std::string_view path, FileAction action) {
    if (patch.files.size() < kMostFiles) patch.files.emplace_back(path, action);
  });
}

void CodexReader::end_patch(const CodexItem& msg, LineEvents& events) {
  const std::string_view id = call_id(msg.call_id, kPatchTool, Phase::completed, events);
  begin_patch(id, msg.changes);
  if (!msg.success.is_true()) {
    tell_failed_patch(id, events);
    ToolFinished finished;
    finished.id = id;
    finished.tool = kPatchTool;
    finished.outcome = Outcome::failed;
    finished.output = text_of(msg.standard_output);
    const json::Text errors = text_of(msg.standard_error);
    if (!errors.bytes.empty()) finished.error = errors;
    finish_tool(finished, events);
  } else if (const Patch* const patch = find_patch(id); patch != nullptr) {
    std::vector<FileChange> files;
    files.reserve(patch->files.size());
    for (const auto& [path, action] : patch->files) {
      files.push_back({path_within(cwd_, path), action, {}, {}});
    }
    events.emit(FilesChanged{files, false}, Channel::tool_result);
    questions_.settle_permissions(id, "Allow", events, arena_);
  } else {  // which files, nobody has said
    ToolFinished finished;
    finished.id = id;
    finished.tool = kPatchTool;
    finished.output = text_of(msg.standard_output);
    finish_tool(finished, events);
  }
  close_patch(id);
  forget_patch(id);
}

void CodexReader::forget_patch(std::string_view id) {
  std::erase_if(patches_, [id](const Patch& patch) { return patch.id == id; });
}

const CodexReader::Patch* CodexReader::find_patch(std::string_view id) const {
  const auto at = std::ranges::find(patches_, id, &Patch::id);
  return at != patches_.end() ? &*at : nullptr;
}

// For people who decide about it: more than a few paths nobody reads.
std::string CodexReader::paths_of_patch(std::string_view id) const {
  constexpr std::size_t kMostShown = 16;
  std::string paths;
  const Patch* const patch = find_patch(id);
  if (patch == nullptr) return paths;
  const std::size_t shown = std::min(patch->files.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) paths += ", ";
    paths += path_within(cwd_, patch->files[i].first);
  }
  const std::size_t more = patch->files.size() - shown;
  if (more != 0) paths += fmt::format(" and {} more", more);
  return paths;
}

}  // namespace dragoman
