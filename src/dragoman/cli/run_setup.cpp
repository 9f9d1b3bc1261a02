// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/agent/session_store.hpp"
#include "dragoman/agent/surroundings.hpp"
#include "dragoman/agent/wall_clock.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/ask_jsonl.hpp"
#include "dragoman/cli/io.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPrompt = std::size_t{64} << 20U;

Error wrong(std::string message) { return {ErrorCode::validation, std::move(message)}; }

Result<std::string> all_of_stdin() {
  DRAGOMAN_TRY(Input input, Input::open("-"));
  std::string text;
  while (true) {
    DRAGOMAN_TRY(const std::string_view bytes, input.read());
    if (bytes.empty()) return text;
    text.append(bytes);
    if (text.size() > kLongestPrompt) return wrong("the prompt has more than 64 MiB");
  }
}

// With whatever came behind it in the same breath.
Result<std::string> first_line_of_stdin() {
  DRAGOMAN_TRY(Input input, Input::open("-"));
  std::string text;
  while (text.find('\n') == std::string::npos) {
    DRAGOMAN_TRY(const std::string_view bytes, input.read());
    if (bytes.empty()) break;
    text.append(bytes);
    if (text.size() > kLongestPrompt) return wrong("the prompt has more than 64 MiB");
  }
  return text;
}

bool is_set(const std::vector<std::string>& environment, const std::string& name) {
  return std::ranges::any_of(environment,
                             [&](const std::string& line) { return line.starts_with(name + "="); });
}

// Collects what was given, step by step.
class Setup {
 public:
  Setup(const Invocation& invocation, const RunSurroundings& surroundings)
      : given_(invocation), surroundings_(surroundings) {}

  Result<RunSetup> make() {
    find_session();
    DRAGOMAN_CHECK(read_directory());
    DRAGOMAN_CHECK(read_settings());
    DRAGOMAN_CHECK(choose_agent());
    DRAGOMAN_CHECK(read_prompt());
    read_agent_options();
    DRAGOMAN_CHECK(read_numbers());
    DRAGOMAN_CHECK(read_limits());
    DRAGOMAN_CHECK(read_resume());
    DRAGOMAN_CHECK(read_ways());
    DRAGOMAN_CHECK(out_.agent->check(request()));
    DRAGOMAN_CHECK(check_variables(given_));
    make_environment();
    DRAGOMAN_CHECK(choose_recording());
    DRAGOMAN_CHECK(choose_store());
    DRAGOMAN_CHECK(choose_surfaces());
    return std::move(out_);
  }

 private:
  [[nodiscard]] agent::Request& request() { return out_.plan.request; }
  [[nodiscard]] std::string value(std::string_view option) const {
    return given_.value(option).value_or("");
  }
  // What was given, or what the configuration says.
  [[nodiscard]] std::string value(std::string_view option, std::string_view setting) const {
    const auto given = given_.value(option);
    return given.has_value() ? *given : config_.text(setting);
  }

  void find_session() {
    out_.state = config::state_directory(surroundings_.environment);
    if (given_.has("resume") && !out_.state.empty()) {
      stored_ = agent::SessionStore(out_.state / "sessions").find(value("resume"));
    }
  }

  // The project is the one that the agent works in, wherever we are.
  Result<void> read_settings() {
    DRAGOMAN_TRY(config_, load_settings(given_, surroundings_.environment, request().cwd));
    out_.warnings = config_.warnings();
    return {};
  }

  Result<void> choose_agent() {
    std::string name = value("agent");
    if (name.empty() && stored_.has_value()) name = stored_->agent;
    if (name.empty() && starts_a_program(given_)) name = agent::kProgramAgent;
    if (name.empty()) name = config_.text("run.agent");
    if (name.empty()) name = agent::kUsualAgent;
    if (stored_.has_value() && stored_->agent != name) {
      return wrong(fmt::format("--resume {}: that session is one of {}, not of {}", value("resume"),
                               stored_->agent, name));
    }
    out_.agent = agent::find_agent(name);
    if (out_.agent == nullptr) return wrong(fmt::format("'{}' is no agent", name));
    return {};
  }

  Result<void> read_directory() {
    std::string cwd = value("cwd");
    const bool chosen = !cwd.empty();
    if (!chosen && stored_.has_value()) cwd = stored_->cwd;
    std::error_code failed;
    const fs::path found = fs::canonical(surroundings_.directory / cwd, failed);
    if (cwd.empty() && failed) return wrong(kNoDirectory);
    if (failed || !fs::is_directory(found)) {
      return wrong(chosen || !stored_.has_value()
                       ? fmt::format("--cwd: '{}' is not a directory", cwd)
                       : fmt::format("the session was in '{}', which is no directory any more; "
                                     "give --cwd",
                                     cwd));
    }
    request().cwd = found.string();
    return {};
  }

