// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/codex_cloud.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "dragoman/agent/surroundings.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/called_program.hpp"
#include "dragoman/mcp/codex_cloud_text.hpp"
#include "dragoman/mcp/diff_facts.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kMostOutput = std::size_t{32} << 20U;
constexpr std::size_t kMostPages = 50;  // of 20 tasks each
constexpr std::size_t kMostSingles = 20;
constexpr std::chrono::seconds kLook(60);

class CodexCloud final : public CloudBackend {
 public:
  explicit CodexCloud(CodexCloudOptions options) : options_(std::move(options)) {
    child_ = process::make_environment(process::EnvironmentPolicy::allow_list, options_.environment,
                                       agent::variables_for(codex_, options_.environment));
    rules_ = redact::make_rules(process::secret_values(options_.environment));
  }

  [[nodiscard]] std::string_view name() const override { return "codex-cloud"; }

  [[nodiscard]] Result<CloudNews> submit(const CloudSubmission& submission) override {
    const CloudTask& task = submission.task;
    std::vector<std::string> words = {"exec", "--env", submission.environment.id, "--attempts",
                                      std::to_string(task.attempts)};
    if (!task.branch.empty()) words.insert(words.end(), {"--branch", task.branch});
    if (!task.model.empty())
      words.insert(words.end(), {"-c", fmt::format("model=\"{}\"", task.model)});
    words.emplace_back("-");
    DRAGOMAN_TRY(const Called called,
                 call(std::move(words), task.text, submission.within, task.working_dir));
    if (!called.exited_with(0)) return failure(called);
    CloudNews news;
    news.url = task_url_in(called.out);
    news.external_id = last_segment(news.url);
    if (news.external_id.empty()) {
      return Error{ErrorCode::tool_error,
                   "codex cloud exec named no task: " + one_line(utf8::prefix(called.out, 200)),
                   "incomplete"};
    }
    news.state = "working";
    return news;
  }

  [[nodiscard]] Result<std::vector<CloudNews>> news(const CloudQuery& query) override {
    // One task is asked for by its name; the list has pages.
    if (!query.everything && query.external_ids.size() == 1) {
      DRAGOMAN_TRY(auto one, status_of(query.external_ids.front()));
      std::vector<CloudNews> found;
      if (one) found.push_back(*std::move(one));
      return found;
    }
    std::vector<CloudNews> found;
    std::vector<std::string> wanted = query.external_ids;
    std::string cursor;
    for (std::size_t page = 0; page < kMostPages; ++page) {
      DRAGOMAN_TRY(auto listed, list(query.env_id, cursor));
      for (CloudNews& each : listed.tasks) {
        const bool asked = std::erase(wanted, each.external_id) > 0;
        if (asked || query.everything) found.push_back(std::move(each));
      }
      cursor = listed.cursor;
      if (cursor.empty() || (wanted.empty() && !query.everything)) break;
    }
    for (std::size_t i = 0; i < std::min(wanted.size(), kMostSingles); ++i) {
      DRAGOMAN_TRY(auto one, status_of(wanted[i]));
      if (one) found.push_back(*std::move(one));
    }
    return found;
  }

  [[nodiscard]] Result<task::TaskResults> results(const CloudTask& task, std::int64_t attempt,
                                                  const task::ResultsQuery& query) override {
    task::TaskResults results;
    results.task = as_task(task);
    const TaskState state = results.task.task_state();
    std::string diff;
    std::string talk;
    if (state == TaskState::completed || state == TaskState::failed) {
      std::vector<std::string> words = {"diff", task.external_id};
      if (attempt != 1) words.insert(words.end(), {"--attempt", std::to_string(attempt)});
      DRAGOMAN_TRY(const Called called, call(std::move(words), "", kLook, ""));
      if (called.exited_with(0)) diff = redact::redacted(called.out, rules_);
      talk = redact::redacted(called.err, rules_);
      // A task that failed, or that changed nothing, has no diff.
      if (!called.exited_with(0) && state == TaskState::completed && !is_no_diff(talk))
        return failure(called);
    }
    const FileOperations files = files_of_diff(diff);
    put_metadata_of(results, files, talk);
    results.summary = summary_of(task, files);
    results.output_included = includes_output(state, query.include_output);
    if (results.output_included) {
      results.max_bytes = std::clamp(query.max_output_bytes, kMinOutputBytes, kMaxOutputBytes);
      results.output = cut_output(diff, talk, results.max_bytes);
    }
    results.events_included = query.include_events;
    if (!diff.empty()) put_artifact(results, task, diff);
    return results;
  }

