// SPDX-License-Identifier: Apache-2.0
// Cancelling, cleaning, and what dead processes leave behind.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/queues.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/turn_end.hpp"

namespace dragoman::task {

namespace {

// Only a process that still is the one we know.
void kill_process(const ProcessIdentity& process, int signal) {
  if (!is_alive(process)) return;
  const auto pid = static_cast<pid_t>(process.pid);
  ::kill(-pid, signal);  // it leads its group
  ::kill(pid, signal);
}

// A record is only words, perhaps of another machine's: what is deleted lies in the directory of
// recordings itself, wherever links lead. A link in there is deleted, not what it names.
void remove_recording(const std::filesystem::path& recording, const std::filesystem::path& root) {
  const std::filesystem::path name = recording.filename();
  if (root.empty() || !recording.is_absolute() || name.empty() || name == "." || name == "..")
    return;
  std::error_code failed;
  const auto parent = std::filesystem::canonical(recording.parent_path(), failed);
  if (failed || parent != std::filesystem::canonical(root, failed) || failed) return;
  // The record is gone; files that stay behind harm nobody.
  std::filesystem::remove_all(parent / name, failed);
}

}  // namespace

Result<Cancelled> Service::cancel(std::string_view task_id, std::string_view reason) {
  Cancelled result;
  DRAGOMAN_TRY(result.task, get(task_id));
  const std::string id = result.task.id;
  result.previous_state = result.task.state;
  std::string before;
  std::string queue;
  TurnEnd turn;
  turn.end = [&](Task& task) {
    before = task.state;
    queue = queue_of(task);
    task.state = name(TaskState::cancelled);
    task.cancel_reason = without_secrets(reason);
    task.summary = reason.empty() ? "Task cancelled" : "Task cancelled: " + task.cancel_reason;
    return true;
  };
  turn.last = "the run was cancelled";
  DRAGOMAN_TRY(const Concluded concluded, conclude_turn(log_, id, std::move(turn)));
  const bool cancelled = concluded == Concluded::rests;
  DRAGOMAN_TRY(result.task, get(id));
  if (!cancelled && result.task.task_state() != TaskState::cancelled) {
    return Error{ErrorCode::validation,
                 fmt::format("{} has ended already: {}", id, result.task.state), "already_terminal",
                 fmt::format(R"({{"state":"{}"}})", result.task.state)};
  }
  if (!cancelled) return result;
  result.previous_state = before;
  DRAGOMAN_TRY(const auto questions, desk_.open_questions(id));
  for (const auto& question : questions) {
    DRAGOMAN_TRY(const bool settled, desk_.withdraw(question.key()));
    (void)settled;
  }
  if (before == name(TaskState::queued)) {
    forget_secrets(id, options_.private_words);
    DRAGOMAN_TRY(const auto removed, write_one(log_, Dequeue{queue, id}));
    (void)removed;
    return result;
  }
  return await_end(std::move(result), queue);
}

Result<Cancelled> Service::await_end(Cancelled result, const std::string& queue) {
  const std::string& id = result.task.id;
  // Its runner sees the state, ends the agent and gives the slot back.
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(result.task.grace_ms + 1000);
  for (std::uint64_t seen = 0;;) {
    DRAGOMAN_TRY(const auto items, log_.queue(queue));
    // A run that was in no queue is over when its process is.
    const bool held = !result.task.from_queue()
                          ? is_alive(result.task.runner())
                          : std::any_of(items.begin(), items.end(),
                                        [&](const QueueItem& item) { return item.key == id; });
    if (!held) return result;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || (!options_.fleet && !is_alive(result.task.runner()))) break;
    seen = log_.wait_for_change(seen, std::min(left, std::chrono::milliseconds(200)));
  }
  // It has heard, and takes longer; a dead worker's place is given up by whoever finds it.
  if (options_.fleet || is_alive(result.task.runner())) return result;
  kill_process(result.task.agent_process(), SIGKILL);
  DRAGOMAN_TRY(const auto removed, write_one(log_, Dequeue{queue, id}));
  (void)removed;
  return result;
}

Result<bool> Service::is_worked_on(const Task& task) {
  if (task.kept_by_its_process()) return true;
  if (task.task_state() == TaskState::queued) {
    if (options_.fleet && task.turn() > 1) return worker_lives(log_, task.worker);
    // It waits for its turn as long as somebody is at work on that queue. Between two tasks nothing
    // is claimed.
    if (options_.runner_lives) return options_.runner_lives();
    DRAGOMAN_TRY(const auto items, log_.queue(queue_of(task)));
    return std::any_of(items.begin(), items.end(), [](const auto& item) { return item.claimed; });
  }
  if (!options_.fleet || !task.from_queue()) return is_alive(task.runner());
  DRAGOMAN_TRY(const auto items, log_.queue(queue_of(task)));
  return std::any_of(items.begin(), items.end(),
                     [&](const QueueItem& item) { return item.key == task.id && item.claimed; });
}

