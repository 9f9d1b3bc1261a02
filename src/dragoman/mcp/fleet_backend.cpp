// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/fleet_backend.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "dragoman/base/mutex.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/open_log.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::mcp {

namespace {

using task::Task;

constexpr std::chrono::milliseconds kPause(500);
constexpr std::size_t kMostDiffLines = 200'000;

Error bad_environment(const Environment& environment, std::string_view what) {
  return {ErrorCode::validation, fmt::format("environment '{}': fleet: {}", environment.id, what),
          "bad_config"};
}

// {"servers":["nats://a:4222","nats://b:4222"],"queue":"name","credentials":"file:/path"}
Result<std::string> address_of(const Environment& environment) {
  const std::string_view servers = json_member(environment.fleet, "servers");
  std::string url;
  if (!servers.empty() && servers.front() == '[') {
    json::Cursor cursor(servers);
    for (json::Elements each(cursor); each.next();) {
      std::string server = json_text(cursor.take().raw);
      if (!url.empty()) server.erase(0, server.find("://") + 3);
      url += (url.empty() ? "" : ",") + server;
    }
  }
  if (url.empty()) return bad_environment(environment, "servers has to name one");
  std::string credentials = json_text(json_member(environment.fleet, "credentials"));
  if (credentials.empty()) return url;
  if (!credentials.starts_with("file:"))
    return bad_environment(environment, "credentials is file: and a path");
  return fmt::format("{}?credentials={}", url, credentials.substr(5));
}

// "environment/id+id": where to ask, and for what.
struct ExternalId {
  std::string environment;
  std::vector<std::string> tasks;
};

ExternalId read_external(std::string_view text) {
  ExternalId id;
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return id;
  id.environment = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('+'), text.size());
    id.tasks.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return id;
}

Result<std::string> diff_of(Log& log, std::string_view task_id) {
  const std::string stream = task::diff_stream(task_id);
  std::string diff;
  for (std::uint64_t next = 1; next <= kMostDiffLines;) {
    DRAGOMAN_TRY(const auto lines, log.read(stream, next, kMostDiffLines));
    for (const auto& line : lines) diff += line.body + "\n";
    if (!more_may_follow(lines, kMostDiffLines)) break;
    next = lines.back().seq + 1;
  }
  return diff;
}

std::int64_t failed_tests(const Task& task) {
  return json_number(json_member(json_member(task.metadata.json, "test_results"), "failed"));
}

int rank(const Task& task) {
  switch (task.task_state()) {
    case TaskState::completed:
      return 0;
    case TaskState::failed:
      return 2;
    case TaskState::timeout:
      return 3;
    case TaskState::cancelled:
      return 4;
    case TaskState::queued:
    case TaskState::working:
      return 1;  // may become anything
  }
  return 1;
}

void best_first(std::vector<Task>& tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return failed_tests(a) < failed_tests(b);
  });
}

class FleetBackend final : public CloudBackend {
 public:
  explicit FleetBackend(FleetOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "fleet"; }

