// SPDX-License-Identifier: Apache-2.0
// The other end of the protocol, in process: what it sends is handled, what comes back is kept.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dragoman/mcp/session.hpp"

namespace dragoman::test {

using Json = nlohmann::json;

class Record final : public mcp::Channel {
 public:
  void send(std::string_view message) override { add(message); }
  void finish(std::string message, int http) override {
    add(message);
    const std::lock_guard lock(mutex_);
    http_ = http;
    ++ended_;
    changed_.notify_all();
  }
  void accept() override { end(202); }
  void abandon() override { end(0); }

  // The messages so far.
  [[nodiscard]] std::vector<Json> all() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  // Waits for the message that `wanted` accepts; null after five seconds.
  template <typename Wanted>
  Json wait_for(Wanted wanted) {
    std::unique_lock lock(mutex_);
    Json found;
    changed_.wait_for(lock, std::chrono::seconds(5), [&] {
      for (const Json& each : messages_) {
        if (wanted(each)) {
          found = each;
          return true;
        }
      }
      return false;
    });
    return found;
  }
  Json answer_to(const Json& id) {
    return wait_for([&](const Json& each) {
      return each.is_object() && each.contains("id") && each["id"] == id &&
             !each.contains("method");
    });
  }
  int http() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(5), [&] { return ended_ > 0; });
    return http_;
  }

 private:
  void add(std::string_view message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(Json::parse(message, nullptr, false));
    changed_.notify_all();
  }
  void end(int http) {
    const std::lock_guard lock(mutex_);
    http_ = http;
    ++ended_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> messages_;
  int http_ = -1;
  int ended_ = 0;
};

class Peer {
 public:
  explicit Peer(mcp::Server& server)
      : channel(std::make_shared<Record>()), session(mcp::Session::make(server, channel)) {}
  ~Peer() { session->close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send(const Json& message) { session->handle(message.dump(), channel); }
  void send_text(std::string_view text) { session->handle(text, channel); }
  // Sends a request with a new id; the whole answer.
  Json ask(const std::string& method, Json params = Json::object()) {
    const int id = ++last_id_;
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
    return channel->answer_to(id);
  }
  void introduce(Json capabilities = Json::object(), const std::string& version = "2025-11-25") {
    ask("initialize", {{"protocolVersion", version},
                       {"capabilities", std::move(capabilities)},
                       {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  }
  // The same in the modern era.
  Json ask_modern(const std::string& method, Json params = Json::object(),
                  Json capabilities = Json::object()) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = std::move(capabilities);
    return ask(method, std::move(params));
  }

  std::shared_ptr<Record> channel;
  std::shared_ptr<mcp::Session> session;

 private:
  int last_id_ = 0;
};

// {"code":…} of an answer; 0: it is none.
inline int code_of(const Json& answer) {
  if (!answer.is_object() || !answer.contains("error")) return 0;
  return answer["error"].value("code", 0);
}

}  // namespace dragoman::test
