// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/ending_signals.hpp"

#include <csignal>

namespace dragoman::process {

bool hangup_is_ignored() {
  struct sigaction now {};
  return ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void add_ending_signals(boost::asio::signal_set& signals) {
  signals.add(SIGINT);
  signals.add(SIGTERM);
  if (!hangup_is_ignored()) signals.add(SIGHUP);
}

bool SignalEchoes::is_echo() {
  constexpr std::chrono::milliseconds kOneRequest(50);  // nobody presses a key twice in that
  const auto now = std::chrono::steady_clock::now();
  if (heard_ && now - *heard_ < kOneRequest) return true;
  heard_ = now;
  return false;
}

}  // namespace dragoman::process