Result<bool> Service::is_stuck(const Task& task, std::chrono::milliseconds silent) {
  const std::int64_t last =
      std::max({task.created_at, task.queued_at, task.started_at, task.last_event_at});
  if (now_ms() - last < silent.count()) return false;
  DRAGOMAN_TRY(const bool worked_on, is_worked_on(task));
  if (worked_on) return false;
  DRAGOMAN_TRY(const auto questions, desk_.open_questions(task.id));
  return questions.empty();
}

Result<void> Service::orphan(const Task& task, std::vector<LogWrite> then, std::string last) {
  TurnEnd turn;
  turn.end = [&](Task& found) {
    if (found.claim != task.claim || found.state != task.state) return false;
    if (!options_.fleet && is_alive(found.runner())) return false;
    found.state = name(TaskState::failed);
    found.reason = "orphaned";
    found.summary = "Task failed: the process that ran it is gone";
    return true;
  };
  turn.then = std::move(then);
  turn.last = std::move(last);
  turn.fleet = options_.fleet;
  DRAGOMAN_TRY(const Concluded concluded, conclude_turn(log_, task.id, std::move(turn)));
  if (concluded == Concluded::not_ours) return {};
  DRAGOMAN_TRY(const auto questions, desk_.open_questions(task.id));
  for (const auto& question : questions) {
    DRAGOMAN_TRY(const bool settled, desk_.give_up(question.key()));
    (void)settled;
  }
  return {};
}

// A later turn is for the worker that has the session, and for no other one.
Result<bool> Service::is_deserted(const Task& task, const std::string& queue) {
  constexpr std::int64_t kSilence = 10'000;
  if (task.turn() < 2 || task.kept_by_its_process()) return false;
  if (now_ms() - std::max(task.queued_at, task.started_at) < kSilence) return false;
  DRAGOMAN_TRY(const bool lives, worker_lives(log_, task.worker));
  if (lives) return false;
  DRAGOMAN_TRY(const auto items, log_.queue(queue));
  return std::ranges::none_of(
      items, [&](const QueueItem& item) { return item.key == task.id && item.claimed; });
}

// Workers find by themselves what others left. What they cannot find is a task that is not in its
// queue, because whoever submitted it was cut off in between. One that has just ended may be put
// there as well: whoever takes it sees that there is nothing to do. Nor do they know of a run that
// was killed: its own machine does.
Result<void> Service::reconcile_fleet() {
  constexpr std::int64_t kUnderWay = 10'000;
  DRAGOMAN_TRY(const auto open, in_states({"queued", "working"}));
  std::map<std::string, std::set<std::string, std::less<>>> queues;
  for (const Task& task : open) {
    if (!task.from_queue()) {
      if (is_known_dead(task.runner())) DRAGOMAN_CHECK(orphan(task));
      continue;
    }
    const std::string queue = queue_of(task);
    DRAGOMAN_TRY(const bool deserted, is_deserted(task, queue));
    if (deserted) {
      std::vector<LogWrite> then;
      then.emplace_back(Dequeue{queue, task.id});
      DRAGOMAN_CHECK(orphan(task, std::move(then),
                            fmt::format("{}, which has its session, is gone", task.worker)));
      continue;
    }
    if (now_ms() - std::max(task.created_at, task.queued_at) < kUnderWay) continue;
    if (!queues.contains(queue)) {
      DRAGOMAN_TRY(const auto items, log_.queue(queue));
      for (const QueueItem& item : items) queues[queue].insert(item.key);
    }
    if (queues[queue].contains(task.id)) continue;
    DRAGOMAN_CHECK(announce_queue(log_, queue));
    DRAGOMAN_TRY(const auto added, write_one(log_, Enqueue{queue, task.id}));
    (void)added;
  }
  return {};
}

Result<void> Service::reconcile() {
  if (options_.fleet) return reconcile_fleet();
  DRAGOMAN_TRY(const auto open, in_states({"queued", "working"}));
  std::map<std::string, std::vector<QueueItem>, std::less<>> queues;
  for (const std::string_view queue : {kNext, kQueue}) {
    DRAGOMAN_TRY(queues[std::string(queue)], log_.queue(queue));
  }
  std::set<std::string, std::less<>> living;  // whose slots need no second look
  bool work = false;
  for (const Task& task : open) {
    const std::string queue = queue_of(task);
    if (task.task_state() == TaskState::queued) {
      living.insert(task.id);
      if (task.kept_by_its_process()) continue;
      work = true;
      const auto is_it = [&](const QueueItem& item) { return item.key == task.id; };
      if (std::ranges::any_of(queues[queue], is_it)) continue;
      // What was to put it there was cut off between the record and the queue.
      DRAGOMAN_TRY(const auto added, write_one(log_, Enqueue{queue, task.id}));
      (void)added;
      continue;
    }
    if (is_alive(task.runner())) {
      living.insert(task.id);
      continue;
    }
    kill_process(task.agent_process(), SIGKILL);
    std::vector<LogWrite> then;
    then.emplace_back(Dequeue{queue, task.id});
    DRAGOMAN_CHECK(orphan(task, std::move(then)));
    work = work || task.said > task.heard;
  }
  for (const auto& [queue, items] : queues) DRAGOMAN_CHECK(free_slots(queue, items, living));
  if (work) wake();
  return {};
}

