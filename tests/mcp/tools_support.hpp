// SPDX-License-Identifier: Apache-2.0
// The delegation tools in process, on a store of their own; whatever they answer is held to its
// schema.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/mcp/codex_cloud.hpp"
#include "dragoman/mcp/delegation_tools.hpp"
#include "dragoman/schema/validator.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman::test {

using nlohmann::json;

struct Told {
  double progress = 0;
  std::optional<double> total;
  std::string message;
};

class FakeContext final : public mcp::Context {
 public:
  [[nodiscard]] const mcp::Client& client() const override { return client_; }
  [[nodiscard]] bool wants_progress() const override { return wants_progress_; }
  void progress(double progress, std::optional<double> total, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    told_.push_back({progress, total, std::string(message)});
  }
  void log(mcp::LogLevel, std::string_view, std::string_view) override {}
  [[nodiscard]] bool cancelled() const override { return cancelled_; }
  bool sleep(std::chrono::milliseconds time) override {
    slept_.push_back(time);
    if (on_sleep_) on_sleep_();
    return !cancelled_;
  }
  void release_stream() override {}

  mcp::Client client_;
  bool wants_progress_ = false;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::vector<Told> told_;
  std::vector<std::chrono::milliseconds> slept_;
  std::function<void()> on_sleep_;
};

struct Answer {
  json envelope;
  std::string text;
  bool is_error = false;
  std::optional<mcp::Asked> asked;
  std::string started;  // as a task of the protocol

  [[nodiscard]] std::string code() const {
    return envelope.value(json::json_pointer("/error/code"), "");
  }
  [[nodiscard]] std::string reason() const {
    return envelope.value(json::json_pointer("/error/details/reason"), "");
  }
};

// Every envelope validates against the schema that it names.
inline void expect_valid(const json& envelope) {
  static std::map<std::string, schema::Validator> validators;
  const std::string id = envelope.value("schema_id", "");
  auto found = validators.find(id);
  if (found == validators.end()) {
    auto validator = schema::Validator::with_id(id, {.formats = schema::Formats::assert_known});
    ASSERT_TRUE(validator) << id << ": " << validator.error().message;
    found = validators.emplace(id, *std::move(validator)).first;
  }
  EXPECT_EQ(verdict(found->second, envelope.dump()), "") << envelope.dump(1);
}

class ToolPlace {
 public:
  explicit ToolPlace(std::function<Result<void>()> wake = {}, std::size_t concurrency = 2)
      : service_(*log_, {concurrency, std::move(wake)}) {
    std::filesystem::create_directories(work());
    std::filesystem::create_directories(bin());
    std::filesystem::create_directories(home() / "cloud");
    std::filesystem::create_symlink(source_dir() / "tests/agents/codex_stand_in.py",
                                    bin() / "codex");
    remake();
  }

  // After the options were changed.
  void remake() {
    options.version = "test";
    options.local.working_dir = work();
    options.local.private_directory = dir_.path() / "private";
    options.cloud.working_dir = work();
    options.cloud.home = home();
    options.cloud.environment_files = {home() / ".config/dragoman/environments.json",
                                       home() / ".config/mcp-delegator/environments.json"};
    std::vector<std::unique_ptr<mcp::CloudBackend>> backends;
    backends.push_back(mcp::make_codex_cloud(
        {environment(), std::chrono::milliseconds(5000), std::chrono::milliseconds(30000)}));
    tools_ = std::make_unique<mcp::DelegationTools>(service_, options, std::move(backends));
  }

