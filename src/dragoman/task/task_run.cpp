// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task_run.hpp"

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/git_snapshot.hpp"
#include "dragoman/task/private_words.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20U;
constexpr std::size_t kKeptTalk = 16 * 1024;

// NAME=value where the value must not be seen.
bool is_secret(const std::string& variable) {
  return variable.find('=') != std::string::npos &&
         (without_secrets(variable) != variable ||
          process::says_secret(variable.substr(0, variable.find('='))));
}

std::string milliseconds(std::int64_t ms) { return fmt::format("{}ms", ms); }

}  // namespace

TaskRun::TaskRun(boost::asio::io_context& io, Log& log, EventPump& pump,
                 const RunnerOptions& options, Task task, Calls calls)
    : io_(io),
      log_(log),
      pump_(pump),
      options_(options),
      task_(std::move(task)),
      calls_(std::move(calls)),
      desk_(log),
      started_(std::chrono::steady_clock::now()),
      again_(io) {}

TaskRun::~TaskRun() {
  if (options_.fleet) pump_.release(event_stream(task_.id));
}

std::vector<std::string> TaskRun::arguments() const {
  std::vector<std::string> words = {"run",
                                    "--agent",
                                    task_.agent,
                                    "--cwd",
                                    task_.working_dir,
                                    "--as",
                                    "json",
                                    "--no-store",
                                    "--git-changes",
                                    "--idle-timeout",
                                    milliseconds(task_.idle_ms),
                                    "--hard-timeout",
                                    milliseconds(task_.hard_ms),
                                    "--grace",
                                    milliseconds(task_.grace_ms)};
  if (can_be_answered()) {
    words.insert(words.end(), {"--io", "jsonl"});
  } else {
    words.emplace_back("--no-input");
  }
  const auto option = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  option("--model", task_.model);
  option("--sandbox", task_.mode);
  option("--permission-mode", task_.permission_mode);
  option("--output-schema", task_.output_schema);
  option("--env-policy", task_.env_policy);
  option("--resume", task_.resume);
  option("--record", recording().string());
  // A list of processes shows arguments to everybody, and the environment to nobody else.
  for (const auto& variable : task_.environment) {
    option("--env", is_secret(variable) ? variable.substr(0, variable.find('=')) : variable);
  }
  // The task's words go through stdin, so that no list of processes shows them.
  if (has_prompt()) words.emplace_back("-");
  if (!task_.words.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), task_.words.begin(), task_.words.end());
  }
  return words;
}

std::filesystem::path TaskRun::recording() const {
  if (options_.recordings.empty()) return {};
  // An attempt before this one may have been on this machine, and keeps its own.
  return options_.recordings /
         (task_.attempt > 1 ? fmt::format("{}-{}", task_.id, task_.attempt) : task_.id);
}

Result<void> TaskRun::launch() {
  RunOrder order;
  order.words = arguments();
  order.environment = process::own_environment();
  for (const auto& variable : task_.environment) {
    if (!is_secret(variable)) continue;
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(order.environment, [&](const auto& ours) { return ours.starts_with(name); });
    order.environment.push_back(variable);
  }
  order.directory = task_.working_dir;
  order.talks = can_be_answered();
  if (has_prompt()) order.input = order.talks ? prompt_line(task_.text) : task_.text;
  // `run` has its own grace for the agent; ours begins to count behind it.
  order.grace = std::chrono::milliseconds(task_.grace_ms + 500);
  RunCalls calls;
  calls.output = [this](process::Stream stream, std::string_view bytes) { output(stream, bytes); };
  calls.ended = [this](const RunEnd& end) { run_ended(end); };
  DRAGOMAN_TRY(running_, options_.start(io_, std::move(order), std::move(calls)));
  if (calls_.launched) {
    DRAGOMAN_TRY(auto ends, running_->kill_switch());
    calls_.launched(std::move(ends));
  }
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
  if (options_.fleet) return;  // nobody elsewhere could do anything with its number
  const ProcessIdentity agent = identity_of(running_->pid());
  const auto known = change([&](Task& task) {
    task.agent_pid = agent.pid;
    task.agent_start = agent.start;
    return true;
  });
  (void)known;  // false: cancelled already, which the next look finds
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

void TaskRun::output(process::Stream stream, std::string_view bytes) {
  if (stream == process::Stream::stderr_) {
    talk_.append(bytes.substr(0, kKeptTalk));
    if (talk_.size() > 2 * kKeptTalk) talk_.erase(0, talk_.size() - kKeptTalk);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (line_.size() + bytes.size() <= kLongestLine) line_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    take_line(line_);
    line_.clear();
  }
}

void TaskRun::take_line(std::string_view line) {
  Arena arena;
  auto event = read_event(line, arena);
  if (!event) return;
  see(*event);
  const std::string_view stored = fold_.stored(*event, line);
  if (!stored.empty()) pump_.add(event_stream(task_.id), std::string(stored));
}

void TaskRun::see(const Event& event) {
  fold_.on_event(event);
  if (const auto* question = event.as<Question>()) {
    see_question(*question);
  } else if (const auto* diagnostic = event.as<Diagnostic>()) {
    // What the desk took for an answer `run` does not: nobody can give another one.
    if (diagnostic->rule == "answer_refused" && running_ != nullptr) running_->close_input();
  } else if (const auto* end = event.as<Finished>()) {
    finished_.emplace();
    finished_->verdict = end->verdict;
    for (const auto& reason : end->reasons) finished_->reasons.emplace_back(reason);
    if (end->exit_code) finished_->exit_code = static_cast<int>(*end->exit_code);
    finished_->signal = end->signal;
  }
}

void TaskRun::run_ended(const RunEnd& end) {
  running_.reset();
  give_up_on_questions();
  if (lost_) return finish();
  if (cancelling_) return settle({TaskState::cancelled, ""});
  if (!finished_) {
    std::string said = one_line(talk_);
    if (said.empty()) said = end.how;
    const bool refused = end.exit_code == 2 || (end.exit_code >= 125 && end.exit_code <= 127);
    return fail({ErrorCode::tool_error, std::move(said), refused ? "spawn_failed" : "signal"});
  }
  const std::string_view why =
      finished_->reasons.empty() ? std::string_view() : finished_->reasons.front();
  if (why.starts_with(kNotStarted)) {
    return fail(
        {ErrorCode::tool_error, std::string(why.substr(kNotStarted.size())), "spawn_failed"});
  }
  settle(end_state(finished_->verdict, finished_->reasons));
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
  if (!waiting_.empty()) look_for_answers();
}

}  // namespace dragoman::task
