// SPDX-License-Identifier: Apache-2.0
// Reads a JetStream stream from a sequence on, in a thread of its own, and goes on for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/nats_jetstream.hpp"

namespace dragoman {

// Where to begin for whoever has everything before `seq`. Replicas that were killed can number the
// same messages differently (nats-server 2.9), and the next one to be read from may be another one.
[[nodiscard]] std::uint64_t a_little_before(std::uint64_t seq);

struct FollowerOptions {
  std::string stream;
  std::string filter;  // a subject with wildcards
  std::uint64_t from = 1;
  bool headers_only = false;
  // Messages in the order of the stream, none left out; from the follower's thread. After a pause
  // of the cluster the last ones come once more. False: they cannot be taken now, and come again.
  std::function<bool(const std::vector<JetMessage>&)> take;
};

// Pulls with an ephemeral consumer; when the server forgets it, a message is missing in the
// consumer's own numbering, or messages could not be taken, a new one begins a little before the
// last message that was taken.
class NatsFollower {
 public:
  NatsFollower(JetStream& stream, FollowerOptions options);
  ~NatsFollower();
  NatsFollower(const NatsFollower&) = delete;
  NatsFollower& operator=(const NatsFollower&) = delete;

  // Returns when everything that was stored before the call has been taken.
  [[nodiscard]] Result<void> catch_up(std::chrono::milliseconds patience);

 private:
  void work();
  [[nodiscard]] bool begin();
  [[nodiscard]] bool pull();
  // False: the consumer is of no more use.
  [[nodiscard]] bool receive();
  enum class Met : std::uint8_t { message, end_of_pull, alive, gap };
  [[nodiscard]] Met meet(NatsMessage raw, std::vector<JetMessage>& batch);
  [[nodiscard]] bool hand_over(const std::vector<JetMessage>& batch);
  [[nodiscard]] bool is_gone();

  JetStream& stream_;
  FollowerOptions options_;
  std::unique_ptr<NatsSubscription> inbox_;
  std::uint64_t next_;           // the sequence behind the last that was taken
  std::uint64_t met_ = 0;        // of the consumer's own numbering
  std::size_t outstanding_ = 0;  // of the pull under way
  std::atomic<bool> stop_ = false;
  Mutex mutex_;
  Condition moved_;
  std::string consumer_ DRAGOMAN_GUARDED_BY(mutex_);  // empty: none at this moment
  bool gone_ DRAGOMAN_GUARDED_BY(mutex_) = false;  // the server does not know the consumer any more
  std::uint64_t taken_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace dragoman
