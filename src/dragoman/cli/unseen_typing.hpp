// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <memory>

#include "dragoman/show/terminal_echo.hpp"

namespace dragoman::cli {

// As long as it lives, what is typed at the terminal is not shown. Whoever stops us gets the
// terminal as it was; `continued` is called when we have it back, unseen again.
class UnseenTyping {
 public:
  // In the place of whoever handled SIGTSTP.
  UnseenTyping(boost::asio::io_context& io, int terminal, std::function<void()> continued);
  ~UnseenTyping();
  UnseenTyping(const UnseenTyping&) = delete;
  UnseenTyping& operator=(const UnseenTyping&) = delete;

 private:
  void wait();
  void handle(int signal);

  show::TerminalEcho echo_;
  boost::asio::signal_set signals_;
  std::function<void()> continued_;
  // A signal that came before our end may be told after it.
  std::shared_ptr<UnseenTyping*> self_ = std::make_shared<UnseenTyping*>(this);
};

}  // namespace dragoman::cli
