// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/cli/ask_jsonl.hpp"
#include "dragoman/cli/io.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/named_run.hpp"
#include "dragoman/cli/run_preparation.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_store.hpp"
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
  explicit Setup(const Invocation& invocation) : given_(invocation) {}

  Result<RunSetup> make() {
    DRAGOMAN_CHECK(find_session());
    DRAGOMAN_CHECK(read_directory());
    DRAGOMAN_CHECK(read_settings());
    DRAGOMAN_CHECK(choose_agent());
    DRAGOMAN_CHECK(read_prompt());
    read_agent_options();
    DRAGOMAN_CHECK(read_numbers());
    DRAGOMAN_CHECK(read_limits());
    DRAGOMAN_CHECK(read_resume());
    DRAGOMAN_CHECK(read_ways());
    DRAGOMAN_CHECK(check_variables(given_));
    read_variables();
    fill_in(out_.spec, config_);
    DRAGOMAN_CHECK(check_run(out_.spec));
    DRAGOMAN_CHECK(choose_recording());
    DRAGOMAN_CHECK(choose_store());
    DRAGOMAN_CHECK(choose_surfaces());
    return std::move(out_);
  }

 private:
  [[nodiscard]] agent::Request& request() { return out_.spec.request; }
  [[nodiscard]] std::filesystem::path& state() { return out_.surroundings.state; }
  [[nodiscard]] std::string value(std::string_view option) const {
    return given_.value(option).value_or("");
  }
  Result<void> find_session() {
    out_.surroundings.environment = process::own_environment();
    state() = config::state_directory(out_.surroundings.environment);
    if (!given_.has("resume") || state().empty()) return {};
    const std::string cwd = value("cwd");
    DRAGOMAN_TRY(auto found,
                 find_stored_session(state(), cwd.empty() ? "." : cwd, value("resume")));
    stored_ = std::move(found.session);
    out_.chosen = std::move(found.chosen);
    return {};
  }

  // The project is the one that the agent works in, wherever we are.
  Result<void> read_settings() {
    DRAGOMAN_TRY(config_, load_settings(given_, out_.surroundings.environment, request().cwd));
    out_.warnings = config_.warnings();
    return {};
  }

  Result<void> choose_agent() {
    std::string name = value("agent");
    if (name.empty() && stored_.has_value()) name = stored_->agent;
    if (name.empty() && starts_a_program(given_)) name = agent::kProgramAgent;
    if (name.empty()) name = config_.text("run.agent");
    if (name.empty()) name = agent::kUsualAgent;
    out_.spec.agent = agent::find_agent(name);
    if (out_.spec.agent == nullptr) return wrong(fmt::format("'{}' is no agent", name));
    return {};
  }

  Result<void> read_directory() {
    std::string cwd = value("cwd");
    const bool chosen = !cwd.empty();
    if (!chosen && stored_.has_value()) cwd = stored_->cwd;
    std::error_code failed;
    const fs::path found = fs::canonical(cwd.empty() ? "." : cwd, failed);
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
    const bool own_command = !out_.spec.agent->has_program();
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
      } else {
        DRAGOMAN_TRY(request().prompt, all_of_stdin());
      }
    }
    if (!out_.spec.agent->takes_prompt && has_prompt) {
      return wrong(fmt::format("{}'s task stands behind --: -- {}", out_.spec.agent->title,
                               out_.spec.agent->words.shape));
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
    return {};
  }

  // The first line of stdin, where a program talks to us.
  Result<std::string> prompt_of_program() {
    DRAGOMAN_TRY(const std::string seen, first_line_of_stdin());
    const std::size_t end = std::min(seen.find('\n'), seen.size());
    auto prompt = read_jsonl_prompt(std::string_view(seen).substr(0, end));
    if (!prompt) return wrong(prompt.error().message);
    out_.begun_stdin = seen.substr(std::min(end + 1, seen.size()));
    return prompt;
  }

  void read_agent_options() {
    request().session_id = value("session-id");
    request().model = value("model");
    request().permission_mode = value("permission-mode");
    request().allowed_tools = given_.values("allowed-tools");
    request().mcp_configs = given_.values("mcp-config");
    request().sandbox = value("sandbox");
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
    engine::RunSpec& spec = out_.spec;
    DRAGOMAN_CHECK(read_keep());
    for (const auto& [option, limit] : {std::pair{"idle-timeout", &spec.idle},
                                        {"hard-timeout", &spec.hard},
                                        {"after-result", &spec.after_result},
                                        {"grace", &spec.grace}}) {
      DRAGOMAN_TRY(*limit, duration_of(given_, option));
    }
    return {};
  }

  Result<void> read_keep() {
    DRAGOMAN_TRY(const auto keep, duration_of(given_, "keep"));
    if (!keep || keep->count() == 0) return {};
    const agent::AgentRow& agent = *out_.spec.agent;
    if (!agent.hears_at_work())
      return wrong(fmt::format("--keep: {} does not stay after a turn{}", agent.name,
                               agent.goes_on == agent::GoesOn::by_session
                                   ? "; 'dragoman send' begins the next one"
                                   : ""));
    out_.spec.keep = *keep;
    return {};
  }

  Result<void> read_resume() {
    const std::string id = value("resume");
    if (id.empty()) {
      const std::string& wanted = request().session_id;
      if (!wanted.empty() && !out_.spec.agent->is_session_id(wanted)) {
        return wrong(fmt::format("--session-id: '{}' is not a UUID", wanted));
      }
      return {};
    }
    if (!request().session_id.empty()) {
      return wrong("--session-id is for new sessions; --resume goes on with one");
    }
    return engine::resume(out_.spec, id, stored_,
                          has_prompt_ ? engine::HasPrompt::yes : engine::HasPrompt::no);
  }

  Result<void> read_ways() {
    out_.jsonl = value("io") == "jsonl";
    out_.no_input = given_.has("no-input");
    const std::string as = value("as");
    if (out_.jsonl && !as.empty() && as != "json")
      return wrong("--io jsonl prints JSON: --as json");
    if (as == "json" || out_.jsonl) out_.view = RunView::json;
    if (as == "quiet") out_.view = RunView::quiet;
    out_.spec.wait_for_limit = given_.has("wait-for-limit");
    out_.spec.fresh_start = given_.has("yes");
    out_.spec.offers_fresh_start = !out_.jsonl;  // a program has not been told of any question
    out_.spec.git_changes = given_.has("git-changes") || !out_.spec.agent->any_program;
    if (!given_.has("pty")) return {};
    if (out_.spec.agent->speaks_json()) {
      return wrong(fmt::format("--pty: {} speaks JSON through pipes", out_.spec.agent->name));
    }
    out_.spec.terminal = true;
    return {};
  }

  void read_variables() {
    out_.spec.variables = given_.values("env");
    for (const std::string& name : out_.spec.variables) {
      const bool ours = name.find('=') == std::string::npos;
      if (ours && !is_set(out_.surroundings.environment, name))
        out_.warnings.push_back(fmt::format("--env {}: not set here, so the agent has none", name));
    }
    out_.spec.policy = process::environment_policy_named(value("env-policy"));
  }

  Result<void> choose_recording() {
    std::error_code failed;
    do {
      out_.spec.id = task::new_run_id();
    } while (fs::exists(state() / "runs" / out_.spec.id, failed));
    if (given_.has("no-record")) {
      if (given_.has("record")) return wrong("--record and --no-record contradict each other");
      return {};
    }
    if (const auto directory = given_.value("record")) {
      std::error_code gone;
      out_.spec.record = fs::current_path(gone) / *directory;
      return {};
    }
    if (state().empty()) {
      return wrong(
          "no state directory to record in: set HOME, or give --record DIR or --no-record");
    }
    out_.spec.record = state() / "runs" / out_.spec.id;
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
    if (given_.has("no-store") || out_.spec.record.empty()) return {};
    if (!asked && config_.text("run.register") == "false") return {};
    DRAGOMAN_TRY(out_.store, store_path(given_, config_));
    if (const auto file = given_.value("config")) out_.config = fs::absolute(*file).string();
    return {};
  }

  const Invocation& given_;
  config::Config config_;
  RunSetup out_;
  std::optional<engine::StoredSession> stored_;
  bool has_prompt_ = false;
};

}  // namespace

Result<RunSetup> run_setup(const Invocation& invocation) { return Setup(invocation).make(); }

}  // namespace dragoman::cli
