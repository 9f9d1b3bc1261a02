// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_terminal.hpp"

#include <termios.h>

#include <boost/asio/post.hpp>

#include <fmt/format.h>

namespace dragoman::cli {

std::string question_text(const agent::Asked& asked, const Console& console) {
  std::string out = "\n";
  for (const std::string& line : asked.context) {
    if (!line.empty()) out += fmt::format("  {}\n", console.told(Style::dim, printable(line)));
  }
  // A header that is only the beginning of the question says nothing more.
  const std::string text = printable(asked.text);
  const std::string header = printable(asked.header);
  if (header.empty() || text.starts_with(header)) {
    out += console.told(Style::bold, text) + "\n";
  } else {
    out += fmt::format("{} {}\n", console.told(Style::bold, header + ":"), text);
  }
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    const agent::Choice& choice = asked.options[i];
    out += fmt::format("  {} {}", console.told(Style::bold, fmt::format("{}.", i + 1)),
                       printable(choice.label));
    if (!choice.description.empty()) {
      out += console.told(Style::dim, " - " + printable(choice.description));
    }
    out.push_back('\n');
  }
  return out;
}

void TerminalAsker::ask(const agent::Asked& asked,
                        std::function<void(std::optional<Answer>)> done) {
  const bool shown = before_(asked);
  asked_ = asked;
  done_ = std::move(done);
  // What was typed before anybody has seen the question is no answer to it.
  if (lines_ == nullptr) (void)::tcflush(fd_, TCIFLUSH);
  if (!shown) console_.tell(question_text(asked, console_));
  if (asked.secret) {
    unseen_.emplace(io_, fd_, [this] {
      console_.tell("\n");
      prompt();
    });
  }
  prompt();
  if (lines_ == nullptr) begin_reading();
}

void TerminalAsker::begin_reading() {
  auto lines =
      LineSource::open(io_, fd_, [this](const std::optional<std::string>& line) { take(line); });
  if (lines) {
    lines_ = *std::move(lines);
    return;
  }
  console_.tell(fmt::format("\n  {}", lines.error().message));
  boost::asio::post(io_, [this] { take(std::nullopt); });  // never from within the asking
}

void TerminalAsker::prompt() {
  std::string what;
  if (!asked_.options.empty()) {
    what = asked_.options.size() == 1 ? "1" : fmt::format("1-{}", asked_.options.size());
    if (asked_.multi_select) what += ", several: 1,2";
    if (asked_.free_text) what += ", or your own words";
  } else {
    what = "your answer";
  }
  if (asked_.secret) what += "; it is not shown";
  console_.tell(fmt::format("{} ", console_.told(Style::bold, fmt::format("[{}]", what))));
}

void TerminalAsker::take(const std::optional<std::string>& line) {
  if (!done_) return;  // typed when nothing was asked
  if (!line.has_value()) {
    lines_.reset();
    console_.tell("\n");
    finish(std::nullopt);
    return;
  }
  if (unseen_) console_.tell("\n");  // the Enter was not seen either
  auto answer = agent::read_answer(asked_, *line);
  if (!answer) {
    console_.tell(fmt::format("  {}\n", printable(answer.error().message)));
    prompt();
    return;
  }
  finish(*std::move(answer));
}

void TerminalAsker::finish(std::optional<Answer> answer) {
  end_typing();
  std::exchange(done_, nullptr)(std::move(answer));
}

void TerminalAsker::withdraw(agent::Withdrawn /*how*/) {
  if (!done_) return;
  done_ = nullptr;
  console_.tell("\n");
  end_typing();
}

void TerminalAsker::end_typing() {
  unseen_.reset();
  after_();
}

}  // namespace dragoman::cli
