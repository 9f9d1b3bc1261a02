// SPDX-License-Identifier: Apache-2.0
// One request from the peer, from the moment it is read until its answer is out.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/channel.hpp"
#include "dragoman/mcp/era.hpp"
#include "dragoman/mcp/message.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// A result object, or the error in its place.
struct Response {
  std::string result = {};
  std::optional<ProtocolError> error = {};

  Response(std::string object)
      : result(std::move(object)) {}  // NOLINT(google-explicit-constructor)
  Response(ProtocolError failed)
      : error(std::move(failed)) {}  // NOLINT(google-explicit-constructor)
};

class Exchange final : public Context, public std::enable_shared_from_this<Exchange> {
 public:
  using Clock = std::chrono::steady_clock;

  // `log_from`: messages below it are not sent; absent: none are.
  struct Settings {
    std::shared_ptr<const Client> client;
    std::optional<LogLevel> log_from;
    std::chrono::milliseconds progress_interval{1000};
  };

  Exchange(std::string text, std::shared_ptr<Channel> channel)
      : text_(std::move(text)), channel_(std::move(channel)), parsed_(parse_message(text_)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] const Parsed& parsed() const { return parsed_; }
  [[nodiscard]] const Message& message() const { return *parsed_.message; }
  [[nodiscard]] std::string_view id() const { return message().id; }
  [[nodiscard]] Channel& channel() { return *channel_; }
  [[nodiscard]] const json::Value& params() const { return message().params; }
  [[nodiscard]] Era era() const { return settings_.client->era; }

  void set(Settings settings) { settings_ = std::move(settings); }
  void set_headers(const Headers* headers) {
    if (headers != nullptr) headers_ = *headers;
  }
  // Of tools/call, once it is known that there is such a tool.
  void set_tool(const ToolSpec& tool) { tool_ = &tool; }
  [[nodiscard]] const ToolSpec* tool() const { return tool_; }
  [[nodiscard]] const Headers* headers() const { return headers_ ? &*headers_ : nullptr; }

  // The answer. Nothing is sent for it afterwards; a cancelled request is not answered.
  void finish(const Response& reply);
  // The client does not want it any more.
  void cancel();
  // The server ends: what is found out so far is still sent.
  void hurry();
  // A message of its own on this request's way back; false: it is over.
  bool send(std::string_view message);

  // Wakes sleep() and wait(); used where something other than time ends the waiting.
  void wake() { changed_.notify_all(); }
  // Until `done` says so or the request is cancelled. False: cancelled.
  template <typename Done>
  bool wait(Done done) {
    Lock lock(mutex_);
    while (!done() && !over_) changed_.wait_for(lock.mutex(), std::chrono::milliseconds(200));
    return !over_;
  }

  [[nodiscard]] const Client& client() const override { return *settings_.client; }
  [[nodiscard]] bool wants_progress() const override {
    return !message().meta.progress_token.absent();
  }
  void progress(double progress, std::optional<double> total, std::string_view message) override;
  [[nodiscard]] std::optional<bool> told_total() const override {
    const Lock lock(mutex_);
    return told_ ? std::optional(told_total_) : std::nullopt;
  }
  // Since the last progress; zero: nothing was told, and nobody expects anything.
  [[nodiscard]] Clock::duration quiet() const {
    const Lock lock(mutex_);
    return told_ ? Clock::now() - last_told_ : Clock::duration::zero();
  }
  void log(LogLevel level, std::string_view logger, std::string_view data) override;
  [[nodiscard]] bool cancelled() const override { return over_; }
  // Cancelled by the client: whatever is found out is not sent.
  [[nodiscard]] bool dropped() const {
    const Lock lock(mutex_);
    return dropped_;
  }
  bool sleep(std::chrono::milliseconds time) override;
  void release_stream() override;

 private:
  const std::string text_;
  const std::shared_ptr<Channel> channel_;
  const Parsed parsed_;
  Settings settings_;
  std::optional<Headers> headers_;
  const ToolSpec* tool_ = nullptr;

  mutable Mutex mutex_;
  Condition changed_;
  std::atomic<bool> over_ = false;  // cancelled, or in a hurry
  bool dropped_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool finished_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool told_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool told_total_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  double last_progress_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  Clock::time_point last_told_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::mcp
