// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_verbs.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman::task {

namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool protected_branch(std::string_view ref) {
  if (ref.starts_with('+')) ref.remove_prefix(1);
  if (const auto colon = ref.rfind(':'); colon != std::string_view::npos)
    ref.remove_prefix(colon + 1);
  if (ref.starts_with("refs/heads/")) ref.remove_prefix(11);
  return one_of(ref, {"main", "master", "trunk"}) || ref.starts_with("release");
}

bool is_earlier_commit(std::string_view word) {
  for (const std::string_view head : {"HEAD", "@"}) {
    if (!word.starts_with(head) || word.size() == head.size()) continue;
    const std::string_view rest = word.substr(head.size());
    if (rest[0] == '~' || rest[0] == '^' || rest.starts_with("@{") || word.starts_with("@{"))
      return true;
  }
  return false;
}

// Git takes the beginning of a long option for the whole of it.
bool is_option(std::string_view word, std::string_view option) {
  constexpr std::size_t kShortest = 4;
  word = word.substr(0, word.find('='));
  return word.size() >= kShortest && option.starts_with(word);
}

GitVerdict blocked(const char* what) { return {GitTier::blocked, what}; }
GitVerdict confirm(const char* what) { return {GitTier::confirmation, what}; }

GitVerdict judge_push(const SeenWords& seen) {
  if (seen.dry_run || seen.has('n')) return {};
  const bool force = seen.forced() || seen.plus;
  const bool deletion = seen.deletion || seen.has('d');
  if (force && seen.to_protected) return blocked("force push to a protected branch");
  if (deletion && seen.to_protected) return blocked("deletion of a protected branch");
  if (seen.mirror) return confirm("push --mirror");
  if (deletion) return confirm("deletion of a remote branch");
  return force || seen.lease ? confirm("force push") : GitVerdict();
}

GitVerdict judge_reset(const SeenWords& seen) {
  if (seen.hard) return blocked("reset --hard");
  if (seen.merge) return blocked("reset --merge");
  return seen.earlier_commit ? blocked("reset of commits") : GitVerdict();
}

// Files that are named are the agent's business: it could write into them as well.
GitVerdict judge_checkout(const SeenWords& seen) {
  if (seen.forced()) return blocked("checkout --force");
  if (seen.has('B')) return confirm("checkout -B");
  const bool all = seen.everything && !seen.creates && !seen.one_side;
  return all ? blocked("checkout of all files") : GitVerdict();
}

GitVerdict judge_restore(const SeenWords& seen) {
  const bool staged = seen.staged || seen.has('S');
  if ((staged && !seen.worktree && !seen.has('W')) || seen.one_side) return {};
  return seen.everything ? blocked("restore of all files") : GitVerdict();
}

GitVerdict judge_switch(const SeenWords& seen) {
  if (seen.forced() || seen.discard) return blocked("switch --discard-changes");
  return seen.has('C') || seen.force_create ? confirm("switch -C") : GitVerdict();
}

GitVerdict judge_branch(const SeenWords& seen) {
  if (seen.has('D') || ((seen.deletion || seen.has('d')) && seen.forced()))
    return confirm("branch -D");
  return seen.forced() || seen.has('M') || seen.has('C') ? confirm("branch --force") : GitVerdict();
}

// Those that take a command of their own as their first word.
GitVerdict judge_parts(std::string_view verb, const SeenWords& seen) {
  if (verb == "stash" && one_of(seen.first, {"drop", "clear"})) return blocked("stash drop");
  if (verb == "worktree" && seen.first == "remove" && seen.forced())
    return blocked("worktree remove --force");
  if (verb == "submodule" && seen.forced()) {
    if (seen.first == "deinit") return blocked("submodule deinit --force");
    if (seen.first == "update") return confirm("submodule update --force");
  }
  if (verb != "reflog") return {};
  if (seen.first == "expire" && seen.now) return blocked("reflog expire");
  return one_of(seen.first, {"delete", "drop"}) ? blocked("reflog delete") : GitVerdict();
}

// What few people type, and programs do.
GitVerdict judge_plumbing(std::string_view verb, const SeenWords& seen) {
  const bool only_said = seen.dry_run || seen.has('n');
  if (verb == "gc" && seen.prune) return blocked("gc --prune=now");
  if (verb == "prune" && !only_said) return blocked("prune");
  if (verb == "filter-repo" || verb == "filter-branch") return blocked("rewriting of history");
  if (verb == "checkout-index" && seen.forced()) return blocked("checkout-index --force");
  if (verb == "read-tree" && seen.reset && seen.has('u')) return blocked("read-tree --reset");
  if (verb == "update-ref" && seen.has('d')) return confirm("update-ref -d");
  return {};
}

