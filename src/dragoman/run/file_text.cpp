// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/file_text.hpp"

#include <algorithm>
#include <array>

#include "dragoman/report/plain_text.hpp"

namespace dragoman {

namespace {

bool names_nothing(std::string_view path) {
  constexpr std::array<std::string_view, 7> kNothing = {"none",   "nothing",   "n/a",  "no files",
                                                        "(none)", "(nothing)", "(n/a)"};
  return std::find(kNothing.begin(), kNothing.end(), path) != kNothing.end();
}

bool is_path(std::string_view path, const std::function<bool(const std::string&)>& exists) {
  if (path.empty() || path.size() > 4096 || names_nothing(path)) return false;
  if (std::any_of(path.begin(), path.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return false;
  if (path.find('/') != std::string_view::npos || path.find('.') != std::string_view::npos)
    return true;
  return exists && exists(std::string(path));
}

// "4 files changed, 145 insertions(+), 67 deletions(-)"
std::optional<std::int64_t> changed_lines(std::string_view text) {
  if (!take_number(text)) return std::nullopt;
  if (!take(text, " files changed") && !take(text, " file changed")) return std::nullopt;
  std::int64_t sum = 0;
  while (take(text, ", ")) {
    const auto number = take_number(text);
    if (!number) break;
    sum += *number;
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return sum;
}

}  // namespace

FilesInText read_git_output(std::string_view text,
                            const std::function<bool(const std::string&)>& exists) {
  FilesInText files;
  const auto keep = [&](std::set<std::string>& list, std::string_view path) {
    path = without_blanks(path);
    if (is_path(path, exists)) list.emplace(path);
  };
  const std::string plain = strip_ansi(text);
  for_each_line(plain, [&](std::string_view line) {
    std::string_view words = without_blanks(line);
    if (const auto lines = changed_lines(words)) {
      files.lines_changed = files.lines_changed.value_or(0) + *lines;
    } else if (take(words, "modified:")) {
      keep(files.modified, words);
    } else if (take(words, "new file:")) {
      keep(files.added, words);
    } else if (take(words, "deleted:")) {
      keep(files.deleted, words);
    } else if (take(words, "renamed:")) {
      const std::size_t arrow = words.find(" -> ");
      if (arrow == std::string_view::npos) return;
      keep(files.deleted, words.substr(0, arrow));
      keep(files.added, words.substr(arrow + 4));
    }
  });
  return files;
}

}  // namespace dragoman
