// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_connection.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "dragoman/log/nats_library.hpp"

namespace dragoman {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kOneTry(2000);
constexpr milliseconds kFirstPause(20);
constexpr milliseconds kLongestPause(500);

Error failure(const NatsLibrary& nats, natsStatus status, std::string_view doing) {
  return {ErrorCode::internal, fmt::format("{}: {}", doing, nats.status_text(status)), "store"};
}

// Each try waits twice as long as the last, up to two seconds, and not as long as its neighbours.
std::int64_t reconnect_delay(natsConnection* /*connection*/, int attempts, void* /*closure*/) {
  const int doublings = std::min(attempts, 5);
  const std::int64_t longest = std::int64_t{60} << doublings;
  return longest / 2 + static_cast<std::int64_t>(::clock()) % (longest / 2 + 1);
}

void ignore_error(natsConnection* /*c*/, natsSubscription* /*s*/, natsStatus /*e*/, void* /*x*/) {}

void pause(milliseconds time) {
  const timespec wait{time.count() / 1000, time.count() % 1000 * 1'000'000};
  ::nanosleep(&wait, nullptr);
}

bool passes(natsStatus status) {
  return status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS ||
         status == NATS_CONNECTION_DISCONNECTED || status == NATS_STALE_CONNECTION ||
         status == NATS_IO_ERROR;
}

// No server is there, or it goes down or comes up at this moment.
bool is_away(natsStatus status) {
  return passes(status) || status == NATS_NO_SERVER || status == NATS_CONNECTION_CLOSED;
}

NatsMessage take_message(const NatsLibrary& nats, natsMsg* raw) {
  NatsMessage message;
  const auto text = [](const char* words) { return words == nullptr ? "" : words; };
  message.subject = text(nats.message_subject(raw));
  message.reply = text(nats.message_reply(raw));
  message.data.assign(text(nats.message_data(raw)),
                      static_cast<std::size_t>(nats.message_length(raw)));
  const char** keys = nullptr;
  int count = 0;
  if (nats.header_keys(raw, &keys, &count) == NATS_OK) {
    for (int i = 0; i < count; ++i) {
      const char* value = nullptr;
      if (nats.header_get(raw, keys[i], &value) == NATS_OK)
        message.headers.emplace_back(keys[i], text(value));
    }
    ::free(static_cast<void*>(keys));  // libnats: the array is ours, the words are not
  }
  nats.message_destroy(raw);
  return message;
}

class Connection;

class Subscription final : public NatsSubscription {
 public:
  Subscription(const NatsLibrary& nats, std::shared_ptr<void> connection, natsSubscription* raw,
               std::string subject)
      : nats_(nats), connection_(std::move(connection)), raw_(raw), subject_(std::move(subject)) {}
  ~Subscription() override { nats_.subscription_destroy(raw_); }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  const std::string& subject() const override { return subject_; }
  Result<std::optional<NatsMessage>> next(milliseconds wait) override {
    natsMsg* raw = nullptr;
    const natsStatus status = nats_.next(&raw, raw_, std::max<std::int64_t>(wait.count(), 0));
    if (status == NATS_TIMEOUT) return std::optional<NatsMessage>();
    if (status != NATS_OK) return failure(nats_, status, "read from the cluster");
    return std::optional<NatsMessage>(take_message(nats_, raw));
  }

