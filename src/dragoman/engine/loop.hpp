// SPDX-License-Identifier: Apache-2.0
// Time and turns, as a run sees them: a test moves both by hand.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "dragoman/event/event.hpp"

namespace dragoman::engine {

class Timer {
 public:
  virtual ~Timer() = default;
  // Calls once, later; a call that waits already is forgotten.
  virtual void after(std::chrono::milliseconds wait, std::function<void()> call) = 0;
  virtual void cancel() = 0;
};

// Everything that is to happen later happens through a loop, in its one thread.
class Loop {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Loop() = default;
  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual Timestamp wall() const = 0;  // as events have it
  virtual void post(std::function<void()> call) = 0;
  [[nodiscard]] virtual std::unique_ptr<Timer> timer() = 0;
};

// `io` must outlive it.
class AsioLoop final : public Loop {
 public:
  explicit AsioLoop(boost::asio::io_context& io) : io_(io) {}
  [[nodiscard]] Time now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] Timestamp wall() const override;
  void post(std::function<void()> call) override;
  [[nodiscard]] std::unique_ptr<Timer> timer() override;

 private:
  boost::asio::io_context& io_;
};

// The time of day, for those who have no loop.
[[nodiscard]] Timestamp wall_clock();

}  // namespace dragoman::engine
