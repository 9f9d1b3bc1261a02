// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/cloud_tools.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/codex_cloud_text.hpp"
#include "dragoman/mcp/local_tools.hpp"
#include "dragoman/mcp/markdown.hpp"
#include "dragoman/mcp/progress_teller.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/private_words.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::int64_t kDayMs = std::int64_t{24} * 3600 * 1000;

// A name that git takes for a branch; an agent's command line takes it as one word.
bool is_ref_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '-' || name.front() == '/' ||
      name.front() == '.' || name.back() == '/' || name.back() == '.' || name == "@" ||
      name.ends_with(".lock"))
    return false;
  for (const std::string_view bad : {"..", "//", "@{", "/."}) {
    if (name.find(bad) != std::string_view::npos) return false;
  }
  return std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '~' || c == '^' || c == ':' ||
           c == '?' || c == '*' || c == '[' || c == '\\';
  });
}

Error no_task(std::string_view id) {
  std::string details;
  json::Writer w(details);
  w.begin_object().name("task_id").string(id).end_object();
  return {ErrorCode::not_found, fmt::format("no task {}", id), "task", std::move(details)};
}

}  // namespace

CloudTools::CloudTools(task::Service& service, CloudOptions options,
                       std::vector<std::unique_ptr<CloudBackend>> backends)
    : service_(service),
      options_(std::move(options)),
      registry_(service.log()),
      backends_(std::move(backends)) {}

Result<CloudBackend*> CloudTools::backend(std::string_view name) {
  for (const auto& each : backends_) {
    if (each->name() == name) return each.get();
  }
  return Error{ErrorCode::unsupported, fmt::format("backend {} is not configured here", name),
               "backend"};
}

Result<Environments> CloudTools::environments() const {
  return read_environments(options_.environment_files, options_.home);
}

Result<ToolOutcome> CloudTools::submit(const ToolRequest& request) {
  const Arguments& arguments = request.arguments;
  CloudTask task;
  DRAGOMAN_TRY(task.text, checked_task_text(arguments));
  DRAGOMAN_TRY(task.model, checked_model(arguments));
  if (arguments.has("working_dir")) {
    DRAGOMAN_TRY(task.working_dir,
                 task::checked_directory(arguments.text("working_dir"), options_.roots));
  } else {
    task.working_dir = options_.working_dir;
  }
  task.branch = arguments.text("branch");
  if (arguments.has("branch") && !is_ref_name(task.branch))
    return bad_value("branch", "a legal name of a git branch", task.branch);
  task.attempts = arguments.integer("attempts");
  DRAGOMAN_CHECK(
      task::allow_git(task::judge_git(task.text), arguments.flag("allow_destructive_git")));
  task.env_id = arguments.text("env_id");
  DRAGOMAN_TRY(const Environments known, environments());
  const Environment* const environment = known.find(task.env_id);
  if (environment == nullptr) {
    std::string details;
    json::Writer w(details);
    w.begin_object().name("parameter").word("env_id").name("path").string(known.source);
    w.name("suggestion").string("see _codex_cloud_list_environments").end_object();
    return Error{ErrorCode::not_found, fmt::format("no environment {}", task.env_id), "environment",
                 std::move(details)};
  }
  task.backend = environment->backend;
  DRAGOMAN_TRY(CloudBackend* const to, backend(task.backend));
  task.id = new_cloud_id();
  task.created_at = task::now_ms();
  const std::chrono::seconds within(arguments.integer("hard_timeout_sec"));
  DRAGOMAN_TRY(const CloudNews news, to->submit({task, *environment, within}));
  task.external_id = news.external_id;
  task.url = news.url;
  task.state = news.state;
  task.text = task::without_secrets(task.text);
  DRAGOMAN_CHECK(registry_.add(task));
  task::Acknowledgement ack;
  ack.task = as_task(task);
  task::AckFacts facts;
  facts.web_ui_url = task.url;
  return ToolOutcome(
      ToolReply{task::ack_envelope(ack, facts), markdown_ack(ack, facts, Origin::cloud)});
}

Result<CloudTask> CloudTools::take_news(const CloudTask& task, const CloudNews& news) {
  const bool same = task.state == news.state && (news.url.empty() || task.url == news.url);
  if (task.terminal() || same) return task;
  return registry_.change(task.id, [&](CloudTask& found) {
    found.state = news.state;
    found.reason = news.reason;
    if (!news.url.empty()) found.url = news.url;
    if (!news.summary.empty()) found.summary = news.summary;
    if (found.terminal() && news.updated_at >= found.created_at)
      found.completed_at = news.updated_at;
    return true;
  });
}

Result<CloudTask> CloudTools::adopt(std::string_view backend, const CloudNews& news) {
  CloudTask task;
  task.id = new_cloud_id();
  task.backend = backend;
  task.external_id = news.external_id;
  task.url = news.url;
  task.env_id = news.env_id;
  task.state = news.state;
  task.reason = news.reason;
  task.summary = news.summary;
  task.text = task::without_secrets(news.title);
  task.created_at = news.updated_at != 0 ? news.updated_at : task::now_ms();
  if (task.terminal()) task.completed_at = task.created_at;
  DRAGOMAN_CHECK(registry_.add(task));
  return task;
}

