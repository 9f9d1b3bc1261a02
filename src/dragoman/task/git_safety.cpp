// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_safety.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/framing/block_structure.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/task/git_verbs.hpp"
#include "dragoman/task/shell_words.hpp"

namespace dragoman::task {

namespace {

bool among(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Where a command ends: shell separators, quotes, the end of a sentence.
bool ends_command(std::string_view line, std::size_t at) {
  switch (line[at]) {
    case ';':
    case '|':
    case '&':
    case '`':
    case '"':
    case '\'':
    case ')':
      return true;
    case '.':
      if (at > 0 && is_blank(line[at - 1])) return false;  // "git checkout ."
      [[fallthrough]];
    case '?':
    case '!':
    case ',':
      return at + 1 == line.size() || line[at + 1] == ' ';
    default:
      return false;
  }
}

bool word_starts(std::string_view line, std::size_t at) {
  return at == 0 || (!ascii::is_alnum(line[at - 1]) && line[at - 1] != '.' && line[at - 1] != '-' &&
                     line[at - 1] != '_');
}

struct Candidate {
  std::size_t at;
  GitVerdict verdict;
  bool is_git;  // or rm
};

// What would be risky if it was a command; the last one first.
std::vector<Candidate> candidates_in(std::string_view line) {
  std::vector<Candidate> found;
  WordsBehind behind;
  std::size_t end = line.size();
  for (std::size_t at = line.size() + 1; at-- > 0;) {
    const bool separated = at > 0 && ends_command(line, at - 1);
    if (at > 0 && !separated && !is_blank(line[at - 1])) continue;
    if (at < end) {
      const std::string_view word = line.substr(at, end - at);
      const bool is_git = word.ends_with("git");
      const std::size_t start = end - std::min<std::size_t>(word.size(), is_git ? 3 : 2);
      if ((is_git || word.ends_with("rm")) && end < line.size() && line[end] == ' ' &&
          word_starts(line, start)) {
        const GitVerdict verdict = is_git ? behind.as_git() : behind.as_rm();
        if (verdict.tier != GitTier::safe) found.push_back({start, verdict, is_git});
      }
      behind.add(word);
    }
    if (separated) behind = {};
    if (at > 0) end = at - 1;
  }
  return found;
}

enum class Cue : std::uint8_t { none, command, prose };

Cue cue_of(std::string_view word) {
  if (among(word, {"run",     "execute", "use",    "do",   "call",   "perform", "then",  "and",
                   "with",    "via",     "please", "just", "should", "must",    "first", "next",
                   "finally", "now",     ":",      ";",    "&&",     "||",      "|"}))
    return Cue::command;
  if (among(word, {"explain", "describe", "document", "what", "why", "how", "when", "difference",
                   "compare", "never", "not", "don't", "avoid", "without", "instead"}))
    return Cue::prose;
  return Cue::none;
}

// Prefixes of a command: "sudo", "VAR=x", "$", "> ", bullets and numbers.
bool is_mark(std::string_view word) {
  return among(word, {"$", ">", "-", "*", "+", "sudo", "env", "command", "exec", "xargs", "`"}) ||
         word.find('=') != std::string_view::npos ||
         (word.size() > 1 && (word.back() == '.' || word.back() == ')') &&
          ascii::is_digit(word.front()));
}

// Tells commands from words about them, going through a line once.
class Reading {
 public:
  explicit Reading(std::string_view line) : line_(line) {}

  // Whether a command begins there. `at` only grows.
  bool is_command(std::size_t at) {
    for (; read_ < at; ++read_) read(line_[read_]);
    Reading here = *this;
    here.end_word();
    if (here.cue_ != Cue::none) return here.cue_ == Cue::command;
    return in_span_ || begins_line(at);
  }

 private:
  // In a sentence; separators are words of their own.
  void read(char c) {
    const char next = read_ + 1 < line_.size() ? line_[read_ + 1] : '\0';
    if (c == '`') in_span_ = !in_span_;
    if ((c == '.' || c == '?' || c == '!') && next == ' ') {
      word_.clear();
      cue_ = before_ = before_that_ = Cue::none;
    } else if (ascii::is_alnum(c) || c == '\'' || c == '-') {
      if (word_.size() < kLongestCue) word_.push_back(ascii::lower(c));
    } else {
      end_word();
      if (c == ':' || c == ';' || c == '|' || (c == '&' && next == '&')) add(Cue::command);
    }
  }
  void end_word() {
    if (!word_.empty()) add(cue_of(word_));
    word_.clear();
  }
  // The last cue counts, unless it is one of "never use", "how to use".
  void add(Cue cue) {
    const bool about = before_ == Cue::prose || before_that_ == Cue::prose;
    if (cue != Cue::none) cue_ = about ? Cue::prose : cue;
    before_that_ = before_;
    before_ = cue;
  }
  bool begins_line(std::size_t at) {
    std::size_t word = at;
    while (word > 0 && !is_blank(line_[word - 1])) --word;
    for (std::size_t end = marks_; only_marks_ && marks_ < word; marks_ = end) {
      while (end < word && is_blank(line_[end])) ++end;
      const std::size_t from = end;
      while (end < word && !is_blank(line_[end])) ++end;
      only_marks_ &= end == from || is_mark(line_.substr(from, end - from));
    }
    return only_marks_ && (word == at || is_mark(line_.substr(word, at - word)));
  }

  static constexpr std::size_t kLongestCue = 12;  // longer words are none

  std::string_view line_;
  std::size_t read_ = 0;
  std::size_t marks_ = 0;  // up to here words were looked at for being marks
  bool only_marks_ = true;
  std::string word_;     // in lower case
  Cue cue_ = Cue::none;  // what the sentence says so far
  Cue before_ = Cue::none;
  Cue before_that_ = Cue::none;
  bool in_span_ = false;
};

void add(GitRisk& sum, const GitVerdict& one) {
  if (one.tier == GitTier::safe) return;
  sum.tier = std::max(sum.tier, one.tier);
  if (std::find(sum.operations.begin(), sum.operations.end(), one.what) == sum.operations.end())
    sum.operations.emplace_back(one.what);
}

void judge_prose(std::string_view line, GitRisk& sum) {
  std::vector<Candidate> candidates = candidates_in(line);
  std::reverse(candidates.begin(), candidates.end());
  Reading reading(line);
  for (const Candidate& candidate : candidates) {
    // A path before it belongs to it: /usr/bin/git.
    std::size_t begin = candidate.at;
    while (candidate.is_git && begin > 0 && !is_blank(line[begin - 1]) && line[begin - 1] != '`')
      --begin;
    if (reading.is_command(begin)) add(sum, candidate.verdict);
  }
}

// What a command is called, behind what only says how it is started.
std::string_view name_of(const ShellCommand& command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view name = program_name(command[i]);
    if (among(name, {"sudo", "env", "command", "exec", "nohup", "time", "nice", "if", "then",
                     "else", "elif", "while", "do", "{", "!"}) ||
        command[i].find('=') != std::string_view::npos || command[i].starts_with('-'))
      continue;
    return name;
  }
  return {};
}

// Its words are searched, printed or sent, and never run.
bool takes_text(std::string_view name) {
  return among(name, {"echo", "printf", "cat", "tee", "grep", "egrep", "fgrep", "rg", "sed", "jq",
                      "gh", "curl", ":", "true"});
}

// Finds what git is told in a script, also in the scripts that it tells others to run.
class ScriptJudge {
 public:
  explicit ScriptJudge(GitRisk& sum) : sum_(sum) {}

