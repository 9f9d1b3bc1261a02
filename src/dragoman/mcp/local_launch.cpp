// SPDX-License-Identifier: Apache-2.0
// run, exec and resume: from arguments to a task.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/log/private_file.hpp"
#include "dragoman/mcp/local_tools.hpp"
#include "dragoman/mcp/markdown.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/schema/validator.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kPlanFirst =
    "Make a plan for the task below and explain it. Read whatever you need, change nothing.\n\n";

bool is_variable_name(std::string_view name) {
  return !name.empty() && !ascii::is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return ascii::is_alnum(c) || c == '_'; });
}

Error missing(std::string_view parameter, std::string message) {
  return {ErrorCode::validation, std::move(message), "missing_parameter",
          fmt::format(R"({{"parameter":"{}"}})", parameter)};
}

Result<void> take_environment(const Arguments& arguments, task::Task& task) {
  const std::string policy = arguments.text("env_policy");
  const auto names = arguments.texts("env_allow_list");
  if (policy != "allow-list" && !names.empty()) {
    return bad_value("env_allow_list", "nothing, unless env_policy is allow-list", names.front());
  }
  for (const std::string& name : names) {
    if (!is_variable_name(name))
      return bad_value("env_allow_list", "names: ^[A-Za-z_][A-Za-z0-9_]*$", name);
  }
  task.env_policy = policy == "inherit-all" ? "inherit" : "allow-list";
  task.environment = names;
  return {};
}

void take_limits(const Arguments& arguments, task::Task& task) {
  task.idle_ms = arguments.integer("idle_timeout_sec") * 1000;
  task.hard_ms = arguments.integer("hard_timeout_sec") * 1000;
  task.grace_ms = arguments.integer("kill_grace_sec") * 1000;
}

// Whether the agent never began, so that there is nothing to come back for.
bool never_began(const task::Task& task) {
  return task.reason == "spawn_failed" || task.reason == "not_a_git_repo" ||
         task.reason == "session_expired" || task.reason == "thread";
}

std::string those_that(const std::function<bool(const agent::AgentRow&)>& take) {
  return listed(agent::agent_names(agent::kDelegatedAgent, take));
}

}  // namespace

Result<void> LocalTools::choose_agent(const ToolRequest& request, task::Task& task) const {
  const Arguments& arguments = request.arguments;
  if (arguments.has("agent") || task.agent.empty()) task.agent = arguments.text("agent");
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  const auto answers_in_form = [](const agent::AgentRow& row) {
    return row.options.has(agent::AgentOption::output_schema);
  };
  const bool schema = arguments.has("output_schema");
  if (schema && (agent == nullptr || !answers_in_form(*agent))) {
    return bad_value("output_schema",
                     fmt::format("nothing, unless agent is {}", those_that(answers_in_form)),
                     task.agent);
  }
  // What it may do is said by each call, a thread that goes on included.
  task.mode.clear();
  task.permission_mode.clear();
  task.words.clear();
  if (agent == nullptr || !agent->has_program()) return give_program(agent, task);
  DRAGOMAN_CHECK(task::take_mode(arguments.text("mode"), task));
  if (arguments.flag("skip_git_repo_check"))
    task.words.insert(task.words.end(), agent->outside_git.begin(), agent->outside_git.end());
  if (schema) {
    DRAGOMAN_TRY(task.output_schema, keep_schema(arguments.object("output_schema")));
  }
  return {};
}

// Which program these start is for whoever runs the server to say, never for a call.
Result<void> LocalTools::give_program(const agent::AgentRow* agent, task::Task& task) const {
  const auto configured = options_.programs.find(task.agent);
  if (agent == nullptr || configured == options_.programs.end() || configured->second.empty()) {
    const std::string known = those_that(&agent::AgentRow::has_program);
    return bad_value("agent", "an agent that is configured: " + known, task.agent);
  }
  if (!task.model.empty()) return bad_value("model", "nothing for agent " + task.agent, task.model);
  if (!task.resume.empty()) {
    const auto has_threads = [](const agent::AgentRow& row) {
      return row.goes_on == agent::GoesOn::by_session;
    };
    return bad_value("agent", fmt::format("one with threads: {}", those_that(has_threads)),
                     task.agent);
  }
  task.words = configured->second;
  if (agent->takes_prompt) return {};
  // Its protocol has the task in its words.
  DRAGOMAN_TRY(task.id, task::free_run_id(service_.log()));
  task.words.push_back(task_id_of(task.id));
  task.words.push_back(std::move(task.text));
  task.text.clear();
  return {};
}

