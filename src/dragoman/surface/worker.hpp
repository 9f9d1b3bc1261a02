// SPDX-License-Identifier: Apache-2.0
// One surface at work: what is to be shown there is shown, what is answered there reaches the desk.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dragoman/ask/desk.hpp"
#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/surface/outbox.hpp"
#include "dragoman/surface/policy.hpp"
#include "dragoman/surface/settings.hpp"
#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

// Everything happens in run(), in a thread of its own: a surface that has to wait keeps nobody else
// waiting. Of all processes that work on the same store one at a time works on a surface: the one
// that holds its lease.
class Worker {
 public:
  Worker(Log& log, const Settings& settings, const SurfaceSettings& mine,
         std::chrono::milliseconds lease, std::function<void()> answered);

  void run(const std::stop_token& stop);
  // From another thread: keeps the lease.
  void heartbeat();
  // From another thread: whether something that should be on the surface is not there yet.
  [[nodiscard]] bool outstanding();
  // From another thread: how often it has looked at everything; absent: another process does.
  [[nodiscard]] std::optional<std::uint64_t> looks();

 private:
  [[nodiscard]] bool hold_lease();
  void let_go();
  [[nodiscard]] bool make(const std::stop_token& stop);
  [[nodiscard]] Result<void> sync();
  [[nodiscard]] Result<void> want_questions();
  [[nodiscard]] Result<void> want_runs();
  [[nodiscard]] Result<void> want_run(const task::Task& task);
  [[nodiscard]] Result<void> want(Delivery delivery);
  [[nodiscard]] Result<Message> truth(const Delivery& delivery);
  [[nodiscard]] Result<void> step(Delivery delivery);
  [[nodiscard]] Result<void> post(Delivery& delivery, const Message& message);
  [[nodiscard]] Result<void> look(Delivery& delivery, const Message& message);
  [[nodiscard]] Result<void> edit(Delivery& delivery, const Message& message);
  [[nodiscard]] Result<void> posted(Delivery& delivery, const Message& message, std::string id);
  [[nodiscard]] Result<void> take_answers();
  [[nodiscard]] Result<void> take(const Incoming& incoming);

  Log& log_;
  const Settings& settings_;
  const SurfaceSettings& mine_;
  std::chrono::milliseconds lease_;
  std::function<void()> answered_;
  ask::Desk desk_;
  Outbox outbox_;
  std::unique_ptr<Surface> surface_;
  std::int64_t since_ = 0;
  std::int64_t polled_ = 0;
  std::uint64_t tasks_seen_ = 0;
  std::vector<Shown> open_;  // as of the last sync

  std::atomic<std::uint64_t> looks_ = 0;

  Mutex mutex_;
  std::optional<Claim> claim_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::surface
