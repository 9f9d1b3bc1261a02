// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/shell_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman::task {

namespace {

// What they are told they run, in their words or their input.
bool runs_input(std::string_view name) {
  constexpr std::array<std::string_view, 10> kShells = {"sh",  "bash", "dash",    "zsh", "ksh",
                                                        "ash", "fish", "busybox", "ssh", "xargs"};
  return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

}  // namespace

// Reads a script once, from its first byte to its last.
class ShellReader {
 public:
  using Sink = std::function<void(const ShellCommand&)>;
  ShellReader(std::string_view script, const Sink& sink) : script_(script), sink_(sink) {
    open_.emplace_back();
  }

  void read() {
    while (at_ < script_.size()) step();
    while (open_.size() > 1) close();
    end_command(Joint::none);
    give_out(0);
  }

 private:
  static constexpr std::size_t kDeepest = 64;  // further inside all commands are of one list
  static constexpr std::size_t kMostHeld = 64;
  static constexpr std::size_t kMostDocuments = 16;

  enum class Joint : bool { none, pipe };
  struct HereDocument {
    std::string end;
    bool tabs = false;      // "<<-": those before a line are no part of it
    std::size_t owner = 0;  // among those held
  };
  // A list of commands: the script, or what stands in $(…) or backticks.
  struct List {
    ShellCommand command;
    bool in_word = false;
    bool quoted = false;  // inside "…"
    char closing = '\0';
    std::size_t parentheses = 0;
    std::vector<ShellCommand> held;  // of a line, as long as more may be known about them
    std::size_t pipe_from = 0;       // those of them whose output the command under way reads
    std::vector<HereDocument> awaited;
  };

  [[nodiscard]] List& top() { return open_.back(); }
  [[nodiscard]] char peek(std::size_t ahead = 1) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = script_[at_];
    if (c == '\\') return escaped();
    if (c == '$' && peek() == '(') return open(')', 2);
    if (c == '`') return top().closing == '`' ? leave() : open('`', 1);
    if (c == '"') {
      top().quoted = !top().quoted;
      top().in_word = true;
      ++at_;
    } else if (top().quoted) {
      add(c);
    } else {
      unquoted(c);
    }
  }

  void unquoted(char c) {
    switch (c) {
      case '\'':
        return literal(false);
      case '$':
        if (peek() != '\'') return add(c);
        ++at_;
        return literal(true);
      case '#':
        if (top().in_word) return add(c);
        at_ = std::min(script_.find('\n', at_), script_.size());
        return;
      case '<':
        if (peek() == '<' && peek(2) != '<') return here_document();
        return separate(c);
      case '(':
        ++top().parentheses;
        return end_at(Joint::none);
      case ')':
        if (top().parentheses == 0 && top().closing == ')') return leave();
        top().parentheses -= std::min<std::size_t>(top().parentheses, 1);
        return end_at(Joint::none);
      case '|':
        return peek() == '|' ? end_at(Joint::none, 2) : end_at(Joint::pipe);
      case '&':
        return peek() == '>' ? separate(c) : end_at(Joint::none);
      case ';':
        return end_at(Joint::none);
      case '\n':
        end_at(Joint::none);
        return take_documents();
      case '>':
        return separate(c);
      case ' ':
      case '\t':
      case '\r':
        end_word();
        ++at_;
        return;
      default:
        return add(c);
    }
  }

  void add(char c) {
    top().command.text_.push_back(c);
    top().in_word = true;
    ++at_;
  }
  // "<", ">>", "&>" and ">&" are words, and no ends of commands.
  void separate(char c) {
    end_word();
    add(c);
    if (at_ < script_.size() && (script_[at_] == c || script_[at_] == '&')) ++at_;
    end_word();
  }
  void escaped() {
    const char next = peek();
    const bool only_here = std::string_view("$`\"\\\n").find(next) == std::string_view::npos;
    if (top().quoted && only_here) return add('\\');
    ++at_;
    if (at_ >= script_.size()) return;
    if (next == '\n') {
      ++at_;
    } else {
      add(next);
    }
  }
  // '…', and $'…' with escapes
  void literal(bool escapes) {
    top().in_word = true;
    for (++at_; at_ < script_.size() && script_[at_] != '\''; ++at_) {
      if (escapes && script_[at_] == '\\' && at_ + 1 < script_.size()) ++at_;
      top().command.text_.push_back(script_[at_]);
    }
    ++at_;
  }

