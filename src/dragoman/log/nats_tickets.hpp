// SPDX-License-Identifier: Apache-2.0
// Who should try which key next: a JetStream work queue with one pull consumer for each queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_space.hpp"

namespace dragoman {

// A ticket says that a key waits. The server hands each to one worker at a time, oldest first, and
// to another when it hears nothing for a while. Tickets keep a hundred workers from all reaching
// for the same key; they decide nothing. Who owns a key is decided by its record, and a key whose
// ticket was lost is found there.
class NatsTickets {
 public:
  struct Ticket {
    std::string key;
    std::string reply;  // where the server hears about it
  };

  NatsTickets(JetStream& stream, const NatsSpace& space) : stream_(stream), space_(space) {}

  void issue(std::string_view queue, std::string_view key);
  // Absent when none waits, or the server does not answer at once.
  [[nodiscard]] std::optional<Ticket> next(std::string_view queue);

  void keep(std::uint64_t token, Ticket ticket);
  void still_working(std::uint64_t token);
  void done(std::uint64_t token);
  void give_back(std::uint64_t token);
  // Of a ticket whose key nobody claimed: it is gone, or somebody has it for that long.
  void discard(const Ticket& ticket);
  void later(const Ticket& ticket, std::chrono::milliseconds delay);

 private:
  [[nodiscard]] bool ensure_consumer(std::string_view queue);
  // What the server says: a ticket, or why there is none. Absent: nothing, in a short while.
  [[nodiscard]] std::optional<NatsMessage> pull(std::string_view queue);
  void tell(std::uint64_t token, std::string_view word, bool last);

  JetStream& stream_;
  const NatsSpace& space_;
  Mutex mutex_;
  std::set<std::string, std::less<>> consumers_ DRAGOMAN_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Ticket> held_ DRAGOMAN_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point not_before_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman
