// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/commit_message.hpp"

#include <string_view>

#include <fmt/format.h>

#include "dragoman/base/hidden.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kSubjectLength = 72;

// The first line that says something, without the signs that make it a heading or a list entry.
std::string first_sentence(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line = one_line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t start = line.find_first_not_of("#*->• ");
    if (start == std::string::npos) continue;
    line.erase(0, start);
    const std::size_t stop = line.find(". ");
    if (stop != std::string::npos) line.resize(stop);
    while (!line.empty() && (line.back() == '.' || line.back() == '*' || line.back() == ':')) {
      line.pop_back();
    }
    if (!line.empty()) return line;
  }
  return {};
}

std::string cut_to_subject(std::string line) {
  if (utf8::count(line) <= kSubjectLength) return line;
  line = std::string(utf8::prefix(line, kSubjectLength - 1));
  if (const std::size_t blank = line.rfind(' '); blank != std::string::npos && blank > 40) {
    line.resize(blank);
  }
  return line + "…";
}

std::string_view verb_of(const RunSummary& run) {
  const FileAction first = run.files.front().action;
  for (const ChangedFile& file : run.files) {
    if (file.action != first) return "Change";
  }
  switch (first) {
    case FileAction::created:
      return "Add";
    case FileAction::deleted:
      return "Remove";
    case FileAction::renamed:
      return "Rename";
    case FileAction::modified:
      return "Update";
    case FileAction::unknown:
      return "Change";
  }
  return "Change";
}

std::string subject_from_files(const RunSummary& run) {
  const std::string first = one_line(run.files.front().path);
  if (run.files.size() == 1) return fmt::format("{} {}", verb_of(run), first);
  return fmt::format("{} {} and {} more", verb_of(run), first, run.files.size() - 1);
}

std::string subject(const RunSummary& run) {
  std::string words;
  if (run.turns.last.has_value() && run.turns.last->ok) {
    words = first_sentence(run.turns.last->text);
  }
  if (words.empty() && run.status.has_value() && run.status->status == "completed") {
    words = first_sentence(run.status->message);
  }
  return cut_to_subject(words.empty() ? subject_from_files(run) : words);
}

std::string file_line(const ChangedFile& file) {
  std::string line = fmt::format("- {} ({}", one_line(file.path), name(file.action));
  if (!file.from.empty()) line.append(" from ").append(one_line(file.from));
  if (!file.observed) line += ", claimed";
  line += ")";
  if (!file.note.empty()) line.append(" ").append(one_line(file.note));
  return line + "\n";
}

}  // namespace

std::string commit_message(const RunSummary& run) {
  if (run.commit_suggestion.has_value() && !run.commit_suggestion->subject.empty()) {
    std::string message = one_line(run.commit_suggestion->subject) + "\n";
    if (!run.commit_suggestion->body.empty()) {
      message.append("\n").append(utf8::lines_with_hidden_shown(run.commit_suggestion->body));
    }
    if (message.back() != '\n') message.push_back('\n');
    return message;
  }
  if (run.files.empty()) return {};
  std::string message = subject(run) + "\n\n";
  for (const ChangedFile& file : run.files) message += file_line(file);
  if (run.tests.has_value()) {
    message += fmt::format("\nTests: {} passed, {} failed, {} skipped\n", run.tests->passed,
                           run.tests->failed, run.tests->skipped);
  }
  return message;
}

}  // namespace dragoman
