// SPDX-License-Identifier: Apache-2.0
// The whole server on a fresh store, as a browser meets it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/web/app.hpp"
#include "tests/support/files.hpp"
#include "tests/support/raw_client.hpp"

namespace dragoman::web::test {

using dragoman::test::RawClient;
using dragoman::test::RawResponse;

class Served : public testing::Test {
 protected:
  void SetUp() override { start(); }
  void TearDown() override { stop(); }

  void start() {
    auto log = open_sqlite_log({directory_.path() / "log.db", ""});
    ASSERT_TRUE(log) << log.error().message;
    log_ = *std::move(log);
    auto token = Token::prepare(token_file(), false);
    ASSERT_TRUE(token) << token.error().message;
    token_ = *token;
    service_ = std::make_unique<task::Service>(*log_, task::ServiceOptions{2, {}});
    app_ = std::make_unique<App>(*service_, std::make_shared<Token>(token_file()), options_);
    http_.every = security_fields();
    http_.refusal = refused_head;
    http_.bound = [this](std::uint16_t port) { app_->allow_hosts(own_hosts("127.0.0.1", port)); };
    auto server = http::Server::start(http_, app_->decide());
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    http_.port = server_->port();  // a restart comes back at the same place
    app_->attach(server_.get());
  }
  void stop() {
    if (server_ != nullptr) server_->stop();
    server_.reset();
    app_.reset();
    service_.reset();
    log_.reset();
  }

  [[nodiscard]] std::filesystem::path token_file() const { return directory_.path() / "token"; }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", port()); }

  // `fields` are whole lines. With the token unless they name one.
  [[nodiscard]] std::string request(std::string_view method, std::string_view target,
                                    std::string_view fields = {},
                                    std::string_view body = {}) const {
    std::string text = fmt::format("{} {} HTTP/1.1\r\n", method, target);
    if (fields.find("Host:") == std::string_view::npos) text += "Host: " + host() + "\r\n";
    if (fields.find("Authorization:") == std::string_view::npos &&
        fields.find("Cookie:") == std::string_view::npos &&
        fields.find("X-Nobody:") == std::string_view::npos)
      text += "Authorization: Bearer " + token_ + "\r\n";
    if (!body.empty() || method == "POST") {
      text += fmt::format("Content-Length: {}\r\n", body.size());
      if (fields.find("Content-Type:") == std::string_view::npos)
        text += "Content-Type: application/json\r\n";
    }
    return text.append(fields).append("\r\n").append(body);
  }
  [[nodiscard]] RawResponse ask(std::string_view method, std::string_view target,
                                std::string_view fields = {}, std::string_view body = {}) const {
    const auto response = dragoman::test::ask_once(port(), request(method, target, fields, body));
    EXPECT_TRUE(response) << method << " " << target;
    return response.value_or(RawResponse{});
  }
  [[nodiscard]] nlohmann::json get(std::string_view target) const {
    const RawResponse response = ask("GET", target);
    EXPECT_EQ(response.status, 200) << target << " " << response.body;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  // A task that somebody else runs: its record and events are what the test writes.
  std::string add_task(std::string text = "do it", std::string state = "working") {
    task::Task task;
    task.id = task::new_run_id();
    task.text = std::move(text);
    task.state = std::move(state);
    task.agent = "claude";
    task.working_dir = "/tmp";
    task.created_at = task.started_at = task::now_ms();
    if (task.terminal()) task.completed_at = task::now_ms();
    EXPECT_TRUE(write_one(*log_, Put{std::string(task::kTasks), task::record_of(task), 0}));
    return task.id;
  }
  void add_events(const std::string& id, std::size_t count) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < count; ++i)
      lines.push_back(R"({"seq":1,"kind":"display_text","data":{"text":"line"}})");
    EXPECT_TRUE(write_one(*log_, Append{task::event_stream(id), std::move(lines), {}}));
  }
  // Each as large as what a tool may print.
  void add_large_events(const std::string& id, std::size_t count, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(write_one(*log_, Append{task::event_stream(id),
                                          {R"({"seq":1,"kind":"display_text","data":{"text":")" +
                                           std::string(bytes, 'x') + "\"}}"},
                                          {}}));
    }
  }
  std::string add_question(const std::string& task_id, std::string id = "q1") {
    ask::QuestionRecord question;
    question.task_id = task_id;
    question.id = std::move(id);
    question.header = "Storage";
    question.text = "Where to?";
    question.options = {{"Redis", "shared"}, {"Memory", "simple"}};
    EXPECT_TRUE(service_->desk().open(question));
    return question.key();
  }

  dragoman::test::TempDir directory_;
  AppOptions options_;
  http::ServerOptions http_;
  std::string token_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<task::Service> service_;
  std::unique_ptr<App> app_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace dragoman::web::test