Result<CloudTask> CloudTools::refreshed(CloudTask task) {
  if (task.terminal()) return task;
  DRAGOMAN_TRY(CloudBackend* const at, backend(task.backend));
  DRAGOMAN_TRY(const auto news, at->news({{task.external_id}, false, ""}));
  for (const CloudNews& each : news) {
    if (each.external_id == task.external_id) return take_news(task, each);
  }
  return task;
}

Result<CloudTask> CloudTools::find(const ToolRequest& request) {
  const std::string id = request.arguments.text("task_id");
  DRAGOMAN_CHECK(refuse_other_origin(request.tool.name, id));
  DRAGOMAN_TRY(auto known, registry_.find(id));
  if (known) return *std::move(known);
  const std::string external = last_segment(id);
  if (id.starts_with("T-cloud-")) {
    if (is_task_id(id)) return no_task(id);
    return bad_value("task_id", "^T-(local|cloud)-[A-Za-z0-9-]{3,64}$, or the backend's id", id);
  }
  if (external.empty() || external.size() < 3)
    return bad_value("task_id", "T-cloud-…, the backend's id or its URL", id);
  for (const auto& each : backends_) {
    DRAGOMAN_TRY(const auto news, each->news({{external}, false, ""}));
    for (const CloudNews& one : news) {
      if (one.external_id == external) return adopt(each->name(), one);
    }
  }
  return no_task(id);
}

Result<std::vector<CloudTask>> CloudTools::refreshed_all(const std::string& env_id,
                                                         bool everything) {
  DRAGOMAN_TRY(const auto known, registry_.list());
  std::map<std::string, CloudQuery, std::less<>> queries;
  for (const CloudTask& task : known) {
    if (!task.terminal()) queries[task.backend].external_ids.push_back(task.external_id);
  }
  std::vector<CloudTask> all;
  for (const auto& each : backends_) {
    CloudQuery query = queries[std::string(each->name())];
    query.everything = everything;
    query.env_id = env_id;
    std::vector<CloudNews> news;
    // Nothing of ours is open there, and nothing else is asked for: nobody has to be signed in.
    if (everything || !query.external_ids.empty()) {
      DRAGOMAN_TRY(news, each->news(query));
    }
    std::map<std::string_view, const CloudNews*> by_id;
    for (const CloudNews& one : news) by_id[one.external_id] = &one;
    for (const CloudTask& task : known) {
      if (task.backend != each->name()) continue;
      const auto found = by_id.find(task.external_id);
      if (found == by_id.end()) {
        all.push_back(task);
        continue;
      }
      DRAGOMAN_TRY(auto fresh, take_news(task, *found->second));
      all.push_back(std::move(fresh));
      by_id.erase(found);
    }
    for (const auto& [external, one] : by_id) {
      DRAGOMAN_TRY(auto fresh, adopt(each->name(), *one));
      all.push_back(std::move(fresh));
    }
  }
  return all;
}

Result<std::vector<CloudTask>> CloudTools::old_tasks(std::int64_t before) {
  DRAGOMAN_TRY(auto all, registry_.list());
  std::erase_if(
      all, [&](const CloudTask& task) { return !task.terminal() || task.completed_at >= before; });
  return all;
}

namespace {

// Out with what was not asked for.
void filter(std::vector<CloudTask>& tasks, const Arguments& arguments) {
  const std::string env = arguments.text("env_id");
  const std::string directory = arguments.text("working_dir");
  const std::string wanted = arguments.text("status");
  std::erase_if(tasks, [&](const CloudTask& task) {
    const bool in_state =
        wanted.empty() || wanted == task.state || (wanted == "submitted" && !task.terminal());
    return (!env.empty() && task.env_id != env) ||
           (!directory.empty() && task.working_dir != directory) || !in_state;
  });
}

task::Snapshot snapshot_of(std::vector<CloudTask> tasks, bool also_old, std::size_t limit) {
  task::Snapshot snapshot;
  snapshot.at = task::now_ms();
  std::ranges::sort(tasks, [](const CloudTask& a, const CloudTask& b) {
    return std::max(a.completed_at, a.created_at) > std::max(b.completed_at, b.created_at);
  });
  for (const CloudTask& task : tasks) {
    if (!task.terminal()) {
      snapshot.running.push_back(as_task(task));
      continue;
    }
    if (!also_old && task.completed_at < snapshot.at - kDayMs) continue;
    ++snapshot.recent_count;
    if (snapshot.recent.size() < limit) snapshot.recent.push_back(as_task(task));
  }
  return snapshot;
}

}  // namespace