  Answer call(std::string_view tool, const json& arguments = json::object(),
              mcp::TaskWish wish = mcp::TaskWish::no) {
    return call_text(tool, arguments.dump(), {}, {}, wish);
  }
  Answer call_text(std::string_view tool, std::string_view arguments,
                   std::vector<mcp::InputResponse> responses = {}, std::string state = {},
                   mcp::TaskWish wish = mcp::TaskWish::no) {
    const mcp::Call call{tool,   arguments, wish, {}, std::move(responses), std::move(state),
                         context};
    auto result = tools_->call(call);
    Answer answer;
    if (!result) {
      ADD_FAILURE() << "protocol error: " << result.error().message;
      return answer;
    }
    if (auto* asked = std::get_if<mcp::Asked>(&*result)) {
      answer.asked = std::move(*asked);
      return answer;
    }
    if (auto* started = std::get_if<mcp::Started>(&*result)) {
      answer.started = started->task_id;
      return answer;
    }
    const auto& found = std::get<mcp::ToolResult>(*result);
    answer.text = found.text;
    answer.is_error = found.is_error;
    answer.envelope = json::parse(found.structured, nullptr, false);
    EXPECT_FALSE(answer.envelope.is_discarded()) << found.structured;
    EXPECT_EQ(answer.is_error, answer.envelope["status"] == "error");
    EXPECT_EQ(answer.envelope["tool"], tool);
    EXPECT_EQ(answer.envelope.contains("data"), !answer.is_error);
    EXPECT_EQ(answer.envelope.contains("error"), answer.is_error);
    expect_valid(answer.envelope);
    return answer;
  }

  [[nodiscard]] std::filesystem::path work() const { return dir_.path() / "work"; }
  [[nodiscard]] std::filesystem::path bin() const { return dir_.path() / "bin"; }
  [[nodiscard]] std::filesystem::path home() const { return dir_.path() / "home"; }
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"PATH=" + bin().string() + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home().string(),
            "LANG=C.UTF-8"};
  }

  // As a runner does it.
  void begin(const std::string& id) {
    const auto self = task::identity_of(::getpid());
    value_of(task::change_task(log(), id, [&](task::Task& task) {
      task.state = "working";
      task.started_at = task.last_event_at = task::now_ms() - 5000;
      task.runner_pid = self.pid;
      task.runner_start = self.start;
      task.boot = self.boot;
      return true;
    }));
  }
  bool end(const std::string& id, const std::string& state, const std::string& reason = "") {
    return value_of(task::change_task(log(), id, [&](task::Task& task) {
      task.state = state;
      task.reason = reason;
      if (task.started_at == 0) task.started_at = task::now_ms();
      if (task.summary.empty()) task.summary = "Task " + state;
      return true;
    }));
  }
  // A task that nobody runs, entered at the service so that no ack waits.
  std::string submitted(const std::string& text = "do it") {
    task::Task task;
    task.text = text;
    task.working_dir = work();
    return value_of(service_.submit(task)).task.id;
  }
  // The agent says something.
  void add_output(const std::string& id, const std::string& text) {
    add_text(id, text, "stdout", "assistant_text");
  }
  void add_complaint(const std::string& id, const std::string& text) {
    add_text(id, text, "stderr", "stderr");
  }
  void add_event(const std::string& id, const json& event) {
    value_of(write_one(log(), Append{task::event_stream(id), {event.dump()}, {}}));
  }
  void add_text(const std::string& id, const std::string& text, const char* stream,
                const char* channel) {
    add_event(id, {{"kind", "text"},
                   {"data", {{"text", text}}},
                   {"origin",
                    {{"dialect", "codex"},
                     {"stream", stream},
                     {"offset", 0},
                     {"length", 1},
                     {"line", 1},
                     {"channel", channel}}}});
  }
  void ask(const std::string& id, ask::QuestionRecord question) {
    question.task_id = id;
    EXPECT_TRUE(service_.desk().open(std::move(question)));
  }

  [[nodiscard]] Log& log() { return *log_; }
  [[nodiscard]] std::string store() const { return engine_.path(); }
  [[nodiscard]] task::Service& service() { return service_; }
  [[nodiscard]] mcp::DelegationTools& tools() { return *tools_; }

  FakeContext context;
  mcp::DelegationOptions options;

 private:
  TempDir dir_;
  SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  task::Service service_;
  std::unique_ptr<mcp::DelegationTools> tools_;
};

inline ask::QuestionRecord color_question() {
  ask::QuestionRecord question;
  question.id = "q1";
  question.header = "Color";
  question.text = "Which color?";
  question.options = {{"red"}, {"blue"}};
  return question;
}

}  // namespace dragoman::test
