// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_safety.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::task {

namespace {

using Words = std::vector<std::string_view>;

bool among(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool has(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return among(word, wanted); });
}

// -fd has the letters f and d.
bool has_letter(const Words& words, char letter) {
  return std::any_of(words.begin(), words.end(), [letter](std::string_view word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
           word.find(letter) != std::string_view::npos;
  });
}

bool protected_branch(std::string_view ref) {
  if (ref.starts_with('+')) ref.remove_prefix(1);
  if (const auto colon = ref.rfind(':'); colon != std::string_view::npos)
    ref.remove_prefix(colon + 1);
  if (ref.starts_with("refs/heads/")) ref.remove_prefix(11);
  return among(ref, {"main", "master", "trunk"}) || ref.starts_with("release");
}

std::optional<GitRisk> judge_push(const Words& words) {
  const bool lease = std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word.starts_with("--force-with-lease") || word == "--force-if-includes";
  });
  const bool plus = std::any_of(words.begin(), words.end(),
                                [](std::string_view word) { return word.starts_with('+'); });
  const bool force = has(words, {"--force"}) || has_letter(words, 'f') || plus;
  if (!force && !lease) return std::nullopt;
  const bool to_protected =
      std::any_of(words.begin(), words.end(), [](auto word) { return protected_branch(word); });
  if (force && to_protected) return GitRisk{GitTier::blocked, {"force push to a protected branch"}};
  return GitRisk{GitTier::confirmation, {"force push"}};
}

// The words behind "git" and its global options.
std::optional<GitRisk> judge_words(const Words& all) {
  if (all.empty()) return std::nullopt;
  const std::string_view verb = all.front();
  const Words words(all.begin() + 1, all.end());
  const auto blocked = [](const char* what) { return GitRisk{GitTier::blocked, {what}}; };
  const auto confirm = [](const char* what) { return GitRisk{GitTier::confirmation, {what}}; };
  const auto starts = [&](std::string_view with) {
    return std::any_of(words.begin(), words.end(),
                       [&](auto word) { return word.starts_with(with); });
  };
  if (verb == "reset") {
    if (has(words, {"--hard"})) return blocked("reset --hard");
    if (starts("HEAD~") || starts("HEAD^")) return blocked("reset of commits");
  }
  if (verb == "clean" && !has_letter(words, 'n') && !has(words, {"--dry-run"}) &&
      (has_letter(words, 'f') || has_letter(words, 'd') || has_letter(words, 'x') ||
       has(words, {"--force"})))
    return blocked("clean");
  if (verb == "checkout" && (has(words, {"--force", "-f"}))) return blocked("checkout --force");
  if (verb == "stash" && has(words, {"drop", "clear"})) return blocked("stash drop");
  if (verb == "worktree" && has(words, {"remove"}) && has(words, {"--force", "-f"}))
    return blocked("worktree remove --force");
  if (verb == "gc" && starts("--prune=now")) return blocked("gc --prune=now");
  if (verb == "reflog" && has(words, {"expire"}) &&
      (starts("--expire=now") || starts("--expire-unreachable=now")))
    return blocked("reflog expire");
  if (verb == "filter-repo" || verb == "filter-branch") return blocked("rewriting of history");
  if (verb == "push") return judge_push(words);
  if (verb == "rebase" && !has(words, {"--continue", "--abort", "--skip", "--quit"}))
    return confirm("rebase");
  if (verb == "commit" && has(words, {"--amend"})) return confirm("commit --amend");
  if (verb == "branch" &&
      (has_letter(words, 'D') || (has(words, {"--delete", "-d"}) && has(words, {"--force", "-f"}))))
    return confirm("branch -D");
  return std::nullopt;
}

Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::size_t from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) break;
    text.remove_prefix(from);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// Where a command ends: shell separators, quotes, the end of a sentence.
std::string_view command_at(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool sentence_end = (c == '.' || c == '?' || c == '!' || c == ',') &&
                              (i + 1 == text.size() || text[i + 1] == ' ');
    if (c == ';' || c == '|' || c == '&' || c == '`' || c == '"' || c == '\'' || c == ')' ||
        sentence_end)
      return text.substr(0, i);
  }
  return text;
}

std::optional<GitRisk> judge_at(std::string_view after_git) {
  Words words = split(command_at(after_git));
  while (!words.empty() && words.front().starts_with('-')) {
    const bool takes_value = among(words.front(), {"-C", "-c", "--git-dir", "--work-tree"});
    words.erase(words.begin(), words.begin() + (takes_value && words.size() > 1 ? 2 : 1));
  }
  return judge_words(words);
}

