// SPDX-License-Identifier: Apache-2.0
// What a task changed in its clone.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

namespace {

// A store that takes events, but not the changes for so long, never will.
constexpr std::chrono::minutes kStorePatience(5);

// Entries of a log are lines, and have no NUL.
std::vector<std::string> entries_of(std::string_view diff) {
  std::vector<std::string> entries;
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    std::string& entry = entries.emplace_back();
    for (const char c : diff.substr(0, end)) {
      if (c == '\0') {
        entry += utf8::kReplacement;
      } else {
        entry.push_back(c);
      }
    }
    diff.remove_prefix(std::min(end + 1, diff.size()));
  }
  return entries;
}

}  // namespace

void TaskRun::diagnose(std::string_view rule, Level level, const std::string& message) {
  Event event;
  event.payload = Diagnostic{rule, level, message};
  pump_.add(event_stream(task_.id), to_json(event));
}

void TaskRun::collect_changes() {
  workspace_->collect([this](const Result<std::string>& diff) {
    if (lost_) return finish();
    changes_since_ = std::chrono::steady_clock::now();
    if (diff) changes_ = entries_of(*diff);
    // Who cancelled it while they were collected has decided.
    if (!diff && !cancelling_) miss_changes(diff.error().message);
    if (!workspace_->left_out().empty())
      diagnose("changes_left_out", Level::warning, workspace_->left_out());
    conclude();
  });
}

// The clone has the only copy of what the agent did, and a person may still want it.
void TaskRun::miss_changes(const std::string& why) {
  changes_.clear();
  const auto kept = workspace_->keep();
  diagnose("changes_not_kept", Level::error,
           kept.empty() ? why : fmt::format("{}; the clone is in {}", why, kept.string()));
  ending_ = [before = std::move(ending_), why](Task& task) {
    before(task);
    task.summary += "; its changes could not be kept: " + why;
  };
}

// Before the last state: whoever sees that finds the changes. A second attempt replaces them, and
// so does a second try.
bool TaskRun::store_changes() {
  if (changes_.empty()) return true;
  const auto task = find_task(log_, task_.id);
  if (!task) return false;
  lost_ = *task && (*task)->claim != task_.claim;  // then they are somebody else's by now
  if (lost_) return false;
  std::vector<LogWrite> writes;
  writes.emplace_back(DropStream{diff_stream(task_.id)});
  writes.emplace_back(Append{diff_stream(task_.id), changes_, 0});
  const auto written = log_.write(std::move(writes));
  if (written && written->back().applied) {
    changes_.clear();
    return true;
  }
  if (std::chrono::steady_clock::now() - changes_since_ > kStorePatience)
    miss_changes(written ? "somebody else writes them" : written.error().message);
  return false;
}

}  // namespace dragoman::task