  // With an agent of its own, one word behind "--" is a prompt that may begin with a dash; behind a
  // prompt it is the agent's further arguments.
  Result<void> read_prompt() {
    const bool own_command = !out_.agent->has_program();
    if (given_.behind_dashes().has_value()) request().words = *given_.behind_dashes();
    bool has_prompt = !given_.arguments().empty();
    if (has_prompt) {
      request().prompt = given_.arguments()[0];
      out_.prompt_from_stdin = request().prompt == "-";
    } else if (!own_command && request().words.size() == 1) {
      request().prompt = request().words[0];
      request().words.clear();
      has_prompt = true;
    } else if (!own_command && !request().words.empty()) {
      return wrong("a prompt of several words has to be quoted");
    }
    if (out_.prompt_from_stdin) {
      if (value("io") == "jsonl") {
        DRAGOMAN_TRY(request().prompt, prompt_of_program());
      } else if (surroundings_.input) {
        request().prompt = *surroundings_.input;
      } else {
        DRAGOMAN_TRY(request().prompt, all_of_stdin());
      }
    }
    if (!out_.agent->takes_prompt && has_prompt) {
      return wrong(fmt::format("{}'s task stands behind --: -- {}", out_.agent->title,
                               out_.agent->words.shape));
    }
    if (!has_prompt && !own_command && !stored_.has_value()) {
      if (given_.has("resume")) DRAGOMAN_CHECK(read_resume());
      return wrong(
          given_.has("resume")
              ? fmt::format("--resume {}: no question is known to be open there; give a prompt",
                            value("resume"))
              : "no prompt is given: say it in one argument, or '-' to read it from stdin");
    }
    if (has_prompt && !own_command && !out_.prompt_from_stdin && request().prompt.empty())
      return wrong("the prompt is empty");
    has_prompt_ = has_prompt;
    if (request().prompt.find('\0') != std::string::npos) return wrong("the prompt contains a NUL");
    if (!own_command && !utf8::valid(request().prompt)) return wrong("the prompt is not UTF-8");
    return {};
  }

  // The first line of stdin, where a program talks to us.
  Result<std::string> prompt_of_program() {
    std::string seen = surroundings_.input.value_or("");
    if (!surroundings_.input) {
      DRAGOMAN_TRY(seen, first_line_of_stdin());
    }
    const std::size_t end = std::min(seen.find('\n'), seen.size());
    auto prompt = read_jsonl_prompt(std::string_view(seen).substr(0, end));
    if (!prompt) return wrong(prompt.error().message);
    out_.begun_stdin = seen.substr(std::min(end + 1, seen.size()));
    return prompt;
  }

  void read_agent_options() {
    // A setting is for the agents that have a use for it; what was given is for this one.
    const auto chosen = [this](agent::AgentOption option, std::string_view setting) {
      const std::string_view name = agent::name(option);
      return out_.agent->options.has(option) ? value(name, setting) : value(name);
    };
    request().session_id = value("session-id");
    request().model = chosen(agent::AgentOption::model, "run.model");
    request().permission_mode = chosen(agent::AgentOption::permission_mode, "run.permission_mode");
    request().allowed_tools = given_.values("allowed-tools");
    request().mcp_configs = given_.values("mcp-config");
    request().sandbox = chosen(agent::AgentOption::sandbox, "run.sandbox");
    request().output_schema = value("output-schema");
  }

  Result<void> read_numbers() {
    request().budget_usd = value("budget");
    if (request().budget_usd.empty()) return {};
    double amount = 0;
    const char* const end = request().budget_usd.data() + request().budget_usd.size();
    const auto [last, error] = std::from_chars(request().budget_usd.data(), end, amount);
    if (error != std::errc() || last != end || !(amount > 0)) {
      return wrong(fmt::format("--budget: '{}' is not an amount", request().budget_usd));
    }
    return {};
  }

  Result<void> read_limits() {
    process::Limits& limits = out_.plan.limits;
    struct Row {
      std::string_view option;
      std::string_view setting;
      std::chrono::milliseconds* limit;
    };
    for (const Row& row : {Row{"idle-timeout", "run.idle_timeout", &limits.idle},
                           Row{"hard-timeout", "run.hard_timeout", &limits.hard},
                           Row{"after-result", "run.after_result", &limits.after_result},
                           Row{"grace", "run.grace", &out_.plan.grace}}) {
      const std::string given = value(row.option, row.setting);
      if (given.empty()) continue;
      auto duration = parse_duration(given);
      if (!duration) return std::move(duration).error().while_doing("--" + std::string(row.option));
      *row.limit = *duration;
    }
    return {};
  }

  Result<void> read_resume() {
    const std::string id = value("resume");
    if (id.empty()) {
      const std::string& wanted = request().session_id;
      if (!wanted.empty() && !out_.agent->is_session_id(wanted)) {
        return wrong(fmt::format("--session-id: '{}' is not a UUID", wanted));
      }
      return {};
    }
    if (!request().session_id.empty()) {
      return wrong("--session-id is for new sessions; --resume goes on with one");
    }
    if (stored_.has_value()) {
      request().resume = stored_->session_id;
      if (out_.agent->goes_on == agent::GoesOn::by_invocation) {
        request().words = stored_->words;
        request().secrets = stored_->secrets;
        out_.resumed = stored_->run;
      }
      if (!has_prompt_) out_.plan.left_open = stored_->pending;
      if (!has_prompt_ && stored_->pending.empty()) {
        return wrong(fmt::format("--resume {}: no question is open there; give a prompt", id));
      }
      if (request().resume.empty()) {
        return wrong(fmt::format("--resume {}: that run named no session to go on with", id));
      }
      return {};
    }
    if (!out_.agent->is_session_id(id)) {
      return wrong(fmt::format("--resume: '{}' is neither a session of {} nor a run that is known",
                               id, out_.agent->name));
    }
    request().resume = id;
    return {};
  }

