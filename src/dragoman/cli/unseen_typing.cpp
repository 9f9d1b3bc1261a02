// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/unseen_typing.hpp"

#include <csignal>

#include "dragoman/cli/screen.hpp"

namespace dragoman::cli {

UnseenTyping::UnseenTyping(boost::asio::io_context& io, int terminal,
                           std::function<void()> continued)
    : echo_(terminal), signals_(io, SIGCONT), continued_(std::move(continued)) {
  if (!stop_is_ignored()) signals_.add(SIGTSTP);
  wait();
  echo_.off();
}

UnseenTyping::~UnseenTyping() = default;

void UnseenTyping::wait() {
  signals_.async_wait([weak = std::weak_ptr<UnseenTyping*>(self_)](
                          const boost::system::error_code& cancelled, int signal) {
    const auto self = weak.lock();
    if (!cancelled && self != nullptr) (*self)->handle(signal);
  });
}

void UnseenTyping::handle(int signal) {
  wait();
  echo_.on();
  if (signal == SIGTSTP) {
    (void)::raise(SIGSTOP);
    return;  // SIGCONT follows
  }
  // Also behind a stop that nobody could handle: the shell had the terminal meanwhile.
  echo_.off();
  continued_();
}

}  // namespace dragoman::cli
