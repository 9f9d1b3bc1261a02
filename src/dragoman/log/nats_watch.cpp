// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_watch.hpp"

#include <algorithm>
#include <functional>

namespace dragoman {

namespace {
// A second look every now and then covers what came before the watch had begun.
constexpr std::chrono::milliseconds kLongestWait(1000);
}  // namespace

NatsWatch::NatsWatch(JetStream& stream, const NatsSpace& space) {
  for (const auto& [name, filter] : {std::pair(space.bucket_stream(), space.everything()),
                                     std::pair(space.event_stream(), space.events())}) {
    const auto state = stream.state(name);
    FollowerOptions options;
    options.stream = name;
    options.filter = filter;
    options.from = state && *state ? (*state)->last + 1 : 1;
    options.headers_only = true;
    options.take = [this](const std::vector<JetMessage>& messages) {
      saw(messages);
      return true;
    };
    followers_.push_back(std::make_unique<NatsFollower>(stream, std::move(options)));
  }
}

std::size_t NatsWatch::counter_of(std::string_view subject) {
  return std::hash<std::string_view>()(subject) % kCounters;
}

void NatsWatch::saw(const std::vector<JetMessage>& messages) {
  {
    const Lock lock(mutex_);
    for (const auto& message : messages) ++counters_[counter_of(message.subject)];
    all_ += messages.size();
  }
  changed_.notify_all();
}

std::uint64_t NatsWatch::count(std::string_view subject) {
  const Lock lock(mutex_);
  return counters_[counter_of(subject)];
}

std::uint64_t NatsWatch::count() {
  const Lock lock(mutex_);
  return all_;
}

std::uint64_t NatsWatch::wait(std::string_view subject, std::uint64_t seen, Milliseconds timeout) {
  const std::size_t which = counter_of(subject);
  const auto deadline = std::chrono::steady_clock::now() + std::min(timeout, kLongestWait);
  Lock lock(mutex_);
  while (counters_[which] == seen) {
    if (changed_.wait_until(lock.mutex(), deadline) == std::cv_status::timeout) break;
  }
  return counters_[which];
}

std::uint64_t NatsWatch::wait(std::uint64_t seen, Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + std::min(timeout, kLongestWait);
  Lock lock(mutex_);
  while (all_ == seen) {
    if (changed_.wait_until(lock.mutex(), deadline) == std::cv_status::timeout) break;
  }
  return all_;
}

}  // namespace dragoman