  Result<void> read_ways() {
    out_.jsonl = value("io") == "jsonl";
    out_.no_input = given_.has("no-input");
    const std::string as = value("as");
    if (out_.jsonl && !as.empty() && as != "json")
      return wrong("--io jsonl prints JSON: --as json");
    if (as == "json" || out_.jsonl) out_.view = RunView::json;
    if (as == "quiet") out_.view = RunView::quiet;
    out_.plan.wait_for_limit = given_.has("wait-for-limit");
    out_.plan.fresh_start = given_.has("yes");
    out_.plan.offers_fresh_start = !out_.jsonl;  // a program has not been told of any question
    out_.git_changes = given_.has("git-changes") || !out_.agent->any_program;
    if (!given_.has("pty")) return {};
    if (out_.agent->speaks_json()) {
      return wrong(fmt::format("--pty: {} speaks JSON through pipes", out_.agent->name));
    }
    out_.plan.terminal.emplace();
    return {};
  }

  void make_environment() {
    const std::vector<std::string>& ours = surroundings_.environment;
    std::vector<std::string> named = agent::variables_for(*out_.agent, ours);
    const auto& configured = config_.value("run.env").texts;
    named.insert(named.end(), configured.begin(), configured.end());
    const auto& wanted = given_.values("env");
    for (const std::string& name : wanted) {
      if (name.find('=') == std::string::npos && !is_set(ours, name))
        out_.warnings.push_back(fmt::format("--env {}: not set here, so the agent has none", name));
    }
    named.insert(named.end(), wanted.begin(), wanted.end());
    const auto policy = process::environment_policy_named(value("env-policy", "run.env_policy"));
    out_.plan.environment = process::make_environment(
        policy.value_or(process::EnvironmentPolicy::allow_list), ours, named);
    std::vector<std::string> secrets = process::secret_values(ours);
    const auto more = process::secret_values(out_.plan.environment);
    secrets.insert(secrets.end(), more.begin(), more.end());
    out_.rules = redact::make_rules(secrets);
    out_.plan.locate = [environment = out_.plan.environment](std::string_view name) {
      return agent::locate_program(name, environment);
    };
    record::CommandRecord& command = out_.plan.command;
    command.agent = out_.agent->name;
    command.directory = request().cwd;
    command.environment_names = process::names_of(out_.plan.environment);
    append_timestamp(command.started_at, agent::wall_clock());
    command.session_id = request().resume;
    if (const auto dialect = out_.agent->dialect) command.dialect = name(*dialect);
  }

  Result<void> choose_recording() {
    out_.run_id = new_run_id();
    if (given_.has("no-record")) {
      if (given_.has("record")) return wrong("--record and --no-record contradict each other");
      return {};
    }
    if (const auto directory = given_.value("record")) {
      out_.record = surroundings_.directory / *directory;
      out_.run_id = out_.record.filename().string();
      return {};
    }
    if (out_.state.empty()) {
      return wrong(
          "no state directory to record in: set HOME, or give --record DIR or --no-record");
    }
    out_.record = out_.state / "runs" / out_.run_id;
    return {};
  }

  Result<void> choose_surfaces() {
    out_.surfaces = given_.values("surface");
    if (out_.surfaces.empty()) return {};
    if (out_.no_input) return wrong("--surface asks somebody, --no-input nobody");
    if (out_.store.empty())
      return wrong("--surface needs the list of tasks: not with --no-store or --no-record");
    DRAGOMAN_TRY(out_.surface_settings, surface_settings(config_));
    return check_surfaces(out_.surface_settings, out_.surfaces);
  }

  // Who keeps nothing is not in the list either.
  Result<void> choose_store() {
    if (given_.has("no-store") && given_.has("store"))
      return wrong("--store and --no-store contradict each other");
    const bool asked = given_.has("store");
    if (given_.has("no-store") || out_.record.empty()) return {};
    if (!asked && config_.text("run.register") == "false") return {};
    DRAGOMAN_TRY(out_.store, store_path(given_, config_));
    return {};
  }

  const Invocation& given_;
  const RunSurroundings& surroundings_;
  config::Config config_;
  RunSetup out_;
  std::optional<agent::StoredSession> stored_;
  bool has_prompt_ = false;
};

}  // namespace

RunSurroundings own_surroundings() {
  std::error_code gone;
  return {process::own_environment(), fs::current_path(gone), std::nullopt};
}

Result<RunSetup> run_setup(const Invocation& invocation, const RunSurroundings& surroundings) {
  return Setup(invocation, surroundings).make();
}

}  // namespace dragoman::cli
