// SPDX-License-Identifier: Apache-2.0
// What the commands have in common that work with the runs of a store.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/cli/command.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

[[nodiscard]] ArgumentSpec id_argument(std::string_view what = "the run", bool required = true);

// How a run ended, as an exit code.
[[nodiscard]] int exit_code_of(const task::Task& task);

// Says why the command was refused, with --json on stdout too, as an envelope of `tool`. Returns
// the exit code.
int refuse(const Invocation& invocation, Console& console, std::string_view tool,
           const Error& error);

// The run that ID means, and which one that is where the word did not say it.
[[nodiscard]] Result<task::Task> chosen_run(const Invocation& invocation, Console& console,
                                            task::Service& service);

// All of stdin where the word is "-", else the word.
[[nodiscard]] Result<std::string> text_or_stdin(const std::string& word);

// Until the turn of the run ends, the agent asks something, or --timeout (300s) is over; then its
// results are printed. The exit code is that of the run.
[[nodiscard]] Result<int> wait_and_print(const Invocation& invocation, Console& console,
                                         task::Service& service, const std::string& id);

// Opens the store for a command. A reader that goes away ends none of these: what was changed is
// said by the exit code, too.
[[nodiscard]] Result<TaskStore> open_for_command(const Invocation& invocation, Console& console,
                                                 StoreUse how);

// Every command first ends what dead processes left behind.
template <typename Use>
int with_service(const Invocation& invocation, Console& console, std::string_view tool, Use&& use,
                 StoreUse how = StoreUse::looks) {
  auto store = open_for_command(invocation, console, how);
  if (!store) return refuse(invocation, console, tool, store.error());
  task::Service service = store->service();
  if (auto reconciled = service.reconcile(); !reconciled)
    return refuse(invocation, console, tool, reconciled.error());
  Result<int> done = use(service);
  if (!done) return refuse(invocation, console, tool, done.error());
  return *done;
}

}  // namespace dragoman::cli
