// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_preparation.hpp"

#include <array>

#include <fmt/format.h>

#include "dragoman/base/duration.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/run_git.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::cli {
namespace {

void fill_limit(std::optional<std::chrono::milliseconds>& limit, const config::Config& settings,
                std::string_view setting) {
  if (limit) return;
  const auto time = parse_duration(settings.text(setting));  // it was checked when it was read
  if (time) limit = *time;
}

}  // namespace

void fill_in(engine::RunSpec& spec, const config::Config& settings) {
  // A setting is for the agents that have a use for it.
  const auto fill = [&](agent::AgentOption option, std::string& value, std::string_view setting) {
    if (value.empty() && spec.agent->options.has(option)) value = settings.text(setting);
  };
  fill(agent::AgentOption::model, spec.request.model, "run.model");
  fill(agent::AgentOption::permission_mode, spec.request.permission_mode, "run.permission_mode");
  fill(agent::AgentOption::sandbox, spec.request.sandbox, "run.sandbox");
  fill_limit(spec.idle, settings, "run.idle_timeout");
  fill_limit(spec.hard, settings, "run.hard_timeout");
  fill_limit(spec.after_result, settings, "run.after_result");
  fill_limit(spec.grace, settings, "run.grace");
  if (!spec.policy)
    spec.policy = process::environment_policy_named(settings.text("run.env_policy"));
  const auto& configured = settings.value("run.env").texts;
  spec.variables.insert(spec.variables.begin(), configured.begin(), configured.end());
}

Result<void> check_run(const engine::RunSpec& spec) {
  const std::string& prompt = spec.request.prompt;
  if (prompt.find('\0') != std::string::npos)
    return Error{ErrorCode::validation, "the prompt contains a NUL"};
  if (!spec.agent->program.empty() && !utf8::valid(prompt))
    return Error{ErrorCode::validation, "the prompt is not UTF-8"};
  return spec.agent->check(spec.request);
}

Result<std::unique_ptr<engine::Job>> prepare_run(engine::RunSpec spec,
                                                 const engine::Surroundings& surroundings) {
  DRAGOMAN_TRY(auto job, engine::Job::prepare(std::move(spec), surroundings));
  guard_git(job->plan(), job->spec().id, surroundings.state);
  if (job->spec().git_changes) compare_with_git(job->plan(), surroundings.state);
  return job;
}

engine::PrepareRun prepare_task_runs() {
  return [](engine::RunSpec spec) -> Result<std::unique_ptr<engine::Job>> {
    engine::Surroundings surroundings{process::own_environment(), {}};
    surroundings.state = config::state_directory(surroundings.environment);
    config::Places places;
    places.environment = surroundings.environment;
    places.working_directory = spec.request.cwd;
    DRAGOMAN_TRY(const auto settings, config::Config::load(places));
    fill_in(spec, settings);
    if (const std::string id = spec.request.resume; !id.empty()) {
      const engine::SessionStore sessions(surroundings.state / "sessions");
      const auto stored = surroundings.state.empty() ? std::nullopt : sessions.find(id);
      DRAGOMAN_CHECK(engine::resume(spec, id, stored, engine::HasPrompt::yes));
    }
    DRAGOMAN_CHECK(check_run(spec));
    return prepare_run(std::move(spec), surroundings);
  };
}

std::string unstarted_line(const Error& error, int exit_code) {
  const std::string why = fmt::format("{}{}", engine::kNotStarted, error.message);
  const std::array<std::string_view, 1> reasons = {why};
  Event event;
  event.seq = 1;
  event.payload = Finished{"failed", reasons, exit_code, {}};
  return to_json(event) + "\n";
}

}  // namespace dragoman::cli
