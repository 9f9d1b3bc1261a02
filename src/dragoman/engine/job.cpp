// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/job.hpp"

#include <algorithm>

#include "dragoman/agent/surroundings.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::engine {

Result<std::unique_ptr<Job>> Job::prepare(RunSpec spec, const Surroundings& surroundings) {
  std::unique_ptr<Job> job(new Job(std::move(spec), surroundings.state));
  job->make_environment(surroundings.environment);
  Plan& plan = job->plan_;
  const RunSpec& given = job->spec_;
  const process::Limits standard;
  plan.agent = given.agent;
  plan.request = given.request;
  plan.limits.idle = given.idle.value_or(standard.idle);
  plan.limits.hard = given.hard.value_or(standard.hard);
  plan.limits.after_result = given.after_result.value_or(standard.after_result);
  if (given.grace) plan.grace = *given.grace;
  plan.keep = given.keep;
  plan.message = given.message;
  plan.wait_for_limit = given.wait_for_limit;
  if (given.terminal) plan.terminal.emplace();
  plan.fresh_start = given.fresh_start;
  plan.offers_fresh_start = given.offers_fresh_start;
  plan.left_open = given.left_open;
  plan.locate = [environment = plan.environment](std::string_view name) {
    return agent::locate_program(name, environment);
  };
  DRAGOMAN_CHECK(job->begin_recording());
  return job;
}

void Job::make_environment(const std::vector<std::string>& ours) {
  std::vector<std::string> named = agent::variables_for(*spec_.agent, ours);
  named.insert(named.end(), spec_.variables.begin(), spec_.variables.end());
  plan_.environment = process::make_environment(
      spec_.policy.value_or(process::EnvironmentPolicy::allow_list), ours, named);
  std::vector<std::string> secrets = process::secret_values(ours);
  const auto more = process::secret_values(plan_.environment);
  secrets.insert(secrets.end(), more.begin(), more.end());
  rules_ = redact::make_rules(secrets);
}

std::string Job::redacted(std::string_view text) const { return redact::redacted(text, rules_); }

// What is going to be started is known, and there, before anything is written.
Result<void> Job::begin_recording() {
  agent::Request request = spec_.request;
  const agent::Launch first =
      agent::make_wire(*spec_.agent)->start(request, {request.resume, request.prompt, {}});
  record::CommandRecord& command = plan_.command;
  DRAGOMAN_TRY(command.program, plan_.locate(first.argv[0]));
  for (std::size_t i = 1; i < first.argv.size(); ++i) {
    command.arguments.push_back(redacted(agent::without_secrets(first.argv[i], request.secrets)));
  }
  command.run = spec_.id;
  command.agent = spec_.agent->name;
  command.directory = request.cwd;
  command.environment_names = process::names_of(plan_.environment);
  append_timestamp(command.started_at, wall_clock());
  command.session_id = request.resume;
  if (const auto dialect = spec_.agent->dialect) command.dialect = name(*dialect);
  record::RecordingOptions options;
  options.rules = rules_;
  if (spec_.goes_on) plan_.past.emplace().position.seq = spec_.last_seq;
  if (spec_.record.empty()) {
    recording_ = record::Recording::discard(options);
    return {};
  }
  if (spec_.goes_on) {
    DRAGOMAN_TRY(const bool known, go_on_recording(options));
    if (known) return {};
  }
  DRAGOMAN_TRY(recording_, record::Recording::create(spec_.record, command, options));
  return {};
}

// False: there is none to go on with.
Result<bool> Job::go_on_recording(const record::RecordingOptions& options) {
  auto past = read_past(spec_.record);
  if (!past && past.error().code == ErrorCode::not_found) return false;
  if (!past) return std::move(past).error();
  bool cut = false;
  DRAGOMAN_TRY(recording_, record::Recording::go_on(spec_.record, cut, options));
  if (cut) past->notes.emplace_back("its last line was not whole and is left out");
  past->position.stdout_bytes = recording_->account(record::Channel::stdout_).seen;
  past->position.stderr_bytes = recording_->account(record::Channel::stderr_).seen;
  past->position.seq = std::max(past->position.seq, spec_.last_seq);
  plan_.command = past->command;
  plan_.past = *std::move(past);
  return true;
}

std::unique_ptr<Run> Job::begin(Loop& loop, Spawner& spawner, Audience& audience, Desk* desk,
                                Owner owner) {
  const Services services{loop, spawner, *recording_, audience, desk};
  return std::make_unique<Run>(services, std::move(plan_), std::move(owner));
}

Result<void> Job::remember(const Run& run, const Ending& ending) {
  if (state_.empty() || spec_.record.empty()) return {};
  const SessionStore store(state_ / "sessions");
  const bool executor = spec_.agent->goes_on == agent::GoesOn::by_invocation;
  const agent::Request& request = spec_.request;
  if (ending.session_expired) store.forget(request.resume);
  // The words of the run before are among ours, with what must not be kept longer than needed.
  if (!request.secrets.empty()) store.forget(spec_.resumed);
  StoredSession stored;
  stored.session_id = executor ? ending.words[1] : run.session_id();
  if (stored.session_id.empty() || ending.session_expired) return {};
  stored.agent = spec_.agent->name;
  stored.run = spec_.id;
  stored.cwd = request.cwd;
  stored.git_head = git_head(request.cwd);
  if (executor) stored.words = ending.words;
  stored.pending = ending.pending;
  stored.secrets = ending.secrets;
  // Only one that still waits for an answer is called again with the very words.
  if (stored.pending.empty()) {
    stored.secrets.clear();
    for (std::string& word : stored.words) {
      word = recording_->redacted(agent::without_secrets(std::move(word), ending.secrets));
    }
  }
  return store.save(stored);
}

}  // namespace dragoman::engine
