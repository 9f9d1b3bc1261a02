// SPDX-License-Identifier: Apache-2.0
// A connection to a NATS cluster that comes back by itself. No word of libnats leaves this pair.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/nats_url.hpp"

namespace dragoman {

struct NatsMessage {
  std::string subject;
  std::string reply;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string data;

  [[nodiscard]] std::string_view header(std::string_view name) const;  // empty: absent
};

class NatsSubscription {
 public:
  virtual ~NatsSubscription() = default;
  [[nodiscard]] virtual const std::string& subject() const = 0;
  // Absent after the timeout.
  [[nodiscard]] virtual Result<std::optional<NatsMessage>> next(std::chrono::milliseconds wait) = 0;
};

// All functions may be called from any thread.
class NatsConnection {
 public:
  // Tries again while no server answers, for at most `patience`; one that refuses us is an error at
  // once. A connection that is lost later is made anew, with a growing pause between tries, for as
  // long as the object lives.
  [[nodiscard]] static Result<std::shared_ptr<NatsConnection>> open(
      const NatsUrl& url, std::chrono::milliseconds patience = {});

  virtual ~NatsConnection() = default;

  // Repeats itself while nobody answers, for at most `patience`: whatever is sent must be harmless
  // to receive twice. `tries` is how often it was sent.
  [[nodiscard]] virtual Result<NatsMessage> request(const NatsMessage& message,
                                                    std::chrono::milliseconds patience,
                                                    int* tries = nullptr) = 0;
  // Without waiting for anybody; `reply` may be empty.
  [[nodiscard]] virtual Result<void> publish(const std::string& subject, const std::string& reply,
                                             std::string_view data) = 0;
  // To a subject that nobody else has.
  [[nodiscard]] virtual Result<std::unique_ptr<NatsSubscription>> inbox() = 0;
  [[nodiscard]] virtual std::size_t max_payload() const = 0;
  [[nodiscard]] virtual std::string server() const = 0;  // the one that is talked to, for people
};

}  // namespace dragoman