// Those that a dead runner held for tasks that have ended, such as cancelled ones.
Result<void> Service::free_slots(const std::string& queue, const std::vector<QueueItem>& items,
                                 const std::set<std::string, std::less<>>& living) {
  for (const QueueItem& item : items) {
    if (living.contains(item.key)) continue;
    DRAGOMAN_TRY(const auto task, find_task(log_, item.key));
    if (task && (!task->terminal() || is_alive(task->runner()))) continue;
    if (task) kill_process(task->agent_process(), SIGKILL);
    DRAGOMAN_TRY(const auto removed, write_one(log_, Dequeue{queue, item.key}));
    (void)removed;
  }
  return {};
}

// Looking, cancelling and submitting go on without a runner: it can be started later.
void Service::wake() {
  if (!options_.wake_runner) return;
  const auto woken = options_.wake_runner();
  if (!woken && options_.no_runner) options_.no_runner(woken.error());
}

Result<void> Service::remove(const Task& task) {
  std::vector<LogWrite> writes;
  writes.emplace_back(Drop{std::string(kTasks), task.id, task.revision});
  writes.emplace_back(DropStream{event_stream(task.id)});
  writes.emplace_back(DropStream{word_stream(task.id)});
  writes.emplace_back(DropStream{diff_stream(task.id)});
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  if (!written.front().applied) return {};
  // Those of a fleet are on the machines of its workers.
  if (!options_.fleet && !task.keeps_recording)
    remove_recording(task.recording, options_.recordings);
  forget_secrets(task.id, options_.private_words);
  DRAGOMAN_CHECK(messages_.remove(task.id));
  return desk_.remove(task.id);
}

Result<bool> Service::end_stuck(const Task& task, std::chrono::milliseconds silent) {
  TurnEnd turn;
  turn.then.emplace_back(Dequeue{queue_of(task), task.id});
  turn.end = [&](Task& found) {
    // A process may have begun it since it was judged.
    const auto stuck = is_stuck(found, silent);
    if (found.state != task.state || !stuck || !*stuck) return false;
    found.state = name(TaskState::failed);
    found.reason = "stuck";
    found.summary = fmt::format("Task timeout - no activity for over {} seconds ({} minutes)",
                                silent.count() / 1000, silent.count() / 60'000);
    return true;
  };
  turn.last = "the run was stuck";
  DRAGOMAN_TRY(const Concluded concluded, conclude_turn(log_, task.id, std::move(turn)));
  return concluded != Concluded::not_ours;
}

Result<Cleaned> Service::clean(const CleanOptions& options) {
  Cleaned cleaned;
  const std::int64_t now = now_ms();
  DRAGOMAN_TRY(const auto open, in_states({"queued", "working"}));
  for (const Task& task : open) {
    DRAGOMAN_TRY(const bool stuck, is_stuck(task, options.stuck));
    if (!stuck) continue;
    if (!options.dry_run) {
      DRAGOMAN_TRY(const bool ended, end_stuck(task, options.stuck));
      if (!ended) continue;
      ++cleaned.cleaned;
    }
    cleaned.stuck.push_back(task.id);
  }
  if (options.keeps_old) return cleaned;
  DRAGOMAN_TRY(const auto ended, in_states(terminal_states()));
  for (const Task& task : ended) {
    const std::int64_t age = now - task.completed_at;
    if (age <= options.old.count()) continue;
    ++cleaned.old_found;
    cleaned.oldest_age_hours = std::max(cleaned.oldest_age_hours, age / 3'600'000);
    if (options.dry_run) continue;
    DRAGOMAN_CHECK(remove(task));
    ++cleaned.deleted;
  }
  return cleaned;
}

std::string Cleaned::summary(bool dry_run) const {
  if (dry_run) {
    return fmt::format("Would clean {}, delete {}", counted(stuck.size(), "stuck task"),
                       counted(old_found, "old task"));
  }
  return fmt::format("Cleaned {}, deleted {}", counted(cleaned, "stuck task"),
                     counted(deleted, "old task"));
}

}  // namespace dragoman::task
