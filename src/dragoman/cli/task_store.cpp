// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/leftovers.hpp"
#include "dragoman/cli/run_git.hpp"
#include "dragoman/cli/run_preparation.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/log/nats_url.hpp"
#include "dragoman/log/open_log.hpp"
#include "dragoman/task/find_run.hpp"

namespace dragoman::cli {

namespace {

// A bare path is one as well, unless it looks like an address of something else.
bool has_scheme(std::string_view store) {
  const std::size_t colon = store.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  return std::all_of(store.begin(), store.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return (c >= 'a' && c <= 'z') || ascii::is_digit(c) || c == '+' || c == '-';
  });
}

Result<std::string> path_of(std::string store) {
  if (store.empty()) {
    const auto state = state_directory();
    if (!state) return bad_value("no state directory: set HOME, or give --store sqlite:PATH");
    return (*state / "dragoman.db").string();
  }
  if (is_nats_url(store)) return store;
  if (store.starts_with("sqlite:")) {
    store.erase(0, 7);
    if (store.empty()) return bad_value("--store: a path has to follow sqlite:");
  } else if (has_scheme(store)) {
    return bad_value(
        fmt::format("--store: '{}' is not sqlite:PATH, nats://HOST or tls://HOST", store));
  }
  return std::filesystem::absolute(store).string();
}

// Whoever names a store that nobody has written to has mistyped its name, or comes too early.
Result<void> look_for(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return {};
  return bad_value(fmt::format("--store: there is no store at '{}'", path));
}

// What was said can be mended by whoever said it; anything else is the store's failure.
bool is_refusal(const Error& error) {
  return error.code == ErrorCode::validation || error.code == ErrorCode::not_found;
}

// Once, however often it is tried, and past the console: whoever submits may be one of a server's
// threads.
std::function<void(const Error&)> warn_of_no_runner() {
  return [said = std::make_shared<std::atomic_flag>()](const Error& error) {
    if (said->test_and_set()) return;
    const std::string warning = fmt::format(
        "dragoman: warning: nobody works on the tasks that wait: {}\n"
        "  hint: 'dragoman task work' does them; every 'dragoman task' command tries again to have "
        "them done\n",
        printable(error.message));
    (void)!::write(STDERR_FILENO, warning.data(), warning.size());
  };
}

std::string lock_beside(const std::string& path) { return path + ".runner"; }

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace

int refusal_code(const Error& error) {
  if (!is_refusal(error)) return 125;
  if (error.reason == task::kUnknownRun || error.reason == task::kAmbiguous ||
      error.reason == "question") {
    return kUsage;
  }
  // The service names the parameter of a task that it refuses; bad_value() has none to name.
  return error.reason == "bad_value" && error.details.empty() ? kUsage : kFindings;
}

Error bad_value(std::string message) {
  return {ErrorCode::validation, std::move(message), "bad_value"};
}

OptionSpec store_option() {
  return {"store", "URL", "where tasks are kept: sqlite:PATH, or nats://HOST of a fleet",
          {},      0,     false,
          true,    true};
}

Result<std::string> store_path(const Invocation& invocation, const config::Config& settings) {
  return path_of(invocation.value("store").value_or(settings.text("store")));
}

namespace {

Result<TaskStore> open_as_said(const Invocation& invocation, Console& console, StoreUse use,
                               std::chrono::milliseconds patience) {
  TaskStore store;
  DRAGOMAN_TRY(const auto settings, load_settings(invocation, console));
  DRAGOMAN_TRY(store.path, store_path(invocation, settings));
  store.take_slots(settings);
  if (const auto file = invocation.value("config"))
    store.config = std::filesystem::absolute(*file).string();
  store.fleet = is_nats_url(store.path);
  if (use == StoreUse::works && !store.fleet)
    return bad_value("--store: a worker belongs to a fleet: nats://HOST");
  const bool named = invocation.has("store") || !settings.text("store").empty();
  if (use == StoreUse::looks && named && !store.fleet) {
    DRAGOMAN_CHECK(look_for(store.path));
  }
  const auto state = state_directory();
  DRAGOMAN_TRY(store.log,
               open_log(store.path, state ? (*state / "fleet").string() : std::string(), patience));
  return store;
}

}  // namespace

Result<TaskStore> open_task_store(const Invocation& invocation, Console& console, StoreUse use,
                                  std::chrono::milliseconds patience) {
  end_leftovers(console);
  auto store = open_as_said(invocation, console, use, patience);
  if (store || !is_refusal(store.error())) return store;
  return bad_value(store.error().message);  // the settings', or an address that is none
}

Result<std::unique_ptr<Log>> open_store_if_there(const Invocation& invocation, Console& console,
                                                 Reach reach) {
  constexpr std::chrono::seconds kPatience(3);
  DRAGOMAN_TRY(const auto settings, load_settings(invocation, console));
  DRAGOMAN_TRY(const std::string path, store_path(invocation, settings));
  std::error_code unknown;
  const bool there =
      is_nats_url(path) ? reach == Reach::everywhere : std::filesystem::exists(path, unknown);
  if (!there) return std::unique_ptr<Log>();
  const auto state = state_directory();
  return open_log(path, state ? (*state / "fleet").string() : std::string(), kPatience);
}

void TaskStore::take_slots(const config::Config& settings) {
  const auto take = [&settings](std::string_view name, std::size_t& number) {
    const std::string& text = settings.text(name);
    if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), number);
  };
  take("tasks.concurrency", concurrency);
  take("tasks.waiting", waiting);
}

task::RunnerOptions TaskStore::runner() const {
  task::RunnerOptions options;
  options.concurrency = concurrency;
  options.waiting = waiting;
  options.start = engine::run_as_thread(prepare_task_runs());
  options.fleet = fleet;
  if (const auto state = state_directory()) {
    options.recordings = *state / "runs";
    options.git_files = git_files(*state);
  }
  if (fleet) return options;
  options.lock_file = lock_beside(path);
  options.private_words = path + ".private";
  return options;
}

std::function<Result<void>()> runner_waker(const std::string& path, const std::string& config) {
  std::vector<std::string> words = {own_program(),   "task",    "work",
                                    "--handed-lock", "--store", "sqlite:" + path};
  if (!config.empty()) words.insert(words.end(), {"--config", config});
  return [lock = lock_beside(path), words] { return task::start_runner(lock, words); };
}

task::Service TaskStore::service() const {
  const task::RunnerOptions options = runner();
  std::error_code gone;
  const std::string directory = std::filesystem::current_path(gone).string();
  if (fleet) return {*log, {.concurrency = concurrency, .fleet = true, .directory = directory}};
  return {*log,
          {.concurrency = concurrency,
           .wake_runner = runner_waker(path, config),
           .private_words = options.private_words,
           .no_runner = warn_of_no_runner(),
           .recordings = options.recordings,
           .runner_lives = [options] { return task::runner_lives(options.lock_file); },
           .directory = directory}};
}

}  // namespace dragoman::cli
