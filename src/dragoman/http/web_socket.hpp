// SPDX-License-Identifier: Apache-2.0
// A WebSocket to somebody else's server: text in, text out.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/http/client.hpp"

namespace dragoman::http {

// Used by one thread. Every call has an end: sending within the deadline of the options, receiving
// within the time that is given.
class WebSocket {
 public:
  // ws://… to this machine, wss://… to any.
  [[nodiscard]] static Result<std::unique_ptr<WebSocket>> connect(const std::string& url,
                                                                  const ClientFields& fields,
                                                                  const ClientOptions& options);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  [[nodiscard]] Result<void> send(std::string_view text);
  // The next message; absent: none came in time. The error says why none will come any more.
  [[nodiscard]] Result<std::optional<std::string>> receive(std::chrono::milliseconds timeout);

 private:
  class Connection;
  explicit WebSocket(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace dragoman::http
