// SPDX-License-Identifier: Apache-2.0
// JetStream's requests, as far as the log needs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/nats_connection.hpp"
#include "dragoman/log/server_clock.hpp"

namespace dragoman {

// A message as the server stored it.
struct JetMessage {
  std::string subject;
  std::uint64_t seq = 0;
  std::int64_t time_ms = 0;  // the server's clock when it was stored
  std::vector<std::pair<std::string, std::string>> headers;
  std::string data;

  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::uint64_t number(std::string_view name) const;  // 0: absent
};

struct JetPublish {
  std::string subject;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string data;
  std::uint64_t expected = 0;  // the last sequence of this subject; 0: it has none
  std::string id = {};         // what a server knows a repetition by; empty: subject and expected
};

struct JetStored {
  bool applied = false;   // false: the subject's last sequence is another one
  std::uint64_t seq = 0;  // where it was stored
};

struct StreamState {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::int64_t replicas = 1;
  std::string created;
  std::string leader;               // empty: no cluster, or none at this moment
  std::vector<std::string> behind;  // replicas that do not keep up
};

class JetStream {
 public:
  explicit JetStream(std::shared_ptr<NatsConnection> connection,
                     std::chrono::milliseconds patience = std::chrono::seconds(10))
      : connection_(std::move(connection)), patience_(patience) {}

  // The reply's JSON. An error of the server has its number in Error::details.
  [[nodiscard]] Result<std::string> api(const std::string& what, std::string json);

  // Makes the stream where there is none. `config` is the inside of a JSON object without name and
  // replicas.
  [[nodiscard]] Result<void> ensure_stream(const std::string& name, std::string_view config,
                                           std::int64_t replicas);
  [[nodiscard]] Result<std::optional<StreamState>> state(const std::string& stream);

  [[nodiscard]] Result<std::optional<JetMessage>> last_of(const std::string& stream,
                                                          std::string_view subject);
  // The first message of the subject at or behind `seq`.
  [[nodiscard]] Result<std::optional<JetMessage>> next_of(const std::string& stream,
                                                          std::string_view subject,
                                                          std::uint64_t seq);
  // Stored once, or refused because the subject has moved on. Of two that expect the same sequence
  // at most one is stored.
  [[nodiscard]] Result<JetStored> publish(const std::string& stream, JetPublish message);
  // Is told of everything that was stored, from whichever thread published it. To be set before
  // the first of them.
  using Witness = std::function<void(const std::string& stream, JetPublish message)>;
  void set_witness(Witness witness) { witness_ = std::move(witness); }

  // Removes the messages of the subject in front of `seq`, one by one: see gone_headers().
  [[nodiscard]] Result<void> remove_before(const std::string& stream, std::string_view subject,
                                           std::uint64_t seq);

  [[nodiscard]] NatsConnection& connection() { return *connection_; }
  [[nodiscard]] ServerClock& clock() { return clock_; }
  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

 private:
  [[nodiscard]] Result<JetStored> store(const std::string& stream, const JetPublish& message);
  [[nodiscard]] Result<std::optional<JetMessage>> message(const std::string& stream,
                                                          std::string json);
  [[nodiscard]] Result<bool> is_ours(const std::string& stream, std::uint64_t seq,
                                     std::string_view by);

  std::shared_ptr<NatsConnection> connection_;
  std::chrono::milliseconds patience_;
  ServerClock clock_;
  Witness witness_;
};

// The member's raw JSON, empty when there is none; and what it says.
[[nodiscard]] std::string_view json_member(std::string_view json, std::string_view name);
[[nodiscard]] std::string json_text(std::string_view raw);
[[nodiscard]] std::int64_t json_number(std::string_view raw);

// The server's number of an error of api(): 10059 is "stream not found".
[[nodiscard]] std::int64_t server_error(const Error& error);

}  // namespace dragoman
