// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_terminal.hpp"

#include <termios.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/show/neutral.hpp"

namespace dragoman::cli {

std::string command_lines(const std::optional<Wants>& wants) {
  std::string out;
  if (!wants) return out;
  std::string command;
  show::append_terminal(command, wants->command);
  std::string_view mark = "$ ";
  for (std::string_view rest = command; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += fmt::format("  {}{}\n", mark, line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    mark = "  ";
  }
  if (wants->cut.value_or(false)) out += fmt::format("  {}\n", kCutNote);
  return out;
}

std::string question_text(const KeptQuestion& asked, const Console& console) {
  std::string out = "\n";
  for (const std::string& line : asked.context) {
    if (!line.empty()) out += fmt::format("  {}\n", console.told(Style::dim, printable(line)));
  }
  // A header that is only the beginning of the question says nothing more.
  const auto& wants = asked.wants.get();
  const std::string text = printable(sentence_of(asked.text, wants));
  const std::string header = printable(asked.header);
  if (header.empty() || text.starts_with(header)) {
    out += console.told(Style::bold, text) + "\n";
  } else {
    out += fmt::format("{} {}\n", console.told(Style::bold, header + ":"), text);
  }
  out += command_lines(wants);
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    const Choice& choice = asked.options[i];
    out += fmt::format("  {} {}", console.told(Style::bold, fmt::format("{}.", i + 1)),
                       printable(choice.label));
    if (!choice.description.empty()) {
      out += console.told(Style::dim, " - " + printable(choice.description));
    }
    out.push_back('\n');
  }
  return out;
}

void TerminalDesk::ask(const KeptQuestion& asked, bool due) {
  if (!due) return;
  const auto known = std::ranges::find(open_, asked.id, &KeptQuestion::id);
  if (known != open_.end()) {
    *known = asked;
    return;
  }
  open_.push_back(asked);
  if (state_ == State::quiet) show_next();
}

void TerminalDesk::show_next() {
  state_ = State::quiet;
  if (open_.empty()) return;
  state_ = State::asks;
  const KeptQuestion& asked = open_.front();
  const bool shown = calls_.before(asked);
  // What was typed before the person has seen the question is no answer to it.
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

void TerminalDesk::begin_reading() {
  auto lines =
      LineSource::open(io_, fd_, [this](const std::optional<std::string>& line) { take(line); });
  if (lines) {
    lines_ = *std::move(lines);
    return;
  }
  console_.tell(fmt::format("\n  {}", lines.error().message));
  boost::asio::post(io_, [this] { take(std::nullopt); });  // never from within the asking
}

void TerminalDesk::invite() {
  if (state_ == State::asks || state_ == State::listens) return;
  calls_.before_message();
  state_ = State::listens;
  if (lines_ == nullptr) (void)::tcflush(fd_, TCIFLUSH);
  console_.tell(
      fmt::format("\n{} ", console_.told(Style::bold, "[your message, or Enter to end]")));
  if (lines_ == nullptr) begin_reading();
}

void TerminalDesk::dismiss() {
  if (state_ != State::listens) return;
  console_.tell("\n");
  end_message();
}

void TerminalDesk::end_message() {
  pasting_.reset();
  message_.reset();
  end_typing();
  show_next();
}

void TerminalDesk::take_message(const std::optional<std::string>& line) {
  constexpr std::chrono::milliseconds kPaste(40);  // between two of its lines
  if (!line) {
    lines_.reset();
    console_.tell("\n");
  }
  const bool blank = !line || line->find_first_not_of(" \t\r") == std::string::npos;
  if (!message_ && blank) {
    end_message();
    return calls_.leave();
  }
  if (line) message_ = message_ ? *message_ + "\n" + *line : *line;
  pasting_.emplace(io_, line ? kPaste : std::chrono::milliseconds(0));
  pasting_->async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || state_ != State::listens) return;
    std::string message = *std::move(message_);
    end_message();
    calls_.say(std::move(message));
  });
}

void TerminalDesk::prompt() {
  const KeptQuestion& asked = open_.front();
  std::string what;
  if (asked.permission()) {
    what = what_would_do(asked);
  } else if (!asked.options.empty()) {
    what = asked.options.size() == 1 ? "1" : fmt::format("1-{}", asked.options.size());
    if (asked.multi_select) what += ", several: 1,2";
    if (asked.free_text) what += ", or your own words";
  } else {
    what = "your answer";
  }
  if (asked.secret) what += "; it is not shown";
  console_.tell(fmt::format("{} ", console_.told(Style::bold, fmt::format("[{}]", what))));
}

void TerminalDesk::take(const std::optional<std::string>& line) {
  if (state_ == State::listens) return take_message(line);
  if (state_ != State::asks) return;  // typed when nothing was asked
  if (!line.has_value()) {
    lines_.reset();
    console_.tell("\n");
    end_typing();
    return calls_.end();
  }
  if (unseen_) console_.tell("\n");  // the Enter was not seen either
  const KeptQuestion& asked = open_.front();
  auto answer = read_answer(asked, *line);
  if (!answer) {
    console_.tell(fmt::format("  {}\n", printable(answer.error().message)));
    return prompt();
  }
  Reply reply{.id = asked.id, .meant = *std::move(answer)};
  end_typing();
  calls_.answer(std::move(reply));
}

void TerminalDesk::answered(const agent::Answered& answered) { remove(answered.asked.id); }
void TerminalDesk::withdraw(std::string_view id, agent::Withdrawn /*how*/) { remove(id); }

void TerminalDesk::remove(std::string_view id) {
  const auto known = std::ranges::find(open_, id, &KeptQuestion::id);
  if (known == open_.end()) return;
  const bool first = known == open_.begin();
  if (first && state_ == State::asks) {
    console_.tell("\n");
    end_typing();
  }
  open_.erase(known);
  if (first) show_next();
}

void TerminalDesk::end_typing() {
  state_ = State::said;
  unseen_.reset();
  calls_.after();
}

}  // namespace dragoman::cli