  Result<CloudNews> submit(const CloudSubmission& submission) override {
    DRAGOMAN_TRY(task::Service * service, service_of(submission.environment));
    const std::string queue = json_text(json_member(submission.environment.fleet, "queue"));
    std::string ids;
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, submission.task.attempts); ++i) {
      Task one;
      one.tool = "_codex_cloud_submit";
      one.text = submission.task.text;
      one.model = submission.task.model;
      one.repository = submission.environment.repository;
      one.branch = submission.task.branch;
      if (!queue.empty()) one.needs = {"queue=" + queue};
      one.hard_ms = std::chrono::milliseconds(submission.within).count();
      DRAGOMAN_TRY(const auto ack, service->submit(one));
      ids += (ids.empty() ? "" : "+") + ack.task.id;
    }
    CloudNews news;
    news.external_id = fmt::format("{}/{}", submission.environment.id, ids);
    news.state = "queued";
    news.env_id = submission.environment.id;
    return news;
  }

  Result<std::vector<CloudNews>> news(const CloudQuery& query) override {
    std::vector<CloudNews> all;
    for (const auto& external : query.external_ids) {
      const ExternalId id = read_external(external);
      if (!query.env_id.empty() && query.env_id != id.environment) continue;
      DRAGOMAN_TRY(auto tasks, tasks_of(id));
      if (tasks.empty()) continue;
      CloudNews news;
      news.external_id = external;
      news.env_id = id.environment;
      const auto open = std::find_if(tasks.begin(), tasks.end(),
                                     [](const Task& task) { return !task.terminal(); });
      const bool waits = std::all_of(tasks.begin(), tasks.end(), [](const Task& task) {
        return task.task_state() == TaskState::queued;
      });
      const Task& best = tasks.front();
      news.state = waits ? "queued" : open != tasks.end() ? "working" : best.state;
      news.reason = open != tasks.end() ? "" : best.reason;
      news.summary = best.summary;
      for (const Task& task : tasks)
        news.updated_at = std::max({news.updated_at, task.last_event_at, task.completed_at});
      all.push_back(std::move(news));
    }
    return all;
  }

  Result<task::TaskResults> results(const CloudTask& cloud, std::int64_t attempt,
                                    const task::ResultsQuery& query) override {
    const ExternalId id = read_external(cloud.external_id);
    DRAGOMAN_TRY(const auto tasks, tasks_of(id));
    const auto which = static_cast<std::size_t>(std::max<std::int64_t>(attempt, 1)) - 1;
    if (which >= tasks.size()) {
      return Error{ErrorCode::not_found, fmt::format("{} has {} attempts", cloud.id, tasks.size()),
                   "task"};
    }
    DRAGOMAN_TRY(task::Service * service, service_of(id.environment));
    DRAGOMAN_TRY(auto results, task::results_of(*service, tasks[which], query));
    DRAGOMAN_TRY(const auto diff, diff_of(service->log(), tasks[which].id));
    if (results.output_included && !diff.empty())
      results.output = cut_output(diff, "", results.max_bytes);
    const Task ran = results.task;
    results.task = as_task(cloud);
    results.task.exit_code = ran.exit_code;
    results.task.artifacts = ran.artifacts;
    return results;
  }

  Result<void> cancel(const CloudTask& cloud, std::string_view reason) override {
    const ExternalId id = read_external(cloud.external_id);
    DRAGOMAN_TRY(const auto tasks, tasks_of(id));
    DRAGOMAN_TRY(task::Service * service, service_of(id.environment));
    for (const Task& task : tasks) {
      if (task.terminal()) continue;
      const auto cancelled = service->cancel(task.id, reason);
      // It may have ended in this very moment.
      if (!cancelled && cancelled.error().reason != "already_terminal") return cancelled.error();
    }
    return {};
  }

  bool pause(const CloudTask& /*task*/, unsigned /*round*/, std::chrono::milliseconds at_most,
             Context& context) override {
    return context.sleep(std::min(at_most, kPause));
  }

  std::string how_to_apply(const CloudTask& /*task*/) const override {
    return "save the diff of its results and use: git apply";
  }

 private:
  struct Open {
    std::unique_ptr<Log> log;
    std::unique_ptr<task::Service> service;
  };

  Result<task::Service*> service_of(const Environment& environment) {
    DRAGOMAN_TRY(const auto url, address_of(environment));
    const Lock lock(mutex_);
    Open& open = open_[url];
    if (open.service == nullptr) {
      DRAGOMAN_TRY(open.log, open_log(url, options_.directory));
      open.service =
          std::make_unique<task::Service>(*open.log, task::ServiceOptions{.fleet = true});
    }
    return open.service.get();
  }

  Result<task::Service*> service_of(const std::string& environment_id) {
    DRAGOMAN_TRY(const auto known, options_.environments());
    const Environment* environment = known.find(environment_id);
    if (environment == nullptr) {
      return Error{ErrorCode::not_found, fmt::format("no environment {}", environment_id),
                   "environment"};
    }
    return service_of(*environment);
  }

  // Best first; those that are not known any more are left out.
  Result<std::vector<Task>> tasks_of(const ExternalId& id) {
    std::vector<Task> tasks;
    DRAGOMAN_TRY(task::Service * service, service_of(id.environment));
    for (const auto& task_id : id.tasks) {
      DRAGOMAN_TRY(auto task, task::find_task(service->log(), task_id));
      if (task) tasks.push_back(*std::move(task));
    }
    best_first(tasks);
    return tasks;
  }

  FleetOptions options_;
  Mutex mutex_;
  std::map<std::string, Open> open_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<CloudBackend> make_fleet_backend(FleetOptions options) {
  return std::make_unique<FleetBackend>(std::move(options));
}

}  // namespace dragoman::mcp
