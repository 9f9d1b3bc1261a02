// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_door.hpp"

#include <csignal>

#include <fmt/format.h>

#include "dragoman/cli/io.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/task_watching.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/envelope.hpp"
#include "dragoman/task/results.hpp"

namespace dragoman::cli {
namespace {

constexpr std::size_t kLongestText = std::size_t{2} << 20U;  // more is refused by who takes it

// What to do next.
std::string_view hint_for(const Error& error) {
  if (error.code == ErrorCode::not_found) return "'dragoman task list' shows the ids";
  if (error.reason == "git_confirmation_required") return "--allow-destructive-git allows it";
  if (error.reason == task::kCannotGoOn)
    return "begin another run with what it should do: 'dragoman task submit …'";
  if (error.reason == task::kNotAtWork) return "'dragoman task status' shows what is at work";
  return {};
}

}  // namespace

ArgumentSpec id_argument(std::string_view what, bool required) {
  return {.name = "ID",
          .help = fmt::format("{}: its id, what begins it, or 'last'", what),
          .required = required,
          .live = Live::runs};
}

int exit_code_of(const task::Task& task) {
  switch (task.task_state()) {
    case TaskState::queued:
    case TaskState::working:
    case TaskState::completed:
      return kOk;
    case TaskState::failed:
      return task.reason == "unanswered" ? 4 : task.reason == "blocked" ? 5 : kFailed;
    case TaskState::cancelled:
      return 130;
    case TaskState::timeout:
      return 124;
  }
  return kFailed;
}

int refuse(const Invocation& invocation, Console& console, std::string_view tool,
           const Error& error) {
  if (invocation.has("json")) console.out().write(task::error_envelope(tool, error) + "\n");
  const std::string& name = invocation.spec().name;
  return console.fail(fmt::format("{}: {}", std::string_view(name).substr(0, name.find(' ')),
                                  printable_lines(error.message)),
                      hint_for(error), refusal_code(error));
}

Result<task::Task> chosen_run(const Invocation& invocation, Console& console,
                              task::Service& service) {
  const std::string& word = invocation.arguments()[0];
  DRAGOMAN_TRY(auto task, service.get(word));
  if (run_id_of(word) != task.id)
    console.note(fmt::format("{}: {}", task.id, printable(title_line(task))));
  return task;
}

Result<std::string> text_or_stdin(const std::string& word) {
  if (word != "-") return word;
  DRAGOMAN_TRY(Input input, Input::open("-"));
  std::string text;
  while (text.size() <= kLongestText) {
    DRAGOMAN_TRY(const auto bytes, input.read());
    if (bytes.empty()) break;
    text.append(bytes);
  }
  return text;
}

Result<int> wait_and_print(const Invocation& invocation, Console& console, task::Service& service,
                           const std::string& id) {
  DRAGOMAN_TRY(const auto given, duration_of(invocation, "timeout"));
  DRAGOMAN_TRY(const auto query, results_query(invocation));
  const std::chrono::milliseconds timeout = given.value_or(std::chrono::seconds(300));
  DRAGOMAN_TRY(const auto task, service.wait(id, timeout, draw_progress));
  erase_progress();
  DRAGOMAN_TRY(const auto results, task::results_of(service, task, query));
  const bool expired = !task.terminal() && results.questions.empty();
  if (invocation.has("json")) {
    console.out().write(
        task::wait_envelope(results, expired ? task::WaitExpired::yes : task::WaitExpired::no) +
        "\n");
  } else {
    print_results(results, console);
  }
  return expired ? 124 : results.questions.empty() ? exit_code_of(task) : 4;
}

Result<TaskStore> open_for_command(const Invocation& invocation, Console& console, StoreUse how) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  return open_task_store(invocation, console, how);
}

}  // namespace dragoman::cli
