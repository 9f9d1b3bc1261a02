// SPDX-License-Identifier: Apache-2.0
// dragoman worker: does the tasks of a fleet on this machine.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/leftovers.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/task_store.hpp"

namespace dragoman::cli {
namespace {

constexpr std::chrono::seconds kLease(10);
constexpr std::chrono::seconds kShortestLease(2);
constexpr std::size_t kMostAtOnce = 1000;

std::vector<std::string> own_labels(const std::vector<std::string>& given) {
  std::vector<std::string> labels = given;
  utsname machine{};
  if (::uname(&machine) == 0) {
    labels.push_back(fmt::format("arch={}", static_cast<const char*>(machine.machine)));
    labels.push_back(fmt::format("host={}", static_cast<const char*>(machine.nodename)));
  }
  labels.emplace_back("os=linux");
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::string own_name() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

Result<void> take_options(const Invocation& invocation, task::RunnerOptions& options) {
  options.name = invocation.value("name").value_or(own_name());
  for (const auto& label : invocation.values("label")) {
    if (label.empty() || label.find_first_of(" \t\n") != std::string::npos)
      return bad_value("--label: a word such as gpu=yes, without blanks");
  }
  options.labels = own_labels(invocation.values("label"));
  if (const auto text = invocation.value("capacity")) {
    const auto [end, fault] =
        std::from_chars(text->data(), text->data() + text->size(), options.concurrency);
    if (fault != std::errc() || end != text->data() + text->size() || options.concurrency == 0 ||
        options.concurrency > kMostAtOnce)
      return bad_value("--capacity: a number from 1 to 1000");
  }
  DRAGOMAN_TRY(const auto lease, duration_of(invocation, "lease"));
  options.lease = lease.value_or(kLease);
  if (options.lease < kShortestLease) return bad_value("--lease: 2s or more");
  if (const auto directory = invocation.value("workspaces")) {
    options.workspaces = std::filesystem::absolute(*directory);
  } else {
    const auto state = state_directory();
    if (!state) return bad_value("no state directory: set HOME, or give --workspaces DIR");
    options.workspaces = *state / "workspaces";
  }
  return {};
}

int run_worker(const Invocation& invocation, Console& console) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  const auto fail = [&](const Error& error) {
    return console.fail("worker: " + printable(error.message), "", refusal_code(error));
  };
  task::RunnerOptions options;
  if (auto taken = take_options(invocation, options); !taken) return fail(taken.error());
  // A call that hangs must leave time to end the agents before their lease does.
  const auto patience =
      std::min<std::chrono::milliseconds>(std::chrono::seconds(2), options.lease * 3 / 20);
  auto store = open_task_store(invocation, console, StoreUse::works, patience);
  if (!store) return fail(store.error());
  const task::RunnerOptions base = store->runner();
  options.start = base.start;
  options.waiting = base.waiting;
  options.recordings = base.recordings;
  options.git_files = base.git_files;
  options.fleet = true;
  if (!invocation.has("capacity")) options.concurrency = base.concurrency;
  console.note(fmt::format("{} works for {} tasks at once; labels {}", options.name,
                           options.concurrency, fmt::join(options.labels, " ")));
  options.swept = [&console](const process::Leftovers& found) { say_leftovers(console, found); };
  auto worked = task::work_fleet(*store->log, options);
  return worked ? kOk : fail(worked.error());
}

}  // namespace

CommandSpec worker_command() {
  return {
      "worker",
      "does the tasks of a fleet on this machine",
      "SIGTERM lets it finish what it has begun; a second one ends its agents and gives their\n"
      "tasks back. When the store is out of reach its agents are ended before the lease is, so\n"
      "that another worker may begin again.",
      {store_option(),
       {"name", "NAME", "what others call it; host and process number unless given"},
       {"label", "LABEL", "something it has: gpu=yes", {}, 0, true},
       {"capacity", "N", "tasks at once"},
       {"lease", "DUR", "how long it may be silent before others take over; 10s"},
       {.name = "workspaces",
        .value = "DIR",
        .help = "where clones are made",
        .takes_directory = true}},
      {},
      {"dragoman worker --store nats://10.0.0.1:4222 --label gpu=yes --capacity 8"},
      run_worker};
}

}  // namespace dragoman::cli
