// SPDX-License-Identifier: Apache-2.0
// What a git command does to work that is not kept anywhere else.
#pragma once

#include <cstdint>
#include <string_view>

#include "dragoman/task/git_safety.hpp"

namespace dragoman::task {

struct GitVerdict {
  GitTier tier = GitTier::safe;
  const char* what = "";
};

// The words behind a verb, as far as they matter for any verb.
struct SeenWords {
  bool hard = false, merge = false, earlier_commit = false;
  bool force = false, plus = false, lease = false, mirror = false, to_protected = false;
  bool dry_run = false, now = false, prune = false, reset = false;
  bool going_on = false, amend = false, deletion = false;
  bool staged = false, worktree = false, one_side = false, discard = false;
  bool creates = false, force_create = false;
  bool recursive = false, git_directory = false;
  bool everything = false;  // ".", ":/", "*"
  std::uint64_t letters = 0;
  std::string_view first;  // the nearest that is no option

  void add(std::string_view word);
  [[nodiscard]] bool has(char letter) const;
  [[nodiscard]] bool forced() const { return force || has('f'); }

 private:
  void add_long(std::string_view word);
  void add_letters(std::string_view word);
};

// The words of a command from its last to its first. What stands behind a word is known when the
// word is reached, so each is looked at once, however many of them are "git": a task has up to a
// mebibyte and a command sixteen, and nothing has to be too long to be judged. The words have to
// outlive it.
class WordsBehind {
 public:
  void add(std::string_view word);
  // Of what was added, behind "git": its global options come before the verb.
  [[nodiscard]] GitVerdict as_git() const { return first_; }
  // Behind "rm": "-rf .git"
  [[nodiscard]] GitVerdict as_rm() const;

 private:
  SeenWords seen_;
  GitVerdict first_;   // of a command that begins with the word added last
  GitVerdict second_;  // with the one before it
};

}  // namespace dragoman::task
