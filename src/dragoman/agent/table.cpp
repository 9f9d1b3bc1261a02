// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/agent/codex_native.hpp"
#include "dragoman/event/structured.hpp"

namespace dragoman::agent {
namespace {

using Word = std::string_view;

constexpr Word kClaudeVariables[] = {"ANTHROPIC_",
                                     "CLAUDE_",
                                     "AWS_",
                                     "GOOGLE_APPLICATION_CREDENTIALS",
                                     "CLOUD_ML_",
                                     "VERTEX_",
                                     "DISABLE_TELEMETRY",
                                     "DISABLE_ERROR_REPORTING",
                                     "DISABLE_AUTOUPDATER",
                                     "IS_SANDBOX",
                                     "MCP_TIMEOUT",
                                     "MCP_TOOL_TIMEOUT",
                                     "MAX_THINKING_TOKENS",
                                     "MAX_MCP_OUTPUT_TOKENS",
                                     "TRACEPARENT"};
constexpr Word kClaudeMarks[] = {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_",
                                 "CLAUDE_CODE_SESSION"};
constexpr Word kCodexVariables[] = {"OPENAI_", "CODEX_", "AZURE_OPENAI_", "TRACEPARENT"};
constexpr Word kCodexMarks[] = {"CODEX_SANDBOX", "CODEX_THREAD"};
constexpr Word kExecutorVariables[] = {"OPENAI_", "CODEX_", "ANTHROPIC_"};

// Claude has no sandbox. Where nothing may be written it has no tools to write with, and commands
// that are not harmless are asked for. Its mode that never asks would do away with its questions
// as well.
constexpr Word kNoEditing[] = {"--disallowedTools", "Edit,Write,NotebookEdit"};
constexpr Mode kClaudeModes[] = {
    {.word = kModes[0],
     .shown = "default, without editing",
     .permission_mode = "default",
     .words = kNoEditing,
     .told_by_words = true},
    {.word = kModes[1],
     .shown = "plan, without editing",
     .permission_mode = "plan",
     .words = kNoEditing},
    {.word = kModes[2], .shown = "acceptEdits", .permission_mode = "acceptEdits"},
    {.word = kModes[3], .shown = "bypassPermissions", .permission_mode = "bypassPermissions"}};

constexpr Mode kCodexModes[] = {{.word = kModes[0], .shown = kModes[0], .sandbox = kModes[0]},
                                {.word = kModes[1], .shown = kModes[0], .sandbox = kModes[0]},
                                {.word = kModes[2], .shown = kModes[2], .sandbox = kModes[2]},
                                {.word = kModes[3], .shown = kModes[3], .sandbox = kModes[3]}};
constexpr Word kCodexOutsideGit[] = {"--skip-git-repo-check"};

constexpr AgentRow kAgents[] = {
    {.name = "claude",
     .title = "Claude Code",
     .protocol = Protocol::claude,
     .program = "claude",
     .install = "npm install -g @anthropic-ai/claude-code",
     .registration = "claude mcp add dragoman -- {line}\n",
     .variables = kClaudeVariables,
     .key = "ANTHROPIC_API_KEY",
     .marks = kClaudeMarks,
     .options = {AgentOption::resume, AgentOption::session_id, AgentOption::model,
                 AgentOption::permission_mode, AgentOption::allowed_tools, AgentOption::mcp_config,
                 AgentOption::budget},
     .modes = kClaudeModes,
     .stdin_then = Launch::Stdin::conversation,
     .dialect = Dialect::claude,
     .goes_on = GoesOn::by_session,
     .session_ids = SessionIds::uuid},
    {.name = "codex",
     .title = "Codex",
     .protocol = Protocol::codex_exec,
     .program = "codex",
     .native = native_codex,
     .install = "npm install -g @openai/codex",
     .registration = "[mcp_servers.dragoman]\ncommand = {program}\nargs = [{arguments}]\n",
     .variables = kCodexVariables,
     .key = "OPENAI_API_KEY",
     .marks = kCodexMarks,
     .options = {AgentOption::resume, AgentOption::model, AgentOption::sandbox,
                 AgentOption::output_schema},
     .modes = kCodexModes,
     .outside_git = kCodexOutsideGit,
     .dialect = Dialect::codex,
     .goes_on = GoesOn::by_session,
     .session_ids = SessionIds::uuid},
    {.name = "executor",
     .title = "the executor",
     .protocol = Protocol::executor,
     .variables = kExecutorVariables,
     .options = {AgentOption::resume},
     .takes_prompt = false,
     .words = {.shape = "PROGRAM TASK_ID DESCRIPTION [PLAN]",
               .least = 3,
               .most = 4,
               .otherwise = "the executor is called as -- PROGRAM TASK_ID DESCRIPTION [PLAN]",
               .task_at = 2},
     .dialect = Dialect::markers,
     .goes_on = GoesOn::by_invocation,
     .session_ids = SessionIds::any},
    {.name = "command",
     .title = "a command",
     .protocol = Protocol::command,
     .any_program = true,
     .words = {.shape = "CMD…", .least = 1, .otherwise = "no command is given: say -- CMD…"}},
};

struct OptionRow {
  std::string_view name;
  bool (*is_given)(const Request& request);
};

// In the order of AgentOption.
constexpr OptionRow kOptions[] = {
    {"resume", [](const Request& request) { return !request.resume.empty(); }},
    {"session-id", [](const Request& request) { return !request.session_id.empty(); }},
    {"model", [](const Request& request) { return !request.model.empty(); }},
    {"permission-mode", [](const Request& request) { return !request.permission_mode.empty(); }},
    {"allowed-tools", [](const Request& request) { return !request.allowed_tools.empty(); }},
    {"mcp-config", [](const Request& request) { return !request.mcp_configs.empty(); }},
    {"budget", [](const Request& request) { return !request.budget_usd.empty(); }},
    {"sandbox", [](const Request& request) { return !request.sandbox.empty(); }},
    {"output-schema", [](const Request& request) { return !request.output_schema.empty(); }},
};
static_assert(std::size(kOptions) == static_cast<std::size_t>(AgentOption::output_schema) + 1);

Error no_such_value(AgentOption option, std::string_view expected) {
  return {ErrorCode::validation, fmt::format("--{}: expected {}", name(option), expected),
          "bad_value"};
}

Result<void> check_values(const Request& request) {
  if (!request.model.empty() && !is_model_name(request.model))
    return no_such_value(AgentOption::model, kModelNames);
  if (!request.permission_mode.empty() && !is_permission_mode(request.permission_mode))
    return no_such_value(AgentOption::permission_mode, kPermissionModes);
  if (!request.sandbox.empty() && std::ranges::count(kSandboxes, request.sandbox) == 0) {
    return no_such_value(AgentOption::sandbox,
                         fmt::format("one of {}", fmt::join(kSandboxes, ", ")));
  }
  return {};
}

}  // namespace

std::string_view name(AgentOption option) {
  return kOptions[static_cast<std::size_t>(option)].name;
}

Result<void> AgentRow::check(const Request& request) const {
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    if (!kOptions[i].is_given(request) || options.has(static_cast<AgentOption>(i))) continue;
    return Error{ErrorCode::validation,
                 fmt::format("--{} has no meaning for --agent {}", kOptions[i].name, name)};
  }
  DRAGOMAN_CHECK(check_values(request));
  const std::size_t given = request.words.size();
  if (given >= words.least && given <= words.most) return {};
  return Error{ErrorCode::validation, std::string(words.otherwise)};
}