Result<ToolOutcome> CloudTools::status(const ToolRequest& request) {
  const Arguments& arguments = request.arguments;
  const bool list = arguments.flag("list");
  const bool one = arguments.has("task_id");
  std::vector<CloudTask> tasks;
  if (one) {
    DRAGOMAN_TRY(auto task, find(request));
    DRAGOMAN_TRY(task, refreshed(std::move(task)));
    tasks.push_back(std::move(task));
  } else {
    DRAGOMAN_TRY(tasks, refreshed_all(arguments.text("env_id"), list));
  }
  filter(tasks, arguments);
  task::SnapshotFacts facts;
  facts.tool = request.tool.name;
  facts.verbose = arguments.flag("verbose");
  if (arguments.flag("show_stats")) {
    std::map<std::string, std::size_t> counts;
    for (const CloudTask& task : tasks) ++counts[task.state];
    facts.stats.assign(counts.begin(), counts.end());
  }
  const std::int64_t standard = list ? 50 : 5;
  const std::int64_t limit = arguments.has("limit") ? arguments.integer("limit") : standard;
  const auto snapshot = snapshot_of(std::move(tasks), list || one, static_cast<std::size_t>(limit));
  return ToolOutcome(ToolReply{task::status_envelope(snapshot, facts, service_.desk()),
                               markdown_status(snapshot, facts, Origin::cloud, {})});
}

Result<ToolOutcome> CloudTools::results(const ToolRequest& request) {
  DRAGOMAN_TRY(auto task, find(request));
  DRAGOMAN_TRY(task, refreshed(std::move(task)));
  DRAGOMAN_TRY(CloudBackend* const at, backend(task.backend));
  DRAGOMAN_TRY(const auto results, at->results(task, request.arguments.integer("attempt"),
                                               results_query(request.arguments)));
  return ToolOutcome(ToolReply{task::results_envelope(results, request.tool.name),
                               markdown_results(results, Origin::cloud, at->how_to_apply(task))});
}

Result<ToolOutcome> CloudTools::wait(const ToolRequest& request) {
  DRAGOMAN_TRY(auto task, find(request));
  DRAGOMAN_TRY(CloudBackend* const at, backend(task.backend));
  ProgressTeller teller(request.call.context);
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::seconds(request.arguments.integer("timeout_sec"));
  for (unsigned round = 0;; ++round) {
    DRAGOMAN_TRY(task, refreshed(std::move(task)));
    if (task.terminal()) break;
    teller.tell(as_task(task), Clock::now());
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !at->pause(task, round, left, request.call.context)) break;
  }
  if (task.terminal()) teller.end(as_task(task));
  DRAGOMAN_TRY(const auto results, at->results(task, 1, results_query(request.arguments)));
  const auto expired = task.terminal() ? task::WaitExpired::no : task::WaitExpired::yes;
  return ToolOutcome(ToolReply{task::wait_envelope(results, expired, request.tool.name),
                               markdown_results(results, Origin::cloud, at->how_to_apply(task))});
}

Result<ToolOutcome> CloudTools::cancel(const ToolRequest& request) {
  DRAGOMAN_TRY(auto task, find(request));
  task::Cancelled cancelled;
  cancelled.previous_state = task.state;
  if (!task.terminal()) {
    DRAGOMAN_TRY(task, refreshed(std::move(task)));
    cancelled.previous_state = task.state;
  }
  if (!task.terminal()) {
    DRAGOMAN_TRY(CloudBackend* const at, backend(task.backend));
    const std::string reason = request.arguments.text("reason");
    DRAGOMAN_CHECK(at->cancel(task, reason));
    DRAGOMAN_TRY(task, registry_.change(task.id, [&](CloudTask& found) {
      found.state = name(TaskState::cancelled);
      found.cancel_reason = reason;
      found.summary = reason.empty() ? "Task cancelled" : "Task cancelled: " + reason;
      return true;
    }));
  }
  if (task.state != name(TaskState::cancelled)) {
    std::string details;
    json::Writer w(details);
    w.begin_object().name("task_id").string(task.id).name("state").string(task.state).end_object();
    return Error{ErrorCode::validation,
                 fmt::format("{} has ended already: {}", task.id, task.state), "already_terminal",
                 std::move(details)};
  }
  cancelled.task = as_task(task);
  return ToolOutcome(ToolReply{task::cancel_envelope(cancelled, request.tool.name, task.url),
                               markdown_cancel(cancelled)});
}

Result<ToolOutcome> CloudTools::list_environments(const ToolRequest& request) {
  DRAGOMAN_TRY(const Environments found, environments());
  ToolReply reply;
  json::Writer w(reply.envelope);
  task::begin_envelope(w, request.tool.name, "ok");
  w.name("meta").begin_object().name("count").count(found.all.size());
  w.name("source").string(found.source);
  if (found.skipped > 0) w.name("skipped").count(found.skipped);
  w.end_object();
  w.name("data").begin_object().name("environments").begin_array();
  for (const Environment& each : found.all) {
    w.begin_object().name("id").string(each.id).name("name").string(each.name);
    w.name("repository").string(each.repository);
    w.name("tech_stack").string(each.tech_stack);
    if (!each.created_at.empty()) w.name("created_at").string(each.created_at);
    w.name("backend").string(each.backend);
    if (!each.description.empty()) w.name("description").string(each.description);
    w.end_object();
  }
  w.end_array().end_object().end_object();
  reply.markdown = markdown_environments(found);
  return ToolOutcome(std::move(reply));
}

}  // namespace dragoman::mcp
