// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/bracket_events.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/dialect/arena_list.hpp"
#include "dragoman/dialect/bracket_lists.hpp"
#include "dragoman/dialect/question_payload.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using Role = BracketBlock::Role;

std::size_t count_of(const BracketBlock& block, Role role) {
  const auto& entries = block.entries();
  return static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [role](const auto& entry) { return entry.role == role; }));
}

std::string_view first_line(const BracketBlock& block) {
  return trim(block.line(block.entries().front()));
}

// The text of a question: the rest of its line and the lines that belong to it.
std::string_view question_text(const BracketBlock& block, Arena& arena) {
  const auto part = [&block](const BracketBlock::Entry& entry) -> std::string_view {
    if (entry.role == Role::content) return trim(block.line(entry));
    return entry.role == Role::text ? block.line(entry) : std::string_view{};
  };
  std::size_t most = 0;
  for (const BracketBlock::Entry& entry : block.entries()) most += part(entry).size() + 1;
  char* const begin = arena.allocate(most);
  char* to = begin;
  for (const BracketBlock::Entry& entry : block.entries()) {
    if (entry.role != Role::content && entry.role != Role::text) continue;
    if (to != begin) *to++ = '\n';
    const std::string_view line = part(entry);
    to = std::copy(line.begin(), line.end(), to);
  }
  return {begin, static_cast<std::size_t>(to - begin)};
}

std::span<const std::string_view> context_lines(const BracketBlock& block, Arena& arena) {
  ArenaList<std::string_view> lines(
      arena, count_of(block, Role::context) + count_of(block, Role::options));
  for (const BracketBlock::Entry& entry : block.entries()) {
    const bool after_colon = entry.role == Role::options && entry.length > 0;
    if (entry.role == Role::context || after_colon) lines.push_back(block.line(entry));
  }
  return lines.items();
}

std::span<const Option> options_of(const BracketBlock& block, Arena& arena) {
  ArenaList<Option> options(arena, count_of(block, Role::option));
  std::string description;  // of the last option, when it goes on over more lines
  const auto settle = [&] {
    if (!description.empty()) options.back().description = arena.copy(description);
    description.clear();
  };
  for (const BracketBlock::Entry& entry : block.entries()) {
    if (entry.role == Role::option) {
      settle();
      options.push_back(split_option(block.line(entry)));
    }
    if (entry.role == Role::continuation && !options.empty()) {
      if (description.empty()) description = options.back().description;
      if (!description.empty()) description.push_back(' ');
      description.append(block.line(entry));
    }
  }
  settle();
  return options.items();
}

Payload read_question(const BracketBlock& block, Arena& arena, Findings& findings) {
  Question question;
  question.source = QuestionSource::marker;
  question.text = trim(question_text(block, arena));
  question.header = question_header({}, question.text);
  question.options = options_of(block, arena);
  question.free_text = true;  // the surface offers a field for something else
  question.context = context_lines(block, arena);
  question.blocking = false;  // the agent goes on with other work
  const std::size_t count = question.options.size();
  if (count == 1 || count > 4) {
    findings.add("option_count",
                 fmt::format("a question offers 2 to 4 options, this one {}", count));
  }
  return question;
}

// What may stand behind the number: "iteration" or "iterations", and whatever a new word begins
// with.
bool counts_iterations(std::string_view unit) {
  constexpr std::string_view kUnit = " iteration";
  if (!unit.starts_with(kUnit)) return false;
  unit.remove_prefix(kUnit.size());
  if (unit.starts_with('s')) unit.remove_prefix(1);
  return unit.empty() || !ascii::is_alnum(unit[0]);
}

// "Task completed in 8 iterations", and perhaps more behind it.
Payload read_complete(std::string_view content, Findings& findings) {
  constexpr std::string_view kBefore = "Task completed in ";
  CompletionClaimed claim;
  claim.by = "codex_complete";
  if (content.starts_with(kBefore)) {
    const std::string_view rest = content.substr(kBefore.size());
    std::int64_t iterations = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), iterations);
    const std::string_view unit = rest.substr(static_cast<std::size_t>(stop - rest.data()));
    if (code == std::errc{} && iterations >= 0 && counts_iterations(unit)) {
      claim.iterations = iterations;
      if (unit != " iterations" && unit != " iteration") claim.text = content;
      return claim;
    }
  }
  findings.add("complete_count",
               "the number of iterations is missing: Task completed in N iterations");
  if (!content.empty()) claim.text = content;
  return claim;
}

Payload read_commit(const BracketBlock& block, Arena& arena) {
  CommitSuggestion commit;
  commit.subject = first_line(block);
  std::string body;
  bool subject_known = !commit.subject.empty();
  for (const BracketBlock::Entry& entry : block.entries()) {
    if (entry.role != Role::body && entry.role != Role::blank) continue;
    if (!subject_known && entry.role == Role::body) {
      commit.subject = trim(block.line(entry));
      subject_known = true;
      continue;
    }
    body.append(block.line(entry)).push_back('\n');
  }
  const std::size_t begin = body.find_first_not_of('\n');
  if (begin != std::string::npos) {
    const std::size_t end = body.find_last_not_of('\n');
    commit.body = arena.copy(std::string_view(body).substr(begin, end - begin + 1));
  }
  return commit;
}

Payload read_configured(const BracketBlock& block, Arena& arena) {
  std::string raw;
  json::Writer(raw).begin_object().key("content").string(first_line(block)).end_object();
  return Unknown{block.word(), Raw{arena.copy(raw)}};
}

}  // namespace

Option split_option(std::string_view text) {
  // The dash is looked for, not the blank before it, of which there are many.
  for (std::size_t dash = text.find('-', 1); dash != std::string_view::npos;
       dash = text.find('-', dash + 1)) {
    if (text[dash - 1] == ' ' && dash + 1 < text.size() && text[dash + 1] == ' ') {
      return {trim(text.substr(0, dash - 1)), trim(text.substr(dash + 2))};
    }
  }
  return {text, {}};
}

Payload read_bracket(const BracketBlock& block, Arena& arena, Findings& findings,
                     std::vector<Extra>& extra) {
  switch (block.name()) {
    case MarkerName::progress: {
      Status status;
      status.status = "in_progress";
      status.message = first_line(block);
      return status;
    }
    case MarkerName::question:
      return read_question(block, arena, findings);
    case MarkerName::blocked:
      return Blocked{first_line(block), context_lines(block, arena)};
    case MarkerName::files_modified:
      return read_files(block, arena, findings);
    case MarkerName::codex_complete:
      return read_complete(first_line(block), findings);
    case MarkerName::need_context:
      return read_need_context(first_line(block), arena, findings);
    case MarkerName::test_results:
      return read_tests(block, arena, findings, extra);
    case MarkerName::lint_warnings:
      return read_lint(block, arena);
    case MarkerName::dependency_needed:
      return read_dependencies(block, arena, findings);
    case MarkerName::git_commit_suggestion:
      return read_commit(block, arena);
    case MarkerName::wxcode_tag:
      return read_tag(block.word(), first_line(block), arena, findings);
    case MarkerName::configured:
      return read_configured(block, arena);
  }
  return Unknown{};
}

}  // namespace dragoman