bool AgentRow::is_session_id(std::string_view id) const {
  switch (session_ids) {
    case SessionIds::none:
      return false;
    case SessionIds::any:
      return !id.empty();
    case SessionIds::uuid:
      return is_uuid(id);
  }
  return false;
}

bool AgentRow::speaks_json() const { return dialect.has_value() && is_structured(*dialect); }

const Mode* AgentRow::find_mode(std::string_view word) const {
  const auto found = std::ranges::find(modes, word, &Mode::word);
  return found == modes.end() ? nullptr : &*found;
}

std::span<const AgentRow> agents() { return kAgents; }

const AgentRow* find_agent(std::string_view name) {
  const auto found = std::ranges::find(kAgents, name, &AgentRow::name);
  return found == std::end(kAgents) ? nullptr : &*found;
}

const AgentRow& agent_of(Protocol protocol) {
  return *std::ranges::find(kAgents, protocol, &AgentRow::protocol);
}

std::vector<std::string_view> agent_names(std::string_view first,
                                          const std::function<bool(const AgentRow&)>& take) {
  std::vector<std::string_view> names;
  for (const AgentRow& row : kAgents) {
    if (!take || take(row)) names.insert(row.name == first ? names.begin() : names.end(), row.name);
  }
  return names;
}

}  // namespace dragoman::agent
