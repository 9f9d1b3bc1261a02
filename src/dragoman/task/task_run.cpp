// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task_run.hpp"

#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/task/agent_request.hpp"
#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/git_snapshot.hpp"
#include "dragoman/task/private_words.hpp"

namespace dragoman::task {

namespace {

std::chrono::milliseconds milliseconds(std::int64_t ms) { return std::chrono::milliseconds(ms); }

}  // namespace

TaskRun::TaskRun(boost::asio::io_context& io, Log& log, EventPump& pump,
                 const RunnerOptions& options, Task task, Calls calls)
    : io_(io),
      log_(log),
      pump_(pump),
      options_(options),
      task_(std::move(task)),
      calls_(std::move(calls)),
      questions_(log),
      sink_(pump, event_stream(task_.id)),
      started_(std::chrono::steady_clock::now()),
      again_(io) {}

TaskRun::~TaskRun() {
  if (options_.fleet) pump_.release(event_stream(task_.id));
}

const agent::AgentRow& TaskRun::task_agent() const {
  const agent::AgentRow* const known = agent::find_agent(task_.agent);
  return known != nullptr ? *known : agent::agent_of(agent::Protocol::command);
}

// What the task says; the rest is left to the settings.
engine::RunSpec TaskRun::spec() const {
  engine::RunSpec spec;
  spec.agent = &task_agent();
  spec.id = task_.id;
  spec.request = agent_request(task_);
  spec.request.prompt = task_.text;
  spec.request.cwd = task_.working_dir;
  spec.request.resume = task_.resume;
  spec.idle = milliseconds(task_.idle_ms);
  spec.hard = milliseconds(task_.hard_ms);
  spec.grace = milliseconds(task_.grace_ms);
  spec.policy = process::environment_policy_named(task_.env_policy);
  spec.variables = task_.environment;
  spec.git_changes = true;
  spec.offers_fresh_start = false;  // people have not been told of any question
  spec.record = recording();
  return spec;
}

std::filesystem::path TaskRun::recording() const {
  if (options_.recordings.empty()) return {};
  // An attempt before this one may have been on this machine, and keeps its own.
  return options_.recordings /
         (task_.attempt > 1 ? fmt::format("{}-{}", task_.id, task_.attempt) : task_.id);
}

Result<void> TaskRun::launch() {
  engine::RunOrder order;
  order.spec = spec();
  order.asks = can_be_answered();
  // The run has its own grace for the agent; this one begins to count behind it.
  order.grace = milliseconds(task_.grace_ms + 500);
  engine::RunCalls calls;
  calls.ask = [this](const KeptQuestion& asked) { ask(asked); };
  calls.withdrawn = [this](const std::string& id) { questions_.withdraw(task_.id + "/" + id); };
  calls.heard = [](std::uint64_t /*message*/) {};
  calls.unheard = [](std::uint64_t /*message*/) {};
  calls.rested = [this](const engine::RunEnd& end) { rested_ = end; };
  calls.ended = [this] { run_ended(rested_); };
  DRAGOMAN_TRY(running_, options_.start(io_, std::move(order), sink_, std::move(calls)));
  if (calls_.launched) calls_.launched(running_->kill_switch());
  return {};
}

void TaskRun::start() {
  const ProcessIdentity self = identity_of(::getpid());
  // Whoever writes its claim here is the only one who may write from now on.
  stored_ = task_;
  Result<bool> ours = true;
  const auto begun = change_known([&](Task& task) {
    // Somebody began meanwhile: after us, because our lease ran out before we came to this point,
    // or before us and too late. Claims have no order that tells (nats_queue.cpp), the queue does.
    const bool anothers = task.claim != 0 && task.claim != task_.claim;
    if (anothers && calls_.ours) ours = calls_.ours();
    if (!ours || !*ours) return false;
    task.state = name(TaskState::working);
    task.started_at = task.last_event_at = now_ms();
    task.runner_pid = self.pid;
    task.runner_start = self.start;
    task.boot = self.boot;
    task.recording = recording().string();
    task.claim = task_.claim;
    task.attempt = task_.attempt;
    task.worker = task_.worker;
    return true;
  });
  lost_ = ours && !*ours;
  settled_ = begun && !*begun && ours && *ours;  // cancelled before it began
  if (!begun || !*begun) return finish();
  reveal_secrets(task_, options_.private_words);
  if (options_.fleet) {
    // Nobody has begun before the first attempt, so nobody has written.
    pump_.guard(
        event_stream(task_.id),
        [&log = log_, id = task_.id, claim = task_.claim]() -> Result<bool> {
          DRAGOMAN_TRY(const auto task, find_task(log, id));
          return task && task->claim == claim;
        },
        task_.attempt == 1 ? std::optional<std::uint64_t>(0) : std::nullopt);
  }
  if (task_.attempt > 1) {
    // For people; and from here on the worker before finds the stream changed, should it wake up.
    const std::string said =
        fmt::format("attempt {}: the worker before died or was out of reach", task_.attempt);
    diagnose("attempt", Level::info, said);
  }
  if (task_.repository.empty()) return begin_work();
  workspace_ = std::make_unique<Workspace>(io_, options_.workspaces / task_.id, task_.repository,
                                           task_.branch);
  workspace_->prepare([this](const Result<void>& ready) {
    if (lost_) return finish();
    if (cancelling_) return settle({TaskState::cancelled, ""});
    if (!ready) return fail(ready.error());
    task_.working_dir = workspace_->directory().string();
    begin_work();
  });
}

void TaskRun::begin_work() {
  if (auto kept = keep_checkpoint(); !kept) return fail(kept.error());
  if (auto launched = launch(); !launched) return fail(launched.error());
}

// A person allowed what the task asks for; what it could lose is kept first.
Result<void> TaskRun::keep_checkpoint() {
  const GitRisk risk = judge_git(asked_of(task_));
  if (risk.tier == GitTier::safe) return {};
  DRAGOMAN_TRY(const auto made, make_checkpoint(task_.working_dir, risk.operations.front(),
                                                task_.id, options_.git_files));
  if (!made) return {};
  const std::string said =
      made->ref.empty()
          ? fmt::format("checkpoint: branch {}", made->branch)
          : fmt::format("checkpoint: branch {}, the working tree in {}", made->branch, made->ref);
  diagnose("git_checkpoint", Level::info, said);
  return {};
}

void TaskRun::run_ended(const engine::RunEnd& end) {
  running_.reset();
  questions_.give_up();
  if (lost_) return finish();
  if (!end.not_started) finished_ = end.ending;
  if (cancelling_) return settle({TaskState::cancelled, ""});
  if (end.not_started) {
    Error why = *end.not_started;
    tell_not_started(why);
    why.reason = "spawn_failed";
    return fail(why);
  }
  settle(end_state(name(finished_->verdict.kind), finished_->verdict.reasons()));
}

// For those who read the events: the only one of a run whose program could not be started.
void TaskRun::tell_not_started(const Error& error) {
  const std::string why = fmt::format("{}{}", engine::kNotStarted, error.message);
  const std::array<std::string_view, 1> reasons = {why};
  Event event;
  event.seq = 1;
  event.payload = Finished{"failed", reasons, process::exit_code_of(error), {}};
  pump_.add(event_stream(task_.id), to_json(event));
}

void TaskRun::log_changed() {
  if (over_) return;
  const auto found = find_task(log_, task_.id);
  if (found && *found && (*found)->claim != task_.claim) return lose();
  const bool cancelled =
      found && *found && (*found)->task_state() == TaskState::cancelled && !cancelling_;
  if (cancelled) {
    cancelling_ = true;
    settled_ = true;
    if (running_ != nullptr) return running_->stop();
    if (workspace_ != nullptr && workspace_->busy()) return workspace_->stop();
    return finish();
  }
  if (questions_.waits()) look_for_answers();
}

}  // namespace dragoman::task
