// SPDX-License-Identifier: Apache-2.0
// dragoman task: the registry of delegated work.
#include <csignal>

#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/leftovers.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_door.hpp"
#include "dragoman/cli/task_listing.hpp"
#include "dragoman/cli/task_submission.hpp"
#include "dragoman/cli/task_watching.hpp"
#include "dragoman/task/envelope.hpp"
#include "dragoman/task/results.hpp"

namespace dragoman::cli {
namespace {

using task::Service;
using task::Task;

Result<void> choose_surfaces(const Invocation& invocation, Console& console, Task& task) {
  if (!invocation.has("surface")) return {};
  task.surfaces = invocation.values("surface");
  const auto settings = configured_surfaces(invocation, console);
  if (!settings) return bad_value(settings.error().message);
  return check_surfaces(*settings, task.surfaces);
}

int run_submit(const Invocation& invocation, Console& console) {
  if (invocation.arguments().empty() && !invocation.behind_dashes()) {
    return console.fail("task submit: PROMPT is missing", "see 'dragoman help task submit'");
  }
  return with_service(
      invocation, console, "_codex_local_run",
      [&](Service& service) -> Result<int> {
        DRAGOMAN_TRY(auto task, task_to_submit(invocation, console, service));
        DRAGOMAN_CHECK(choose_surfaces(invocation, console, task));
        DRAGOMAN_TRY(const auto ack, service.submit(task));
        console.out().write((invocation.has("json") ? task::ack_envelope(ack) : ack.task.id) +
                            "\n");
        return kOk;
      },
      StoreUse::adds);
}

int run_status(const Invocation& invocation, Console& console) {
  return with_service(
      invocation, console, "_codex_local_status", [&](Service& service) -> Result<int> {
        task::StatusQuery query;
        if (!invocation.arguments().empty()) {
          DRAGOMAN_TRY(const auto known, service.get(invocation.arguments()[0]));
          query.task_id = known.id;
        }
        DRAGOMAN_TRY(const auto snapshot, service.status(query));
        if (invocation.has("json")) {
          console.out().write(task::status_envelope(snapshot,
                                                    {.verbose = invocation.has("verbose")},
                                                    service.desk()) +
                              "\n");
          return kOk;
        }
        DRAGOMAN_TRY(const auto open, service.desk().open_questions());
        print_status(snapshot, open, invocation.has("verbose") ? LastLines::yes : LastLines::no,
                     console);
        return kOk;
      });
}

int run_wait(const Invocation& invocation, Console& console) {
  return with_service(invocation, console, "_codex_local_wait",
                      [&](Service& service) -> Result<int> {
                        DRAGOMAN_TRY(const auto known, service.get(invocation.arguments()[0]));
                        return wait_and_print(invocation, console, service, known.id);
                      });
}

int run_results(const Invocation& invocation, Console& console) {
  return with_service(invocation, console, "_codex_local_results",
                      [&](Service& service) -> Result<int> {
                        DRAGOMAN_TRY(const auto task, service.get(invocation.arguments()[0]));
                        DRAGOMAN_TRY(const auto query, results_query(invocation));
                        DRAGOMAN_TRY(const auto results, task::results_of(service, task, query));
                        if (invocation.has("json")) {
                          console.out().write(task::results_envelope(results) + "\n");
                        } else {
                          print_results(results, console);
                          for (const auto& line : results.events) console.out().write(line + "\n");
                        }
                        return kOk;
                      });
}

int run_cancel(const Invocation& invocation, Console& console) {
  return with_service(
      invocation, console, "_codex_local_cancel", [&](Service& service) -> Result<int> {
        DRAGOMAN_TRY(const auto run, chosen_run(invocation, console, service));
        DRAGOMAN_TRY(const auto cancelled,
                     service.cancel(run.id, invocation.value("reason").value_or("")));
        console.out().write((invocation.has("json") ? task::cancel_envelope(cancelled)
                                                    : printable(cancelled.task.summary)) +
                            "\n");
        return kOk;
      });
}

int run_list(const Invocation& invocation, Console& console) {
  return with_service(invocation, console, "_codex_local_status",
                      [&](Service& service) { return list_tasks(invocation, console, service); });
}

int run_clean(const Invocation& invocation, Console& console) {
  return with_service(
      invocation, console, "_codex_cleanup_registry", [&](Service& service) -> Result<int> {
        task::CleanOptions options;
        options.dry_run = invocation.has("dry-run");
        DRAGOMAN_TRY(const auto stuck, duration_of(invocation, "stuck"));
        DRAGOMAN_TRY(const auto old, duration_of(invocation, "old"));
        options.stuck = stuck.value_or(options.stuck);
        options.old = old.value_or(options.old);
        DRAGOMAN_TRY(const auto cleaned, service.clean(options));
        console.out().write((invocation.has("json") ? task::clean_envelope(cleaned, options)
                                                    : cleaned.summary(options.dry_run)) +
                            "\n");
        return kOk;
      });
}

int run_work(const Invocation& invocation, Console& console) {
  auto store = open_task_store(invocation, console, StoreUse::adds);
  if (!store) return refuse(invocation, console, "_codex_local_run", store.error());
  (void)std::signal(SIGPIPE, SIG_IGN);
  if (store->fleet) {
    return console.fail("task work: a fleet's tasks are done by workers",
                        "start 'dragoman worker --store …' on each machine");
  }
  task::Service service = store->service();
  const auto broker = start_configured_broker(service, invocation, console);
  task::RunnerOptions options = store->runner();
  options.handed_lock = invocation.has("handed-lock");
  options.swept = [&console](const process::Leftovers& found) { say_leftovers(console, found); };
  auto worked = task::work_queue(*store->log, options);
  if (broker != nullptr) broker->settle(std::chrono::seconds(10));
  return worked ? kOk : refuse(invocation, console, "_codex_local_run", worked.error());
}

int run_task(const Invocation& invocation, Console& console) {
  const std::string word = invocation.arguments().empty() ? "" : invocation.arguments()[0];
  const std::string meant = did_you_mean(
      word, {"submit", "status", "wait", "results", "cancel", "list", "clean", "work"});
  return console.fail(fmt::format("task: '{}' is not submit, status, wait, results, cancel, list, "
                                  "clean or work",
                                  printable(word)),
                      meant.empty() ? "see 'dragoman help task'" : meant);
}

std::vector<OptionSpec> submit_options() {
  std::vector<OptionSpec> options = launch_options();
  options.push_back({.name = "resume",
                     .value = "ID",
                     .help = "the session to go on with, or the run that had it",
                     .live = Live::runs});
  options.push_back({"output-schema", "FILE", "JSON Schema of Codex's answer", {}, 0, false, true});
  options.push_back(
      {"allow-destructive-git", "", "the task may ask for rebase, amend, force push to a branch"});
  options.push_back({"needs", "LABEL", "what a worker must have: os=linux", {}, 0, true});
  options.push_back({"repository", "URL", "what a worker clones for it"});
  options.push_back({"branch", "NAME", "of the repository"});
  options.push_back(store_option());
  options.push_back(json_option());
  return options;
}

// Handing over, and what becomes of it.
std::vector<CommandSpec> watching_parts() {
  const OptionSpec output{"output", "", "with what the agent printed"};
  const OptionSpec most{"max-output", "BYTES", "of that at most so much: 65536"};
  return {
      {"task submit",
       "hand a task over and return at once",
       "Prints the id of the task.",
       submit_options(),
       {{"PROMPT", "what to do; '-' is stdin"}},
       {"dragoman task submit --agent codex \"add a test\"", "dragoman task submit -- make test"},
       run_submit,
       {},
       "CMD…"},
      {"task status",
       "what runs, what waits, what ended",
       "",
       {{"verbose", "", "with the last lines of what runs", {}, 'v'},
        store_option(),
        json_option()},
       {id_argument("only this run", false)},
       {},
       run_status},
      {"task wait",
       "wait for a task to end",
       "Returns early when the agent asks something: exit code 4. Not ended in time: 124.",
       {{"timeout", "DUR", "how long to wait: 300s"}, output, most, store_option(), json_option()},
       {id_argument()},
       {},
       run_wait},
      {"task results",
       "what a task did",
       "",
       {output, most, {"events", "", "with its last 50 events"}, store_option(), json_option()},
       {id_argument()},
       {},
       run_results},
  };
}

std::vector<CommandSpec> keeping_parts() {
  return {
      {"task cancel",
       "end a task for good",
       "",
       {{"reason", "TEXT", "why"}, store_option(), json_option()},
       {id_argument()},
       {},
       run_cancel},
      {"task list",
       "the tasks, newest first",
       "",
       {{"state",
         "STATE",
         "only these",
         {"queued", "working", "completed", "failed", "cancelled", "timeout"},
         0,
         true},
        {"grep", "WORDS", "only those with these words in their text, summary or events"},
        {.name = "cwd",
         .value = "DIR",
         .help = "only those of this directory",
         .takes_directory = true},
        {"limit", "N", "at most so many: 50; 0 is all"},
        store_option(),
        json_option()},
       {},
       {},
       run_list},
      {"task clean",
       "end what is stuck, delete what is old",
       "",
       {{"stuck", "DUR", "without a sign of life for that long: 3600s"},
        {"old", "DUR", "ended that long ago: 24h"},
        {"dry-run", "", "only say what would be done"},
        store_option(),
        json_option()},
       {},
       {},
       run_clean},
      {"task work",
       "run what waits, until nothing does",
       "Started by the other parts where it is needed.",
       {store_option(), {.name = "handed-lock", .hidden = true}},
       {},
       {},
       run_work},
  };
}

}  // namespace

CommandSpec task_command() {
  CommandSpec spec{
      "task",
      "work that goes on in the background",
      "A task is kept in the store, waits for a free slot and is run by a process of its own,\n"
      "which ends when nothing waits any more. 'dragoman help task PART' explains each part:\n"
      "submit, status, wait, results, cancel, list, clean, work.",
      {color_option()},
      {{"PART", "what to do", true, true}},
      {"id=$(dragoman task submit \"fix the failing test\")", "dragoman task wait $id",
       "dragoman task list --grep \"refresh token\""},
      run_task};
  spec.parts = watching_parts();
  for (CommandSpec& part : keeping_parts()) spec.parts.push_back(std::move(part));
  return spec;
}

}  // namespace dragoman::cli
