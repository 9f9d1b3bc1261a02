// SPDX-License-Identifier: Apache-2.0
// Carries the agents' questions to people wherever they are, and the first valid answer back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/log/log.hpp"
#include "dragoman/surface/settings.hpp"
#include "dragoman/surface/worker.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::surface {

struct BrokerOptions {
  Settings settings;
  std::vector<std::string> only;  // these surfaces; empty: all
  std::chrono::milliseconds lease{std::chrono::seconds(10)};
};

// A thread for each surface and one for the policy. Any number of brokers may work on one store, in
// any processes: a lease in the log decides who works on which surface. What is under way when a
// process dies is taken over by the next.
class Broker {
 public:
  // `service` must outlive it; it is asked to submit what is retried and to wake who waits.
  Broker(task::Service& service, BrokerOptions options);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // Waits until everything that is to be shown is shown, or the time is up.
  void settle(std::chrono::milliseconds patience);

 private:
  void keep_order(const std::stop_token& stop);
  void answer_by_policy();
  void retry_failures();
  [[nodiscard]] Result<void> retry(const ask::QuestionRecord& question);
  [[nodiscard]] Result<void> tell_no_retry(const ask::QuestionRecord& question,
                                           const LogRecord& mark, const Error& why);

  task::Service& service_;
  Log& log_;
  BrokerOptions options_;
  std::uint64_t questions_seen_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
};

}  // namespace dragoman::surface