  void open(char closing, std::size_t length) {
    if (open_.size() == kDeepest) return end_at(Joint::none, length);
    top().in_word = true;
    at_ += length;
    open_.emplace_back();
    top().closing = closing;
  }
  void leave() {
    ++at_;
    close();
  }
  void close() {
    end_command(Joint::none);
    give_out(0);
    open_.pop_back();
  }

  void end_word() {
    ShellCommand& command = top().command;
    if (top().in_word) command.ends_.push_back(static_cast<std::uint32_t>(command.text_.size()));
    top().in_word = false;
  }
  void end_at(Joint joint, std::size_t length = 1) {
    end_command(joint);
    at_ += length;
  }
  void end_command(Joint joint) {
    end_word();
    List& list = top();
    const std::size_t words = list.command.size();
    const bool owns = !list.awaited.empty() && list.awaited.back().owner == list.held.size();
    if (words == 0 && !owns) return;
    bool runs = false;
    for (std::size_t i = 0; i < words && !runs; ++i)
      runs = runs_input(program_name(list.command[i]));
    for (; runs && list.pipe_from < list.held.size(); ++list.pipe_from)
      list.held[list.pipe_from].feeds_shell = true;
    list.held.push_back(std::exchange(list.command, {}));
    if (joint == Joint::none) list.pipe_from = list.held.size();
    if (joint == Joint::none && list.awaited.empty()) return give_out(0);
    if (list.held.size() > kMostHeld) give_out(kMostHeld / 2);
  }
  // All but the last. Nothing more will be known of them, so they may feed a shell.
  void give_out(std::size_t but) {
    List& list = top();
    const std::size_t count = list.held.size() - std::min(but, list.held.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (but > 0) list.held[i].feeds_shell = true;
      sink_(list.held[i]);
    }
    list.held.erase(list.held.begin(), list.held.begin() + static_cast<std::ptrdiff_t>(count));
    list.pipe_from -= std::min(list.pipe_from, count);
    for (HereDocument& document : list.awaited) document.owner -= std::min(document.owner, count);
  }

  void here_document() {
    end_word();
    at_ += 2;
    HereDocument document;
    document.owner = top().held.size();  // where the command under way will be
    document.tabs = at_ < script_.size() && script_[at_] == '-';
    if (document.tabs) ++at_;
    while (at_ < script_.size() && (script_[at_] == ' ' || script_[at_] == '\t')) ++at_;
    for (; at_ < script_.size(); ++at_) {
      const char c = script_[at_];
      if (std::string_view(" \t\r\n;&|<>()").find(c) != std::string_view::npos) break;
      if (c != '\'' && c != '"' && c != '\\') document.end.push_back(c);
    }
    if (top().awaited.size() < kMostDocuments) top().awaited.push_back(std::move(document));
  }

  // Behind the end of their line.
  void take_documents() {
    for (const HereDocument& document : std::exchange(top().awaited, {})) {
      const std::size_t begin = at_;
      std::size_t behind = at_;
      while (at_ < script_.size()) {
        const std::size_t end = std::min(script_.find('\n', at_), script_.size());
        std::string_view line = script_.substr(at_, end - at_);
        at_ = std::min(end + 1, script_.size());
        while (document.tabs && line.starts_with('\t')) line.remove_prefix(1);
        if (line == document.end) break;
        behind = at_;
      }
      if (document.owner < top().held.size())
        top().held[document.owner].input = script_.substr(begin, behind - begin);
    }
    if (top().pipe_from == top().held.size()) give_out(0);
  }

  std::string_view script_;
  std::size_t at_ = 0;
  std::vector<List> open_;
  const Sink& sink_;
};

void read_shell(std::string_view script, const std::function<void(const ShellCommand&)>& sink) {
  ShellReader(script, sink).read();
}

std::string_view program_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

}  // namespace dragoman::task