  void judge(std::string_view script) {
    if (script.empty() || depth_ == kDeepest) return;
    ++depth_;
    read_shell(script, [this](const ShellCommand& command) { judge(command); });
    --depth_;
  }

 private:
  static constexpr int kDeepest = 6;  // quotes in quotes

  void judge(const ShellCommand& command) {
    const std::string_view name = name_of(command);
    if (takes_text(name) && !command.feeds_shell) return;
    if (name == "git") {
      judge_what_git_runs(command);
    } else {
      for (std::size_t i = 0; i < command.size(); ++i) {
        if (command[i].find_first_of(" \t\n") != std::string_view::npos) judge(command[i]);
      }
      judge(command.input);
    }
    std::vector<GitVerdict> found;
    WordsBehind behind;
    for (std::size_t i = command.size(); i-- > 0;) {
      const std::string_view called = program_name(command[i]);
      GitVerdict verdict;
      if (called == "git" || called == "git.exe") verdict = behind.as_git();
      if (called == "rm") verdict = behind.as_rm();
      if (verdict.tier != GitTier::safe) found.push_back(verdict);
      behind.add(command[i]);
    }
    for (auto verdict = found.rbegin(); verdict != found.rend(); ++verdict) add(sum_, *verdict);
  }

  void judge_what_git_runs(const ShellCommand& command) {
    bool runs = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
      const std::string_view word = command[i];
      const std::size_t equals = word.find('=');
      if (word.starts_with("alias.") && equals != std::string_view::npos) {
        const std::string_view value = word.substr(equals + 1);
        judge(value.starts_with('!') ? std::string(value.substr(1)) : "git " + std::string(value));
      }
      if (runs && word.find(' ') != std::string_view::npos) judge(word);
      runs |= among(word, {"foreach", "run"});
    }
  }

