// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/agent/asker.hpp"
#include "dragoman/cli/console.hpp"
#include "dragoman/cli/line_source.hpp"
#include "dragoman/cli/unseen_typing.hpp"

namespace dragoman::cli {

// Asks the person at the terminal: a number, several with commas between, or words. An empty line
// asks again, the end of input (Ctrl-D) leaves the question unanswered. The answer to a secret
// question is not seen while it is typed.
class TerminalAsker final : public agent::Asker {
 public:
  // `fd` is the terminal; it is not closed. `before` is called before something is printed and says
  // whether the question stands right above; `after` when nothing more is typed: before the answer
  // is given on, or when none is wanted any more.
  using Before = std::function<bool(const agent::Asked&)>;
  TerminalAsker(boost::asio::io_context& io, Console& console, int fd, Before before,
                std::function<void()> after)
      : io_(io), console_(console), fd_(fd), before_(std::move(before)), after_(std::move(after)) {}

  void ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) override;
  void withdraw(agent::Withdrawn how) override;

 private:
  void take(const std::optional<std::string>& line);
  void begin_reading();
  void prompt();
  void finish(std::optional<Answer> answer);
  void end_typing();

  boost::asio::io_context& io_;
  Console& console_;
  int fd_;
  Before before_;
  std::function<void()> after_;
  std::unique_ptr<LineSource> lines_;
  std::optional<UnseenTyping> unseen_;  // while a secret is asked for
  agent::Asked asked_;
  std::function<void(std::optional<Answer>)> done_;
};

// The question as people read it, safe on a terminal.
[[nodiscard]] std::string question_text(const agent::Asked& asked, const Console& console);

}  // namespace dragoman::cli
