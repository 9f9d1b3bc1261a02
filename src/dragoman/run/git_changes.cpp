// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/git_changes.hpp"

#include "dragoman/event/names.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

std::string git_changes_json(const GitChanges& changes) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("files").begin_array();
  for (const auto& [path, action] : changes.files) {
    w.begin_object().name("path").string(path).name("action").word(name(action)).end_object();
  }
  w.end_array();
  if (changes.lines_changed) w.name("lines_changed").integer(*changes.lines_changed);
  w.end_object();
  return out;
}

std::optional<GitChanges> read_git_changes(std::string_view text) {
  GitChanges changes;
  json::Cursor c(text);
  std::string_view key;
  for (json::Members members(c); members.next(key);) {
    if (key == "lines_changed") {
      changes.lines_changed = json::parse_number(c.take().raw).value.whole().value_or(0);
    } else if (key == "files" && c.next_is(json::Kind::array)) {
      for (json::Elements files(c); files.next();) {
        std::string path;
        FileAction action = FileAction::modified;
        std::string_view field;
        for (json::Members file(c); file.next(field);) {
          const bool is_path = field == "path";
          const std::string value = c.take().text().str();
          if (is_path) path = value;
          if (!is_path && value == name(FileAction::created)) action = FileAction::created;
          if (!is_path && value == name(FileAction::deleted)) action = FileAction::deleted;
        }
        if (!path.empty()) changes.files.emplace(std::move(path), action);
      }
    } else {
      c.skip();
    }
  }
  if (!c.finish()) return std::nullopt;
  return changes;
}

void add_changes(GitChanges& sum, const GitChanges& later) {
  for (const auto& [path, action] : later.files) {
    const auto [known, is_new] = sum.files.emplace(path, action);
    if (is_new) continue;
    if (known->second == FileAction::created) {
      if (action == FileAction::deleted) sum.files.erase(known);
    } else if (known->second == FileAction::deleted && action == FileAction::created) {
      known->second = FileAction::modified;
    } else {
      known->second = action;
    }
  }
  if (later.lines_changed) sum.lines_changed = sum.lines_changed.value_or(0) + *later.lines_changed;
}

}  // namespace dragoman