  GitRisk& sum_;
  int depth_ = 0;
};

}  // namespace

GitRisk judge_git(std::string_view text) {
  GitRisk risk;
  using Blocks = framing::BlockStructure;
  Blocks blocks;
  std::string code;  // a line of it, with those that it goes on in
  const auto judge_code = [&] {
    ScriptJudge(risk).judge(code);
    code.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const Blocks::Line found = blocks.take(line);
    if (found.fence != Blocks::Fence::unchanged) {
      judge_code();
    } else if (found.kind == Blocks::Kind::fenced_code || indent >= 4 || line.starts_with('\t')) {
      code.append(line) += '\n';
      if (!line.ends_with('\\')) judge_code();
    } else {
      judge_code();
      judge_prose(line, risk);
    }
  }
  judge_code();
  return risk;
}

GitRisk judge_git_command(std::string_view command) {
  GitRisk risk;
  ScriptJudge(risk).judge(command);
  return risk;
}

Result<void> allow_git(const GitRisk& risk, bool allow_destructive) {
  if (risk.tier == GitTier::safe) return {};
  if (risk.tier == GitTier::confirmation && allow_destructive) return {};
  std::string operations;
  for (const auto& operation : risk.operations)
    operations += (operations.empty() ? "" : ", ") + operation;
  std::string details;
  json::Writer w(details);
  const bool blocked = risk.tier == GitTier::blocked;
  w.begin_object();
  if (!blocked) w.name("requires_user_confirmation").boolean(true);
  w.name("tier").word(blocked ? "blocked" : "confirmation");
  w.name("operations").begin_array();
  for (const auto& operation : risk.operations) w.string(operation);
  w.end_array();
  if (!blocked) {
    w.name("confirmation_prompt").begin_object();
    w.name("question").string(fmt::format("The task asks for: {}. Allow it?", operations));
    w.name("header").string("Risky Git Op");
    w.name("options").begin_array();
    w.begin_object().name("label").string("approve").end_object();
    w.begin_object().name("label").string("deny").end_object();
    w.end_array().end_object();
  }
  w.end_object();
  if (blocked) {
    return Error{
        ErrorCode::validation,
        fmt::format("the task asks for a git operation that destroys work: {}", operations),
        "git_blocked", std::move(details)};
  }
  return Error{ErrorCode::validation,
               fmt::format("the task asks for a risky git operation: {}; it needs "
                           "allow_destructive_git",
                           operations),
               "git_confirmation_required", std::move(details)};
}

}  // namespace dragoman::task
