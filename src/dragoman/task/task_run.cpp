// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

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
                 const RunnerOptions& options, Task task, Calls calls,
                 std::unique_ptr<Workspace> clone)
    : io_(io),
      log_(log),
      pump_(pump),
      options_(options),
      task_(std::move(task)),
      calls_(std::move(calls)),
      questions_(log),
      inbox_(log, task_.id),
      sink_(pump, event_stream(task_.id)),
      workspace_(std::move(clone)),
      again_(io) {}

TaskRun::~TaskRun() {
  if (options_.fleet) pump_.release(event_stream(task_.id));
}

const agent::AgentRow& TaskRun::task_agent() const {
  const agent::AgentRow* const known = agent::find_agent(task_.agent);
  return known != nullptr ? *known : agent::agent_of(agent::Protocol::command);
}

// What the task says; the rest is left to the settings.
engine::RunSpec TaskRun::spec(std::optional<engine::Message> message) {
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
  spec.keep = milliseconds(task_.keep_ms);
  spec.policy = process::environment_policy_named(task_.env_policy);
  spec.variables = task_.environment;
  spec.git_changes = true;
  spec.offers_fresh_start = false;  // people have not been told of any question
  spec.record = recording();
  if (!message) return spec;
  spec.request.prompt = message->text;
  spec.request.resume = task_.thread_id;
  spec.message = std::move(message);
  spec.last_seq = last_seq();
  spec.goes_on = true;
  return spec;
}

// The number that the last stored event has of its run.
std::uint64_t TaskRun::last_seq() {
  constexpr std::string_view kBegin = R"({"seq":)";
  const std::string stream = event_stream(task_.id);
  const auto last = log_.last(stream);
  if (!last || *last == 0) return 0;
  std::uint64_t seq = *last;
  const auto entries = log_.read(stream, *last, 1);
  if (!entries || entries->empty() || !entries->front().body.starts_with(kBegin)) return seq;
  const std::string_view digits = std::string_view(entries->front().body).substr(kBegin.size());
  std::uint64_t said = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), said);
  return std::max(seq, said);
}

std::filesystem::path TaskRun::recording() const {
  if (turn_.later && !task_.recording.empty()) return task_.recording;
  if (options_.recordings.empty()) return {};
  // An attempt before this one may have been on this machine, and keeps its own.
  return options_.recordings /
         (task_.attempt > 1 ? fmt::format("{}-{}", task_.id, task_.attempt) : task_.id);
}

Result<void> TaskRun::launch(std::optional<engine::Message> message) {
  turn_.prompt = message ? message->number : 0;
  engine::RunOrder order;
  order.spec = spec(std::move(message));
  order.asks = can_be_answered();
  // The run has its own grace for the agent; this one begins to count behind it.
  order.grace = milliseconds(task_.grace_ms + 500);
  engine::RunCalls calls;
  calls.ask = [this](const KeptQuestion& asked) { ask(asked); };
  calls.withdrawn = [this](const std::string& id) { questions_.withdraw(task_.id + "/" + id); };
  calls.heard = [this](std::uint64_t number) { heard(number); };
  calls.unheard = [this](std::uint64_t number) { unheard(number); };
  calls.rested = [this](const engine::RunEnd& end) { rested(end); };
  calls.ended = [this] { ended(); };
  DRAGOMAN_TRY(running_, options_.start(io_, std::move(order), sink_, std::move(calls)));
  if (calls_.launched) calls_.launched(running_->kill_switch());
  return {};
}

