// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/cli/console.hpp"
#include "dragoman/cli/line_source.hpp"
#include "dragoman/cli/unseen_typing.hpp"
#include "dragoman/engine/desk.hpp"

namespace dragoman::cli {

// Asks the person at the terminal, one question after the other, for answers by the grammar of
// run/answer.hpp. What is none asks again, the end of input (Ctrl-D) leaves all questions
// unanswered. The answer to a secret question is not seen while it is typed.
class TerminalDesk final : public engine::Desk {
 public:
  struct Calls {
    // Before something is printed; whether the question stands right above.
    std::function<bool(const KeptQuestion&)> before;
    // When nothing more is typed: before the answer is given on, or when none is wanted any more.
    std::function<void()> after;
    std::function<void(Reply)> answer;
    std::function<void()> end;  // the person answers no more
    // Of an agent that rests: before the person is invited to say more, what the person says, and
    // that there is nothing more to say.
    std::function<void()> before_message = {};
    std::function<void(std::string)> say = {};
    std::function<void()> leave = {};
  };
  // `fd` is the terminal; it is not closed.
  TerminalDesk(boost::asio::io_context& io, Console& console, int fd, Calls calls)
      : io_(io), console_(console), fd_(fd), calls_(std::move(calls)) {}

  void ask(const KeptQuestion& asked, bool due) override;
  void answered(const agent::Answered& answered) override;
  void withdraw(std::string_view id, agent::Withdrawn how) override;

  // The agent rests, and the person may say what it is to do next. Lines that come together, as a
  // paste does, are one message; an empty one, and the end of input, say that there is nothing.
  void invite();
  // It does not any more: a turn has begun without the person, or the agent leaves.
  void dismiss();

 private:
  void show_next();
  void take_message(const std::optional<std::string>& line);
  void end_message();
  void take(const std::optional<std::string>& line);
  void begin_reading();
  void prompt();
  void remove(std::string_view id);
  void end_typing();

  boost::asio::io_context& io_;
  Console& console_;
  int fd_;
  Calls calls_;
  std::unique_ptr<LineSource> lines_;
  std::optional<UnseenTyping> unseen_;  // while a secret is asked for
  std::deque<KeptQuestion> open_;       // the first is the one that is asked
  enum class State : std::uint8_t { quiet, asks, said, listens } state_ = State::quiet;
  std::optional<std::string> message_;  // as far as it was typed
  std::optional<boost::asio::steady_timer> pasting_;
};

// The command that permission is asked for, line by line and safe on a terminal; empty: none.
[[nodiscard]] std::string command_lines(const std::optional<Wants>& wants);

// The question as people read it, safe on a terminal.
[[nodiscard]] std::string question_text(const KeptQuestion& asked, const Console& console);

}  // namespace dragoman::cli
