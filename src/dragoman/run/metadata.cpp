// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/metadata.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/base/path.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman {

namespace {

constexpr std::size_t kKeptOutput = 256 * 1024;
constexpr std::size_t kKeptBegin = 4 * 1024;
constexpr std::size_t kOpenTools = 4096;

void keep_tail(std::string& kept, std::string_view more) {
  kept.append(more);
  if (kept.size() > 2 * kKeptOutput) kept.erase(0, kept.size() - kKeptOutput);
}

// Only these print files and sums that can be believed.
bool asks_git(std::string_view command) {
  return command.find("git status") != std::string_view::npos ||
         command.find("git commit") != std::string_view::npos ||
         command.find("git diff --stat") != std::string_view::npos;
}

void place(std::map<std::string, FileAction>& files, const std::string& path, FileAction action) {
  const auto found = files.find(path);
  if (found == files.end()) {
    files.emplace(path, action);
    return;
  }
  // Created then modified is still created.
  if (found->second == FileAction::created && action == FileAction::modified) return;
  found->second = action;
}

}  // namespace

void MetadataFold::see(const ToolStarted& tool) {
  if (git_commands_.size() < kOpenTools && !tool.command.absent())
    git_commands_[std::string(tool.id)] = asks_git(tool.command.str());
}

void MetadataFold::see(const ToolFinished& tool) {
  const auto started = git_commands_.find(tool.id);
  if (started == git_commands_.end()) return;
  const bool git = started->second;
  git_commands_.erase(started);
  const std::string output = tool.output.str();
  if (auto tests = read_test_output(output, TextBounds::one_command)) command_tests_ = tests;
  if (git) {
    auto seen = read_git_output(output);
    git_text_.modified.merge(seen.modified);
    git_text_.added.merge(seen.added);
    git_text_.deleted.merge(seen.deleted);
    if (seen.lines_changed) git_text_.lines_changed = seen.lines_changed;
  }
  if (tool.outcome != Outcome::failed) return;
  failed_output_.clear();
  keep_tail(failed_output_, output);
  if (!tool.error.absent()) keep_tail(failed_output_, tool.error.str());
}

void MetadataFold::see_text(const DisplayText& text, const Event& event) {
  const std::string words = text.text.str();
  if (event.origin.stream == Stream::stderr_) return keep_tail(stderr_, words);
  if (event.origin.channel == Channel::stdout_) {
    if (plain_begin_.size() < kKeptBegin) plain_begin_.append(words, 0, kKeptBegin);
    return keep_tail(plain_, words);
  }
  if (event.origin.channel != Channel::assistant_text) return;
  if (text.block != message_block_ || !text.block) message_.clear();
  message_block_ = text.block;
  keep_tail(message_, words);
}

void MetadataFold::on_event(const Event& event) {
  if (event.partial) return;
  if (const auto* started = event.as<ToolStarted>()) return see(*started);
  if (const auto* finished = event.as<ToolFinished>()) return see(*finished);
  if (const auto* text = event.as<DisplayText>()) return see_text(*text, event);
  if (const auto* tests = event.as<TestResults>()) {
    reported_tests_ = TestOutcome{tests->passed, tests->failed, tests->skipped, {}};
    for (const TestCase& one : tests->tests) {
      if (one.status == "failed" && reported_tests_->failed_tests.size() < TestOutcome::kKeptNames)
        reported_tests_->failed_tests.emplace_back(one.name);
    }
  }
}

std::optional<TestOutcome> MetadataFold::tests() const {
  if (reported_tests_) return reported_tests_;
  if (command_tests_) return command_tests_;
  if (auto tests = read_test_output(plain_, TextBounds::unknown)) return tests;
  return read_test_output(message_, TextBounds::unknown);
}

FileOperations MetadataFold::files(const RunSummary& run, const RunFacts& facts) const {
  std::map<std::string, FileAction> merged;
  if (facts.git) merged = facts.git->files;
  for (const ChangedFile& file : run.files) {
    if (!file.observed) continue;
    const std::string path = std::string(path_within(run.cwd, file.path));
    if (file.action == FileAction::renamed) {
      if (!file.from.empty())
        place(merged, std::string(path_within(run.cwd, file.from)), FileAction::deleted);
      place(merged, path, FileAction::created);
    } else if (file.action != FileAction::unknown) {
      place(merged, path, file.action);
    }
  }
  const FilesInText& text = git_text_;
  const FilesInText plain = read_git_output(plain_);
  if (merged.empty() && !facts.git) {
    for (const auto* source : {&text, &plain}) {
      for (const auto& path : source->modified) place(merged, path, FileAction::modified);
      for (const auto& path : source->added) place(merged, path, FileAction::created);
      for (const auto& path : source->deleted) place(merged, path, FileAction::deleted);
    }
  }
  FileOperations operations;
  for (const auto& [path, action] : merged) {
    auto& list = action == FileAction::created   ? operations.added_files
                 : action == FileAction::deleted ? operations.deleted_files
                                                 : operations.modified_files;
    list.push_back(path);
  }
  std::optional<std::int64_t> lines;
  if (facts.git) lines = facts.git->lines_changed;
  if (!lines) lines = text.lines_changed;
  if (!lines) lines = plain.lines_changed;
  operations.lines_changed = lines.value_or(0);
  return operations;
}

Metadata MetadataFold::metadata(const RunSummary& run, const RunFacts& facts) const {
  Metadata metadata;
  metadata.duration = std::chrono::duration_cast<std::chrono::seconds>(facts.duration).count();
  metadata.file_operations = files(run, facts);
  metadata.test_results = tests();
  metadata.thread_id = run.session_id;
  if (!run.usage.tokens.empty()) metadata.tokens = run.usage.tokens;
  const bool tests_failed = metadata.test_results && metadata.test_results->failed > 0;
  metadata.error_context = error(run, facts, tests_failed);
  metadata.task_status = facts.state;
  return metadata;
}

std::optional<double> cache_hit_rate(const TokenCount& tokens) {
  if (tokens.total_input <= 0) return std::nullopt;
  const double rate =
      static_cast<double>(tokens.cached_input) / static_cast<double>(tokens.total_input);
  return std::round(rate * 100) / 100;
}

}  // namespace dragoman
