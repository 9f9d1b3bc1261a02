// SPDX-License-Identifier: Apache-2.0
// Queues of a fleet: every item is a record, and whoever changes it first owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/log/nats_follower.hpp"
#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_space.hpp"
#include "dragoman/log/nats_tickets.hpp"

namespace dragoman {

// A claim replaces the item's record on its expected revision; the token is the revision that was
// replaced, so no two claims ever have the same. A heartbeat replaces it again. The lease runs from
// the time at which the server stored the record, and is judged by the server's time.
class NatsQueue {
 public:
  using Milliseconds = std::chrono::milliseconds;

  NatsQueue(JetStream& stream, const NatsSpace& space);

  [[nodiscard]] Result<void> add(std::string_view queue, std::string_view key);
  [[nodiscard]] Result<void> remove(std::string_view queue, std::string_view key);
  [[nodiscard]] Result<std::optional<Claim>> claim(std::string_view queue, std::string_view owner,
                                                   Milliseconds lease, std::size_t limit);
  [[nodiscard]] Result<bool> heartbeat(const Claim& claim, Milliseconds lease);
  [[nodiscard]] Result<bool> finish(const Claim& claim);
  [[nodiscard]] Result<bool> give_back(const Claim& claim);
  [[nodiscard]] Result<std::vector<QueueItem>> items(std::string_view queue);

 private:
  struct Value {
    std::int64_t place = 0;  // the revision it came with; 0: this one
    std::int64_t token = 0;  // 0: waiting
    std::int64_t attempts = 0;
    std::int64_t lease_ms = 0;
    std::string owner;

    template <typename Self, typename V>
    static void fields(Self& s, V&& v) {
      v("place", s.place);
      v("token", s.token);
      v("attempts", s.attempts);
      v("lease_ms", s.lease_ms);
      v("owner", s.owner);
    }
  };
  struct Item {
    std::uint64_t revision = 0;
    std::int64_t stored_ms = 0;  // by the server's clock
    Value value;

    [[nodiscard]] std::int64_t place() const {
      return value.place != 0 ? value.place : static_cast<std::int64_t>(revision);
    }
  };
  struct Candidate {
    std::string key;
    Item item;
    std::optional<NatsTickets::Ticket> ticket;
  };
  // Keys by place, those that wait apart from those that somebody has; and everything by key.
  struct Waiting {
    std::map<std::int64_t, std::string> free;
    std::map<std::int64_t, std::string> held;
    std::map<std::string, Item, std::less<>> items;
    std::int64_t next_expiry = 0;  // no lease of `held` ends before this time
    std::string doubted;           // the key that the server was asked about last
    std::chrono::steady_clock::time_point doubted_at;

    void take_out(const Item& item);
  };
  // A key that the server is being asked about.
  struct Asked {
    std::string_view queue;
    std::string_view key;
    bool overtaken = false;  // the follower has brought something about it meanwhile
  };

  void take(const std::vector<JetMessage>& messages);
  void forget(const JetMessage& message);
  enum class Standing : std::uint8_t { if_newer, whatever_we_have };
  void put_item(std::string_view queue, std::string_view key, const Item& item, Standing standing)
      DRAGOMAN_REQUIRES(mutex_);
  void remove_item(std::string_view queue, std::string_view key, std::uint64_t revision)
      DRAGOMAN_REQUIRES(mutex_);
  void set(std::string_view queue, std::string_view key, const Item& item);
  void erase(std::string_view queue, std::string_view key, std::uint64_t revision);
  // Asks the server, whose answer replaces what we have, unless the follower was faster.
  [[nodiscard]] Result<std::optional<Item>> refresh(std::string_view queue, std::string_view key);
  [[nodiscard]] std::optional<Item> find(std::string_view queue, std::string_view key);
  [[nodiscard]] bool expired(const Item& item, std::int64_t now) const;
  [[nodiscard]] bool full(std::string_view queue, std::size_t limit);
  [[nodiscard]] std::optional<std::string> one_in_doubt(std::string_view queue);
  [[nodiscard]] std::optional<Candidate> left_behind(std::string_view queue);
  [[nodiscard]] std::optional<Candidate> oldest(std::string_view queue);
  [[nodiscard]] Result<std::optional<Candidate>> by_ticket(std::string_view queue);
  [[nodiscard]] Result<std::optional<Claim>> take_candidate(std::string_view queue,
                                                            std::string_view owner,
                                                            Milliseconds lease, Candidate chosen);
  [[nodiscard]] Result<bool> look_again();
  // Replaces the record of a claim that is still ours; without a value it is removed.
  [[nodiscard]] Result<bool> change(const Claim& claim,
                                    const std::function<std::optional<Value>(Value)>& next);

  JetStream& stream_;
  const NatsSpace& space_;
  NatsTickets tickets_;
  Mutex mutex_;
  std::map<std::string, Waiting, std::less<>> queues_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t seen_ DRAGOMAN_GUARDED_BY(mutex_) = 0;  // everything up to here is in queues_
  std::list<Asked> asked_ DRAGOMAN_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point caught_up_ DRAGOMAN_GUARDED_BY(mutex_);
  NatsFollower follower_;  // last: its thread uses the rest
};

}  // namespace dragoman
