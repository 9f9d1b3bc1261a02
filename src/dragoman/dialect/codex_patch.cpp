// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/path.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/codex_reader.hpp"

namespace dragoman {
namespace {

struct Change {
  json::Value path;
  json::Value kind;
  json::Value type;
  json::Value text;
};
constexpr FieldTable kChange({
    Slot<Change>{"path", &Change::path},
    {"kind", &Change::kind},
    {"type", &Change::type},
    {"diff", &Change::text},
    {"content", &Change::text},
    {"unified_diff", &Change::text},
});

FileAction action_named(std::string_view kind) {
  if (kind == "add") return FileAction::created;
  if (kind == "update") return FileAction::modified;
  if (kind == "delete") return FileAction::deleted;
  return FileAction::unknown;
}

struct Changed {
  FileAction action = FileAction::unknown;
  json::Value text;  // what is added or deleted, else the diff
};

// {"add":{"content":…}}, or {"type":"add","content":…}.
Changed change_of(const json::Value& change) {
  Changed changed;
  if (!change.is(json::Kind::object)) return changed;
  json::Cursor cursor(change.raw);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool named = key == "type";
    const std::string kind(key);
    const json::Value value = cursor.take();
    const std::string word = named && value.is(json::Kind::string) ? value.text().str() : kind;
    if (kind == "content" || kind == "unified_diff") changed.text = value;
    if (word != "add" && word != "update" && word != "delete") continue;
    changed.action = action_named(word);
    Change inner;
    if (value.is(json::Kind::object)) read_object(value.raw, kChange, inner);
    if (!inner.text.absent()) changed.text = inner.text;
  }
  return changed;
}

// Calls take(path, changed) for each change, and returns whether all of them name a file:
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
    const json::Value& word = kind.type.absent() ? change.kind : kind.type;
    take(path, Changed{action_named(string_of(word, arena)), change.text});
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
      each_change(item.changes, arena_, [&](std::string_view path, const Changed& changed) {
        files.push_back({path_within(cwd_, path), changed.action, {}, {}});
      });
  if (complete || !files.empty()) events.emit(FilesChanged{files, false}, Channel::tool_result);
  if (!complete) unknown_item("file_change", item.changes, events);
  questions_.settle_permissions(id, Grant::allow_once, events);
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
  (void)each_change(changes, arena_, [&](std::string_view path, const Changed& changed) {
    if (patch.files.size() >= kMostFiles) return;
    PatchFile& file = patch.files.emplace_back();
    file.path = path;
    file.action = changed.action;
    if (!changed.text.is(json::Kind::string) || patch.bytes > kMostWanted) return;
    // One byte more than is told, so that what is missing is noticed.
    file.text = utf8::head(string(changed.text), kMostWanted + 1);
    patch.bytes += file.text->size();
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
    for (const PatchFile& file : patch->files) {
      files.push_back({path_within(cwd_, file.path), file.action, {}, {}});
    }
    events.emit(FilesChanged{files, false}, Channel::tool_result);
    questions_.settle_permissions(id, Grant::allow_once, events);
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
    paths += path_within(cwd_, patch->files[i].path);
  }
  const std::size_t more = patch->files.size() - shown;
  if (more != 0) paths += fmt::format(" and {} more", more);
  return paths;
}

void CodexReader::ask_for_patch(PermissionRequest asked, LineEvents& events) {
  std::vector<WantedFile> files;
  const std::string paths = paths_of_patch(asked.key);
  if (const Patch* const patch = find_patch(asked.key); patch != nullptr) {
    for (const PatchFile& file : patch->files) {
      WantedFile& wanted = files.emplace_back();
      wanted.path = file.path;
      wanted.action = file.action;
      if (!file.text) continue;
      if (file.action == FileAction::created) {
        wanted.new_text = *file.text;
      } else if (file.action == FileAction::deleted) {
        wanted.old_text = *file.text;
      } else {
        wanted.diff = *file.text;
      }
    }
    if (patch->bytes > kMostWanted) asked.wants.cut = true;
  }
  asked.tool = kPatchTool;
  asked.wants.files = files;
  if (!paths.empty()) asked.subject = paths;
  questions_.ask_permission(asked, events);
}

void CodexReader::ask_for_command(PermissionRequest asked, std::string_view command,
                                  LineEvents& events) {
  asked.tool = "Bash";
  if (!command.empty()) asked.subject = asked.wants.command = command;
  questions_.ask_permission(asked, events);
}

}  // namespace dragoman