Result<std::string> LocalTools::keep_schema(const std::string& schema) const {
  if (const auto valid = schema::Validator::compile(schema); !valid)
    return bad_value("output_schema", "a JSON Schema", valid.error().message);
  const std::filesystem::path directory = options_.private_directory / "output-schemas";
  // The same schema is the same file: a task that waits for long still finds it.
  const std::filesystem::path file = directory / (sha256_hex(schema, 32) + ".json");
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return file.string();
  // Other calls may come with the same one at the same moment: each writes its own beside it.
  const std::string own = random_hex(8);
  const std::filesystem::path fresh = directory / fmt::format(".{}", own);
  DRAGOMAN_CHECK(write_private_file(fresh, schema));
  std::filesystem::rename(fresh, file, failed);
  if (!failed) return file.string();
  remove_private_file(fresh);
  return Error{ErrorCode::internal,
               fmt::format("{}: cannot be written: {}", file.string(), failed.message()), "store"};
}

Result<std::string> LocalTools::directory_from(const Arguments& arguments,
                                               const std::string& standard) const {
  return task::checked_directory(
      arguments.has("working_dir") ? arguments.text("working_dir") : standard, options_.roots);
}

Result<task::Task> LocalTools::resumed(const ToolRequest& request) const {
  const Arguments& arguments = request.arguments;
  const std::string agent = arguments.has("agent") ? arguments.text("agent") : std::string();
  const std::string thread = arguments.text("thread_id");
  if (arguments.has("task_id")) {
    const std::string id = arguments.text("task_id");
    DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, id));
    DRAGOMAN_TRY(auto task, service_.next_in_thread(id, agent));
    if (!thread.empty() && thread != task.resume) {
      return Error{ErrorCode::validation, "thread_id is not the thread of task_id",
                   "conflicting_parameters", R"({"parameter":"thread_id"})"};
    }
    return task;
  }
  if (thread.empty()) return missing("thread_id", "'thread_id' or 'task_id' is missing");
  if (!agent::is_uuid(thread)) return bad_value("thread_id", "a UUID", thread);
  DRAGOMAN_TRY(auto task, service_.next_in_thread(thread, agent));
  if (task.working_dir.empty()) task.working_dir = options_.working_dir;
  return task;
}

Result<task::Task> LocalTools::task_from(const ToolRequest& request) const {
  const Arguments& arguments = request.arguments;
  DRAGOMAN_TRY(const std::string text, checked_task_text(arguments));
  const std::string mode = arguments.text("mode");
  const bool writes = mode == "workspace-write" || mode == "danger-full-access";
  if (request.tool.find("confirm") != nullptr && writes && !arguments.flag("confirm")) {
    return Error{ErrorCode::validation,
                 fmt::format("mode {} lets the agent change files: it needs confirm:true", mode),
                 "confirmation_required",
                 fmt::format(R"({{"parameter":"confirm","expected":true,"got":"{}"}})", mode)};
  }
  task::Task task;
  task.working_dir = options_.working_dir;
  if (request.tool.name == "_codex_local_resume") {
    DRAGOMAN_TRY(task, resumed(request));
  }
  task.tool = request.tool.name;
  task.text = text;
  DRAGOMAN_TRY(task.working_dir, directory_from(arguments, task.working_dir));
  DRAGOMAN_TRY(const std::string model, checked_model(arguments));
  if (!model.empty()) task.model = model;
  task.allow_destructive_git = arguments.flag("allow_destructive_git");
  DRAGOMAN_CHECK(take_environment(arguments, task));
  take_limits(arguments, task);
  DRAGOMAN_CHECK(choose_agent(request, task));
  if (mode == agent::kPreview) task.text.insert(0, kPlanFirst);
  return task;
}

Result<ToolOutcome> LocalTools::launch(const ToolRequest& request) {
  const Call& call = request.call;
  // Called again with the answers to what it asked: the task runs already.
  if (is_run_id(call.state) || is_task_id(call.state)) return finish_foreground(call.state, call);
  DRAGOMAN_TRY(auto task, task_from(request));
  DRAGOMAN_TRY(auto ack, service_.submit(task));
  const bool foreground = !request.arguments.flag("async");
  const bool as_task =
      call.task == TaskWish::asked || (call.task == TaskWish::allowed && foreground);
  if (as_task) return ToolOutcome(Started{ack.task.id});
  if (foreground) return finish_foreground(ack.task.id, call);
  return acknowledge(std::move(ack));
}

// A start that fails at once is an error of the call that started it. An agent that began and
// failed soon is a task like any other: its id is the way to what it did.
Result<ToolOutcome> LocalTools::acknowledge(task::Acknowledgement ack) {
  task::AckFacts facts;
  if (ack.queue_position == 0) {
    DRAGOMAN_TRY(ack.task, service_.wait(ack.task.id, std::chrono::milliseconds(300)));
    if (ack.task.task_state() == TaskState::failed && never_began(ack.task))
      return foreground(ack.task);
    DRAGOMAN_TRY(facts.questions, service_.desk().open_questions(ack.task.id));
  }
  return ToolOutcome(
      ToolReply{task::ack_envelope(ack, facts), markdown_ack(ack, facts, Origin::local)});
}

}  // namespace dragoman::mcp
