// SPDX-License-Identifier: Apache-2.0
// The signals by which we are asked to end.
#pragma once

#include <boost/asio/signal_set.hpp>

namespace dragoman::process {

// SIGHUP that was ignored when we were started (nohup) stays ignored.
[[nodiscard]] bool hangup_is_ignored();

// Adds SIGINT, SIGTERM and SIGHUP.
void add_ending_signals(boost::asio::signal_set& signals);

}  // namespace dragoman::process