  [[nodiscard]] Result<void> cancel(const CloudTask& task, std::string_view /*reason*/) override {
    std::string details;
    json::Writer w(details);
    w.begin_object().name("task_id").string(task.id);
    w.name("web_ui_url").string(task.url);
    w.name("suggestion").string("end it on its page");
    w.end_object();
    return Error{ErrorCode::unsupported, "codex cloud cannot cancel a task", "cancel_not_available",
                 std::move(details)};
  }

  bool pause(const CloudTask& /*task*/, unsigned round, std::chrono::milliseconds at_most,
             Context& context) override {
    auto time = options_.first_pause;
    for (unsigned i = 0; i < round && time < options_.last_pause; ++i) time *= 2;
    return context.sleep(std::min({time, options_.last_pause, at_most}));
  }

  [[nodiscard]] std::string how_to_apply(const CloudTask& task) const override {
    return "codex cloud apply " + task.external_id;
  }

 private:
  Result<Called> call(std::vector<std::string> words, const std::string& input,
                      std::chrono::milliseconds within, const std::string& directory) {
    auto program = agent::locate_program(codex_.program, child_);
    if (!program) {
      return Error{ErrorCode::tool_error, "codex is not installed: " + program.error().message,
                   "spawn_failed", fmt::format(R"({{"suggestion":"{}"}})", codex_.install)};
    }
    words.insert(words.begin(), "cloud");
    process::Command command{*std::move(program), std::move(words), child_, directory};
    auto called = call_program(std::move(command), input, within, kMostOutput);
    if (!called) {
      return Error{ErrorCode::tool_error, "codex cannot be started: " + called.error().message,
                   "spawn_failed"};
    }
    if (called->timed_out) {
      return Error{
          ErrorCode::timeout,
          fmt::format("codex cloud took longer than {} seconds", within.count() / 1000), "hard",
          fmt::format(R"({{"timeout_type":"hard","elapsed_seconds":{}}})", within.count() / 1000)};
    }
    return called;
  }

  [[nodiscard]] Error failure(const Called& called) const {
    return cloud_failure(redact::redacted(called.err, rules_), called.exit,
                         redact::redacted(called.out, rules_));
  }

  // Absent: the backend knows no such task.
  Result<std::optional<CloudNews>> status_of(const std::string& external_id) {
    DRAGOMAN_TRY(const Called called, call({"status", external_id}, "", kLook, ""));
    auto news = read_cloud_status(called.out);
    if (news) {
      // Exit code 1 only says that it is not ready.
      news->external_id = external_id;
      return news;
    }
    if (called.err.find("not found") != std::string::npos) return std::optional<CloudNews>();
    return failure(called);
  }

  Result<CloudPage> list(const std::string& env_id, const std::string& cursor) {
    std::vector<std::string> words = {"list", "--json", "--limit", "20"};
    if (!env_id.empty()) words.insert(words.end(), {"--env", env_id});
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    DRAGOMAN_TRY(const Called called, call(std::move(words), "", kLook, ""));
    if (!called.exited_with(0)) return failure(called);
    return read_cloud_list(called.out);
  }

  static void put_metadata_of(task::TaskResults& results, const FileOperations& files,
                              const std::string& talk) {
    Metadata metadata;
    metadata.duration = results.task.duration(task::now_ms()).count() / 1000;
    metadata.file_operations = files;
    metadata.task_status = results.task.task_state();
    if (metadata.task_status == TaskState::failed) {
      ErrorContext context;
      context.error_message = talk.empty() ? "the cloud reports an error" : one_line(talk);
      context.error_type = results.task.reason.empty() ? "agent_error" : results.task.reason;
      metadata.error_context = std::move(context);
    }
    json::Writer w(results.metadata);
    put_metadata(w, metadata);
  }

  static void put_artifact(task::TaskResults& results, const CloudTask& task,
                           std::string_view diff) {
    std::string& json = results.task.artifacts.json;
    json::Writer w(json);
    w.begin_array().begin_object().name("type").word("diff");
    w.name("ref").string(task.url.empty() ? task.external_id : task.url);
    w.name("size").count(diff.size());
    w.name("sha256").string(sha256_hex(diff));
    w.end_object().end_array();
  }

  const agent::AgentRow& codex_ = agent::agent_of(agent::Protocol::codex_exec);
  CodexCloudOptions options_;
  std::vector<std::string> child_;  // the environment of codex
  std::shared_ptr<const redact::Rules> rules_;
};

}  // namespace

std::unique_ptr<CloudBackend> make_codex_cloud(CodexCloudOptions options) {
  return std::make_unique<CodexCloud>(std::move(options));
}

}  // namespace dragoman::mcp