 private:
  const NatsLibrary& nats_;
  std::shared_ptr<void> connection_;  // must not go before us
  natsSubscription* raw_;
  std::string subject_;
};

class Connection final : public NatsConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(const NatsLibrary& nats, natsConnection* raw) : nats_(nats), raw_(raw) {}
  ~Connection() override { nats_.connection_destroy(raw_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<NatsMessage> request(const NatsMessage& message, milliseconds patience,
                              int* tries) override {
    const auto deadline = Steady::now() + patience;
    for (milliseconds rest = kFirstPause;; rest = std::min(rest * 2, kLongestPause)) {
      if (tries != nullptr) ++*tries;
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - Steady::now());
      natsMsg* raw = nullptr;
      const natsStatus status =
          request_once(message, std::clamp(left, milliseconds(50), kOneTry), &raw);
      if (status == NATS_OK) return take_message(nats_, raw);
      if (!passes(status) || Steady::now() + rest >= deadline)
        return failure(nats_, status, "ask the cluster");
      pause(rest);
    }
  }

  Result<void> publish(const std::string& subject, const std::string& reply,
                       std::string_view data) override {
    const int size = static_cast<int>(data.size());
    const natsStatus status =
        reply.empty()
            ? nats_.publish(raw_, subject.c_str(), data.data(), size)
            : nats_.publish_request(raw_, subject.c_str(), reply.c_str(), data.data(), size);
    if (status != NATS_OK) return failure(nats_, status, "tell the cluster");
    return {};
  }

  Result<std::unique_ptr<NatsSubscription>> inbox() override {
    natsInbox* name = nullptr;
    natsStatus status = nats_.inbox_create(&name);
    if (status != NATS_OK) return failure(nats_, status, "make an inbox");
    std::string subject = name;
    nats_.inbox_destroy(name);
    natsSubscription* raw = nullptr;
    status = nats_.subscribe(&raw, raw_, subject.c_str());
    if (status != NATS_OK) return failure(nats_, status, "subscribe");
    nats_.set_pending_limits(raw, -1, -1);  // we ask for what we get, so it is bounded
    return std::unique_ptr<NatsSubscription>(
        std::make_unique<Subscription>(nats_, shared_from_this(), raw, std::move(subject)));
  }

  std::size_t max_payload() const override {
    return static_cast<std::size_t>(std::max<std::int64_t>(nats_.max_payload(raw_), 64 * 1024));
  }
  std::string server() const override {
    std::array<char, 512> buffer{};
    nats_.connected_url(raw_, buffer.data(), buffer.size());
    std::string url = buffer.data();
    if (const auto at = url.rfind('@'); at != std::string::npos) url.erase(0, at + 1);
    if (const auto at = url.find("://"); at != std::string::npos) url.erase(0, at + 3);
    return url;
  }

 private:
  natsStatus request_once(const NatsMessage& message, milliseconds wait, natsMsg** reply) {
    natsMsg* raw = nullptr;
    natsStatus status =
        nats_.message_create(&raw, message.subject.c_str(), nullptr, message.data.data(),
                             static_cast<int>(message.data.size()));
    for (const auto& [name, value] : message.headers) {
      if (status == NATS_OK) status = nats_.header_set(raw, name.c_str(), value.c_str());
    }
    if (status == NATS_OK) status = nats_.request(reply, raw_, raw, wait.count());
    nats_.message_destroy(raw);
    return status;
  }

  const NatsLibrary& nats_;
  natsConnection* raw_;
};

natsStatus set_options(const NatsLibrary& nats, natsOptions* options, const NatsUrl& url) {
  std::vector<const char*> servers;
  servers.reserve(url.servers.size());
  for (const auto& server : url.servers) servers.push_back(server.c_str());
  natsStatus status = nats.set_servers(options, servers.data(), static_cast<int>(servers.size()));
  const auto then = [&status](auto&& set) {
    if (status == NATS_OK) status = set();
  };
  then([&] { return nats.set_name(options, "dragoman"); });
  then([&] { return nats.set_timeout(options, 3000); });
  then([&] { return nats.set_max_reconnect(options, -1); });
  then([&] { return nats.set_reconnect_delay(options, reconnect_delay, nullptr); });
  then([&] { return nats.set_ping_interval(options, 3000); });
  then([&] { return nats.set_max_pings_out(options, 2); });
  then([&] { return nats.set_fail_requests(options, true); });
  then([&] { return nats.set_error_handler(options, ignore_error, nullptr); });
  if (url.tls) then([&] { return nats.set_secure(options, true); });
  if (!url.ca.empty()) then([&] { return nats.load_ca(options, url.ca.c_str()); });
  if (!url.certificate.empty()) {
    then([&] { return nats.load_certificate(options, url.certificate.c_str(), url.key.c_str()); });
  }
  if (!url.credentials.empty()) {
    then([&] { return nats.set_credentials(options, url.credentials.c_str(), nullptr); });
  }
  return status;
}

natsStatus connect_once(const NatsLibrary& nats, natsConnection** raw, natsOptions* options,
                        const NatsUrl& url) {
  const natsStatus status = nats.connect(raw, options);
  // Now and then a server refuses what the library (3.4) makes of its challenge and good
  // credentials. The next challenge is another one.
  const bool again = status == NATS_CONNECTION_AUTH_FAILED && !url.credentials.empty();
  return again ? nats.connect(raw, options) : status;
}

}  // namespace

std::string_view NatsMessage::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Result<std::shared_ptr<NatsConnection>> NatsConnection::open(const NatsUrl& url,
                                                             milliseconds patience) {
  DRAGOMAN_TRY(const NatsLibrary* nats, nats_library());
  natsOptions* options = nullptr;
  natsStatus status = nats->options_create(&options);
  if (status == NATS_OK) status = set_options(*nats, options, url);
  natsConnection* raw = nullptr;
  const auto deadline = Steady::now() + patience;
  if (status == NATS_OK) status = connect_once(*nats, &raw, options, url);
  for (milliseconds rest = kFirstPause; is_away(status) && Steady::now() + rest < deadline;
       rest = std::min(rest * 2, kLongestPause)) {
    pause(rest);
    status = connect_once(*nats, &raw, options, url);
  }
  nats->options_destroy(options);
  if (status != NATS_OK) {
    return failure(*nats, status, fmt::format("connect to {}", shown(url)));
  }
  return std::shared_ptr<NatsConnection>(std::make_shared<Connection>(*nats, raw));
}

}  // namespace dragoman