// Whoever writes its claim into the record is the only one who may write from now on. False: there
// is nothing to be done, and `settled` and `lost_` say why.
bool TaskRun::begin_turn(Task record) {
  const ProcessIdentity self = identity_of(::getpid());
  turn_ = {};
  turn_.later = task_.turn() > 1;
  turn_.started = std::chrono::steady_clock::now();
  turn_.interrupts = task_.interrupts;
  said_ = task_.said;
  stored_ = std::move(record);
  Result<bool> ours = true;
  const auto begun = change_known([&](Task& task) {
    // Somebody began meanwhile: after us, because our lease ran out before we came to this point,
    // or before us and too late. Claims have no order that tells (nats_queue.cpp), the queue does.
    const bool anothers = task.claim != 0 && task.claim != task_.claim;
    if (anothers && calls_.ours) ours = calls_.ours();
    if (!ours || !*ours) return false;
    if (task.task_state() == TaskState::queued) ++task.turns;
    task.state = name(TaskState::working);
    task.waits.clear();
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
  turn_.settled = begun && !*begun && ours && *ours;  // cancelled before it began
  return begun && *begun;
}

void TaskRun::guard_events() {
  if (!options_.fleet) return;
  // Nobody has begun before the first attempt, so nobody has written.
  pump_.guard(
      event_stream(task_.id),
      [&log = log_, id = task_.id, claim = task_.claim]() -> Result<bool> {
        DRAGOMAN_TRY(const auto task, find_task(log, id));
        return task && task->claim == claim;
      },
      task_.attempt == 1 && !turn_.later ? std::optional<std::uint64_t>(0) : std::nullopt);
}

void TaskRun::start() {
  if (!begin_turn(task_)) return finish();
  reveal_secrets(task_, options_.private_words);
  guard_events();
  if (task_.attempt > 1 && options_.fleet) {
    // For people; and from here on the worker before finds the stream changed, should it wake up.
    const std::string said =
        fmt::format("attempt {}: the worker before died or was out of reach", task_.attempt);
    diagnose("attempt", Level::info, said);
  }
  if (task_.repository.empty()) return begin_work();
  if (!turn_.later) return make_clone();
  if (workspace_ == nullptr)
    return fail({ErrorCode::tool_error, "the clone that it worked in is gone", "clone_gone"});
  task_.working_dir = workspace_->directory().string();
  begin_work();
}

void TaskRun::make_clone() {
  workspace_ = std::make_unique<Workspace>(io_, options_.workspaces / task_.id, task_.repository,
                                           task_.branch);
  workspace_->prepare([this](const Result<void>& ready) {
    if (lost_) return finish();
    if (turn_.cancelling) return settle({TaskState::cancelled, ""});
    if (!ready) return fail(ready.error());
    task_.working_dir = workspace_->directory().string();
    begin_work();
  });
}

void TaskRun::begin_work() {
  if (turn_.later) return tell_again();
  if (auto kept = keep_checkpoint(); !kept) return fail(kept.error());
  if (auto launched = launch({}); !launched) return fail(launched.error());
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

void TaskRun::rested(const engine::RunEnd& end) {
  turn_.rested = true;
  questions_.give_up();
  slot_.answers.clear();
  if (lost_) return;
  if (inbox_.in_doubt() && !end.not_started && !turn_.cancelling) {
    turn_.in_doubt = end;
    return;
  }
  turn_ended(end);
}

void TaskRun::turn_ended(const engine::RunEnd& end) {
  if (!end.not_started) turn_.finished = end.ending;
  if (end.not_started && turn_.prompt != 0)
    inbox_.fail(turn_.prompt, fmt::format("{}{}", engine::kNotStarted, end.not_started->message));
  if (turn_.cancelling) return settle({TaskState::cancelled, ""});
  if (end.not_started) {
    Error why = *end.not_started;
    tell_not_started(why);
    why.reason = "spawn_failed";
    return fail(why);
  }
  const Verdict& verdict = turn_.finished->verdict;
  settle(end_state(name(verdict.kind), verdict.reasons()));
}

void TaskRun::ended() {
  running_.reset();
  questions_.give_up();
  if (lost_ || turn_.concluded) return finish();
  if (const auto end = std::exchange(turn_.in_doubt, std::nullopt)) return turn_ended(*end);
  // A kept agent left in the moment in which it was told more: that begins its turn in another way.
  if (!turn_.rested) tell_again();
}

// For those who read the events: the only one of a turn whose program could not be started.
void TaskRun::tell_not_started(const Error& error) {
  const std::string why = fmt::format("{}{}", engine::kNotStarted, error.message);
  const std::array<std::string_view, 1> reasons = {why};
  Event event;
  event.seq = turn_.later ? last_seq() + 1 : 1;
  event.payload = Finished{"failed", reasons, process::exit_code_of(error), {}};
  pump_.add(event_stream(task_.id), to_json(event));
}

void TaskRun::log_changed() {
  if (over_) return;
  const auto found = find_task(log_, task_.id);
  if (!found) return;
  if (turn_.concluded) {  // a kept agent of a run that was deleted has nothing to stay for
    if (!*found) leave();
    return;
  }
  if (!*found) return;
  const Task& task = **found;
  if (task.claim != task_.claim) return lose();
  // It was cancelled, and perhaps told more since: that is another turn.
  if (task.task_state() != TaskState::working) {
    if (!turn_.settled) cancel();
    return;
  }
  if (turn_.interrupts < task.interrupts) {
    turn_.interrupts = task.interrupts;
    interrupt();
  }
  said_ = task.said;
  hand_over();
  if (questions_.waits()) look_for_answers();
}

}  // namespace dragoman::task
