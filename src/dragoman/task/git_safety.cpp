// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_safety.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::task {

namespace {

bool among(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool protected_branch(std::string_view ref) {
  if (ref.starts_with('+')) ref.remove_prefix(1);
  if (const auto colon = ref.rfind(':'); colon != std::string_view::npos)
    ref.remove_prefix(colon + 1);
  if (ref.starts_with("refs/heads/")) ref.remove_prefix(11);
  return among(ref, {"main", "master", "trunk"}) || ref.starts_with("release");
}

// What there is among the words behind a verb.
struct Seen {
  bool hard = false, earlier_commit = false;
  bool force = false, plus = false, lease = false, to_protected = false;
  bool dry_run = false, drop = false, remove = false, expire = false, now = false, prune = false;
  bool going_on = false, amend = false, deletion = false;
  bool recursive = false, git_directory = false;
  bool letter_f = false;  // "-f" itself, or among others: "-fd"
  bool only_f = false, letter_n = false, letter_d = false, letter_x = false, letter_big_d = false;

  void add(std::string_view word) {
    hard |= word == "--hard";
    earlier_commit |= word.starts_with("HEAD~") || word.starts_with("HEAD^");
    drop |= among(word, {"drop", "clear"});
    remove |= word == "remove";
    expire |= word == "expire";
    plus |= word.starts_with('+');
    to_protected |= protected_branch(word);
    git_directory |=
        among(word, {".git", ".git/"}) || word.ends_with("/.git") || word.ends_with("/.git/");
    if (word.starts_with("--")) {
      add_long(word);
    } else if (word.size() > 1 && word[0] == '-') {
      add_letters(word);
    }
  }
  void add_long(std::string_view word) {
    force |= word == "--force";
    lease |= word.starts_with("--force-with-lease") || word == "--force-if-includes";
    dry_run |= word == "--dry-run";
    now |= word.starts_with("--expire=now") || word.starts_with("--expire-unreachable=now");
    prune |= word.starts_with("--prune=now");
    going_on |= among(word, {"--continue", "--abort", "--skip", "--quit"});
    amend |= word == "--amend";
    deletion |= word == "--delete";
    recursive |= word == "--recursive";
  }
  void add_letters(std::string_view word) {
    const auto has = [word](char letter) { return word.find(letter) != std::string_view::npos; };
    only_f |= word == "-f";
    deletion |= word == "-d";
    letter_f |= has('f');
    letter_n |= has('n');
    letter_d |= has('d');
    letter_x |= has('x');
    letter_big_d |= has('D');
    recursive |= has('r') || has('R');
  }
  [[nodiscard]] bool forced() const { return force || only_f; }
};

struct Verdict {
  GitTier tier = GitTier::safe;
  const char* what = "";
};

Verdict judge_push(const Seen& seen) {
  const bool force = seen.force || seen.letter_f || seen.plus;
  if (!force && !seen.lease) return {};
  if (force && seen.to_protected) return {GitTier::blocked, "force push to a protected branch"};
  return {GitTier::confirmation, "force push"};
}

// `seen` is what stands behind the verb.
Verdict judge_verb(std::string_view verb, const Seen& seen) {
  const auto blocked = [](const char* what) { return Verdict{GitTier::blocked, what}; };
  const auto confirm = [](const char* what) { return Verdict{GitTier::confirmation, what}; };
  if (verb == "reset") {
    if (seen.hard) return blocked("reset --hard");
    if (seen.earlier_commit) return blocked("reset of commits");
  }
  if (verb == "clean" && !seen.letter_n && !seen.dry_run &&
      (seen.letter_f || seen.letter_d || seen.letter_x || seen.force))
    return blocked("clean");
  if (verb == "checkout" && seen.forced()) return blocked("checkout --force");
  if (verb == "stash" && seen.drop) return blocked("stash drop");
  if (verb == "worktree" && seen.remove && seen.forced()) return blocked("worktree remove --force");
  if (verb == "gc" && seen.prune) return blocked("gc --prune=now");
  if (verb == "reflog" && seen.expire && seen.now) return blocked("reflog expire");
  if (verb == "filter-repo" || verb == "filter-branch") return blocked("rewriting of history");
  if (verb == "push") return judge_push(seen);
  if (verb == "rebase" && !seen.going_on) return confirm("rebase");
  if (verb == "commit" && seen.amend) return confirm("commit --amend");
  if (verb == "branch" && (seen.letter_big_d || (seen.deletion && seen.forced())))
    return confirm("branch -D");
  return {};
}

// The words of a command from its last to its first. What stands behind a word is known when the
// word is reached, so each is looked at once, however many of them are "git": a task has up to a
// mebibyte and a command sixteen, and nothing has to be too long to be judged.
class Behind {
 public:
  void add(std::string_view word) {
    const bool takes_value = among(word, {"-C", "-c", "--git-dir", "--work-tree"});
    const Verdict mine = !word.starts_with('-') ? judge_verb(word, seen_)
                         : takes_value          ? second_
                                                : first_;
    seen_.add(word);
    second_ = first_;
    first_ = mine;
  }
  // Of what was added, behind "git": its global options come before the verb.
  [[nodiscard]] Verdict as_git() const { return first_; }
  // Behind "rm": "-rf .git"
  [[nodiscard]] Verdict as_rm() const {
    if (!seen_.recursive || !seen_.git_directory) return {};
    return {GitTier::blocked, "removal of .git"};
  }

 private:
  Seen seen_;
  Verdict first_;   // of a command that begins with the word added last
  Verdict second_;  // with the one before it
};

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
  Verdict verdict;
  bool is_git;  // or rm
};

// What would be risky if it was a command; the last one first.
std::vector<Candidate> candidates_in(std::string_view line) {
  std::vector<Candidate> found;
  Behind behind;
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
        const Verdict verdict = is_git ? behind.as_git() : behind.as_rm();
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
  return among(word, {"$", ">", "-", "*", "+", "sudo", "`"}) ||
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

void add(GitRisk& sum, const Verdict& one) {
  sum.tier = std::max(sum.tier, one.tier);
  if (std::find(sum.operations.begin(), sum.operations.end(), one.what) == sum.operations.end())
    sum.operations.emplace_back(one.what);
}

void judge_line(std::string_view line, bool in_code, GitRisk& sum) {
  std::vector<Candidate> candidates = candidates_in(line);
  std::reverse(candidates.begin(), candidates.end());
  Reading reading(line);
  std::optional<Verdict> removal;  // told behind what git does
  for (const Candidate& candidate : candidates) {
    // A path before it belongs to it: /usr/bin/git.
    std::size_t begin = candidate.at;
    while (candidate.is_git && begin > 0 && !is_blank(line[begin - 1]) && line[begin - 1] != '`')
      --begin;
    if (!in_code && !reading.is_command(begin)) continue;
    if (candidate.is_git) {
      add(sum, candidate.verdict);
    } else {
      removal = candidate.verdict;
    }
  }
  if (removal) add(sum, *removal);
}

}  // namespace

GitRisk judge_git(std::string_view text) {
  GitRisk risk;
  bool fenced = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view start = line.substr(indent);
    if (start.starts_with("```") || start.starts_with("~~~")) {
      fenced = !fenced;
    } else {
      judge_line(line, fenced || indent >= 4 || line.starts_with('\t'), risk);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return risk;
}

GitRisk judge_git_command(std::string_view command) {
  GitRisk risk;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find('\n'), command.size());
    judge_line(command.substr(0, end), true, risk);
    command.remove_prefix(std::min(end + 1, command.size()));
  }
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