// `seen` is what stands behind the verb.
GitVerdict judge_verb(std::string_view verb, const SeenWords& seen) {
  if (verb == "reset") return judge_reset(seen);
  if (verb == "checkout") return judge_checkout(seen);
  if (verb == "restore") return judge_restore(seen);
  if (verb == "switch") return judge_switch(seen);
  if (verb == "push") return judge_push(seen);
  if (verb == "branch") return judge_branch(seen);
  if (verb == "rebase") return seen.going_on ? GitVerdict() : confirm("rebase");
  if (verb == "commit") return seen.amend ? confirm("commit --amend") : GitVerdict();
  if (verb == "clean") {
    const bool removes = seen.forced() || seen.has('d') || seen.has('x') || seen.has('X');
    return removes && !seen.dry_run && !seen.has('n') ? blocked("clean") : GitVerdict();
  }
  const GitVerdict of_parts = judge_parts(verb, seen);
  return of_parts.tier == GitTier::safe ? judge_plumbing(verb, seen) : of_parts;
}

std::uint64_t bit_of(char letter) {
  if (letter >= 'a' && letter <= 'z') return std::uint64_t{1} << (letter - 'a');
  if (letter >= 'A' && letter <= 'Z') return std::uint64_t{1} << (letter - 'A' + 26);
  return 0;
}

}  // namespace

bool SeenWords::has(char letter) const { return (letters & bit_of(letter)) != 0; }

void SeenWords::add(std::string_view word) {
  if (word.starts_with("--")) {
    add_long(word);
  } else if (word.size() > 1 && word[0] == '-') {
    add_letters(word);
  } else {
    first = word;
    everything |= one_of(word, {".", "./", "..", "*", "./*", ":", ":/", ":/.", ":/*"});
    deletion |= word.size() > 1 && word[0] == ':';
    earlier_commit |= is_earlier_commit(word);
    plus |= word.starts_with('+');
    to_protected |= protected_branch(word);
    now |= one_of(word, {"now", "all"});
    git_directory |=
        one_of(word, {".git", ".git/"}) || word.ends_with("/.git") || word.ends_with("/.git/");
  }
}

void SeenWords::add_long(std::string_view word) {
  const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
  const bool at_once = one_of(value, {"now", "all"});
  hard |= is_option(word, "--hard");
  merge |= is_option(word, "--merge");
  force |= is_option(word, "--force");
  lease |= word.starts_with("--force-with-lease") || word == "--force-if-includes";
  mirror |= is_option(word, "--mirror");
  dry_run |= is_option(word, "--dry-run");
  now |= at_once && (word.starts_with("--expire=") || word.starts_with("--expire-unreachable="));
  prune |= at_once && word.starts_with("--prune=");
  reset |= is_option(word, "--reset");
  going_on |= one_of(
      word, {"--continue", "--abort", "--skip", "--quit", "--edit-todo", "--show-current-patch"});
  amend |= is_option(word, "--amend");
  deletion |= is_option(word, "--delete");
  staged |= is_option(word, "--staged");
  worktree |= is_option(word, "--worktree");
  one_side |= one_of(word, {"--ours", "--theirs"});
  discard |= is_option(word, "--discard-changes");
  creates |= one_of(word, {"--orphan", "--track", "--detach"}) || word.starts_with("--track=");
  force_create |= is_option(word, "--force-create");
  recursive |= is_option(word, "--recursive");
}

// "-fd" are two of them; behind some stands a value.
void SeenWords::add_letters(std::string_view word) {
  word.remove_prefix(1);
  const std::size_t valued = word.find_first_of("bBcCeo");
  if (valued != std::string_view::npos) word = word.substr(0, valued + 1);
  for (const char letter : word) letters |= bit_of(letter);
  creates |= word.find_first_of("bBt") != std::string_view::npos;
  recursive |= word.find_first_of("rR") != std::string_view::npos;
}

void WordsBehind::add(std::string_view word) {
  const bool takes_value =
      one_of(word, {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"});
  const GitVerdict mine = !word.starts_with('-') ? judge_verb(word, seen_)
                          : takes_value          ? second_
                                                 : first_;
  seen_.add(word);
  second_ = first_;
  first_ = mine;
}

GitVerdict WordsBehind::as_rm() const {
  if (!seen_.recursive || !seen_.git_directory) return {};
  return blocked("removal of .git");
}

}  // namespace dragoman::task