// "rm -rf .git"
bool removes_git_directory(std::string_view after_rm) {
  const Words words = split(command_at(after_rm));
  if (!has_letter(words, 'r') && !has_letter(words, 'R') && !has(words, {"--recursive"}))
    return false;
  return std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word == ".git" || word == ".git/" || word.ends_with("/.git") || word.ends_with("/.git/");
  });
}

enum class Cue : std::uint8_t { none, command, prose };

Cue cue_of(std::string_view word) {
  if (among(word, {"run", "execute", "use", "do", "call", "perform", "then", "and", "with", "via",
                   ":", ";", "&&", "||", "|"}))
    return Cue::command;
  if (among(word, {"explain", "describe", "document", "what", "why", "how", "when", "difference",
                   "compare", "never", "not", "don't", "avoid", "without", "instead"}))
    return Cue::prose;
  return Cue::none;
}

// The words before the candidate in its sentence, lower case; separators are words of their own.
std::vector<std::string> sentence_before(std::string_view line, std::size_t at) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(ascii::lowered(word));
    word.clear();
  };
  for (std::size_t i = 0; i < at; ++i) {
    const char c = line[i];
    if ((c == '.' || c == '?' || c == '!') && i + 1 < line.size() && line[i + 1] == ' ') {
      word.clear();
      words.clear();
    } else if (ascii::is_alnum(c) || c == '\'' || c == '-') {
      word.push_back(c);
    } else {
      flush();
      if (c == ':' || c == ';' || c == '|' || (c == '&' && i + 1 < at && line[i + 1] == '&'))
        words.emplace_back(1, c == '&' ? ';' : c);
    }
  }
  flush();
  return words;
}

// Prefixes of a command: "sudo", "VAR=x", "$", "> ", bullets and numbers.
bool begins_line(std::string_view before) {
  for (const std::string_view word : split(before)) {
    const bool mark = among(word, {"$", ">", "-", "*", "+", "sudo", "`"}) ||
                      word.find('=') != std::string_view::npos ||
                      (word.size() > 1 && (word.back() == '.' || word.back() == ')') &&
                       ascii::is_digit(word.front()));
    if (!mark) return false;
  }
  return true;
}

bool is_command(std::string_view line, std::size_t at, bool in_code) {
  if (in_code) return true;
  const auto words = sentence_before(line, at);
  for (std::size_t i = words.size(); i-- > 0;) {
    const Cue cue = cue_of(words[i]);
    if (cue == Cue::none) continue;
    if (cue == Cue::prose) return false;
    for (std::size_t back = 1; back <= 2 && back <= i; ++back) {
      if (cue_of(words[i - back]) == Cue::prose) return false;  // "never use", "how to use"
    }
    return true;
  }
  const bool in_span =
      std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at), '`') % 2 == 1;
  return in_span || begins_line(line.substr(0, at));
}

void add(GitRisk& sum, const GitRisk& one) {
  sum.tier = std::max(sum.tier, one.tier);
  for (const auto& operation : one.operations) {
    if (std::find(sum.operations.begin(), sum.operations.end(), operation) == sum.operations.end())
      sum.operations.push_back(operation);
  }
}

bool word_starts(std::string_view line, std::size_t at) {
  return at == 0 || (!ascii::is_alnum(line[at - 1]) && line[at - 1] != '.' && line[at - 1] != '-' &&
                     line[at - 1] != '_');
}

void judge_line(std::string_view line, bool in_code, GitRisk& sum) {
  for (std::size_t at = line.find("git "); at != std::string_view::npos;
       at = line.find("git ", at + 1)) {
    if (!word_starts(line, at)) continue;
    const auto risk = judge_at(line.substr(at + 4));
    // A path before it belongs to it: /usr/bin/git.
    std::size_t begin = at;
    while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t' && line[begin - 1] != '`')
      --begin;
    if (risk && is_command(line, begin, in_code)) add(sum, *risk);
  }
  for (std::size_t at = line.find("rm "); at != std::string_view::npos;
       at = line.find("rm ", at + 1)) {
    if (word_starts(line, at) && removes_git_directory(line.substr(at + 3)) &&
        is_command(line, at, in_code))
      add(sum, {GitTier::blocked, {"removal of .git"}});
  }
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
