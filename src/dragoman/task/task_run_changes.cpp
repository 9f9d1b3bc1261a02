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
    if (lost_) return conclude();
    changes_.since = std::chrono::steady_clock::now();
    if (diff) changes_.lines = entries_of(*diff);
    // Who cancelled it while they were collected has decided.
    if (!diff && !turn_.cancelling) miss_changes(diff.error().message);
    if (!workspace_->left_out().empty())
      diagnose("changes_left_out", Level::warning, workspace_->left_out());
    if (workspace_->cut_off() > 0) tell_cut(diff->size());
    conclude();
  });
}

// The clone has the only copy of what the agent did, and a person may still want it.
void TaskRun::miss_changes(const std::string& why) {
  changes_.lines.clear();
  diagnose_clone("changes_not_kept", Level::error, why);
  add_to_summary("its changes could not be kept: " + why);
}

// Keeps the clone, and says where.
void TaskRun::diagnose_clone(std::string_view rule, Level level, const std::string& what) {
  const auto kept = workspace_->keep();
  diagnose(rule, level,
           kept.empty() ? what : fmt::format("{}; the clone is in {}", what, kept.string()));
}

void TaskRun::add_to_summary(std::string what) {
  turn_.ending = [before = std::move(turn_.ending), what = std::move(what)](Task& task) {
    before(task);
    task.summary += "; " + what;
  };
}

// Whoever takes the diff for the whole would lose the rest with the clone.
void TaskRun::tell_cut(std::size_t kept_bytes) {
  std::string what = fmt::format("only {} of {} bytes of its diff are kept", kept_bytes,
                                 kept_bytes + workspace_->cut_off());
  diagnose_clone("changes_cut", Level::warning, what);
  add_to_summary(std::move(what));
}

// Before the last state: whoever sees that finds the changes. A second attempt replaces them, and
// so does a second try.
bool TaskRun::store_changes() {
  if (changes_.lines.empty()) return true;
  const auto task = find_task(log_, task_.id);
  if (!task) return false;
  lost_ = *task && (*task)->claim != task_.claim;  // then they are somebody else's by now
  if (lost_) return false;
  std::vector<LogWrite> writes;
  writes.emplace_back(DropStream{diff_stream(task_.id)});
  writes.emplace_back(Append{diff_stream(task_.id), changes_.lines, 0});
  const auto written = log_.write(std::move(writes));
  if (written && written->back().applied) {
    changes_.lines.clear();
    return true;
  }
  if (std::chrono::steady_clock::now() - changes_.since > kStorePatience)
    miss_changes(written ? "somebody else writes them" : written.error().message);
  return false;
}

}  // namespace dragoman::task
