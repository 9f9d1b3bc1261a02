// SPDX-License-Identifier: Apache-2.0
// The signals by which we are asked to end.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <optional>

namespace dragoman::process {

// SIGHUP that was ignored when we were started (nohup) stays ignored.
[[nodiscard]] bool hangup_is_ignored();

// Adds SIGINT, SIGTERM and SIGHUP.
void add_ending_signals(boost::asio::signal_set& signals);

// timeout(1) signals us and then our whole group, a terminal that is closed does so and its shell
// as well: whoever takes the second signal for a second request ends everything at once.
class SignalEchoes {
 public:
  // Whether the signal that has come belongs to the one before it.
  [[nodiscard]] bool is_echo();

 private:
  std::optional<std::chrono::steady_clock::time_point> heard_;
};

}  // namespace dragoman::process
