// SPDX-License-Identifier: Apache-2.0
// Why a run failed, and what to do about it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/report/plain_text.hpp"
#include "dragoman/run/metadata.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman {

namespace {

constexpr std::size_t kSuggestions = 3;

struct Hint {
  std::string_view about;
  std::string_view text;
};

constexpr std::array<Hint, 4> kByType = {{
    {"TypeError", "Check variable types and null/undefined values"},
    {"SyntaxError", "Review syntax near the error location"},
    {"ReferenceError", "Verify all variables and imports are defined"},
    {"NameError", "Verify all variables and imports are defined"},
}};

constexpr std::array<Hint, 14> kByReason = {{
    {"auth_required", "Sign the agent in, or give it its API key"},
    {"quota", "Look at the account's credit and quota"},
    {"not_a_git_repo", "Run in a git repository, or pass skip_git_repo_check"},
    {"rate_limited", "Wait until the limit resets, then try again"},
    {"overloaded", "Try again in a few minutes"},
    {"network", "Look at the network connection and proxy settings, then try again"},
    {"context_too_long", "Split the task into smaller ones"},
    {"output_limit", "Split the task into smaller ones"},
    {"max_turns", "Allow more turns, or resume the thread"},
    {"budget", "Raise the budget, or resume the thread"},
    {"incomplete", "The agent ended without a result: look at its output, then resume the thread"},
    {"unanswered", "Answer the question, then resume the thread"},
    {"orphaned", "The process that ran it is gone: submit the task again"},
    {"stuck", "Look at the last output, then submit the task again"},
}};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The last failure that the agent's program reported.
std::string failure_message(const RunSummary& run) {
  if (run.turns.last && !run.turns.last->ok && !run.turns.last->text.empty())
    return run.turns.last->text;
  if (!run.failures.empty()) return run.failures.back().message;
  return {};
}

void suggest(ErrorContext& context, const RunFacts& facts, bool tests_failed) {
  auto& list = context.suggestions;
  if (!context.error_locations.empty()) {
    const SourceLocation& first = context.error_locations.front();
    list.push_back(fmt::format("Start investigation at {}:{}", base_name(first.file), first.line));
  }
  for (const Hint& hint : kByType) {
    if (hint.about == context.error_type) list.emplace_back(hint.text);
  }
  if (tests_failed) list.emplace_back("Run failing tests individually to isolate issues");
  bool by_reason = false;
  for (const Hint& hint : kByReason) {
    if (hint.about != facts.reason) continue;
    list.emplace_back(hint.text);
    by_reason = true;
  }
  if (!by_reason && facts.exit_code == 1) {
    list.emplace_back("Review command output for specific error messages");
  } else if (!by_reason && facts.exit_code.value_or(0) > 1) {
    list.push_back(fmt::format("Exit code {} indicates specific failure type - check documentation",
                               *facts.exit_code));
  }
  if (list.size() > kSuggestions) list.resize(kSuggestions);
}

// Why a run failed that nobody called a failure: its process ended as if all were well.
std::string what_is_missing(const RunSummary& run, const RunFacts& facts) {
  if (facts.reason == "incomplete") return "the agent ended without a result";
  if (facts.reason == "blocked" && !run.blocked.empty())
    return fmt::format("the agent is blocked: {}", one_line(run.blocked.back().reason));
  if (facts.reason != "unanswered") return {};
  for (const AskedQuestion& question : run.questions) {
    if (question.pending()) return fmt::format("nobody answered: {}", one_line(question.text));
  }
  return "nobody answered its question";
}

// "## Done" says "Done".
std::string_view without_heading(std::string_view line) {
  const std::size_t words = line.find_first_not_of('#');
  const bool heading = words > 0 && words <= 6 && words < line.size() && line[words] == ' ';
  return heading ? line.substr(words + 1) : line;
}

}  // namespace

std::string timeout_message(std::string_view type, std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
  std::string time = counted(seconds, "second");
  if (limit.count() % 1000 != 0) {
    time = fmt::format("{:g} seconds", static_cast<double>(limit.count()) / 1000);
  } else if (seconds >= 60 && seconds % 60 == 0) {
    time = counted(seconds / 60, "minute");
  }
  return fmt::format("Task exceeded {} timeout ({} {})", type, time,
                     type == "idle" ? "with no output" : "total");
}

std::optional<ErrorContext> MetadataFold::error(const RunSummary& run, const RunFacts& facts,
                                                bool tests_failed) const {
  if (facts.state == TaskState::timeout) {
    ErrorContext context;
    context.error_type = "timeout";
    context.timeout_type = facts.reason == "hard" ? "hard" : "idle";
    context.error_message = timeout_message(context.timeout_type, facts.limit);
    context.elapsed_seconds =
        std::chrono::duration_cast<std::chrono::seconds>(facts.duration).count();
    context.partial_results = facts.partial_results;
    return context;
  }
  const bool known = facts.exit_code || !facts.signal.empty() || !facts.reason.empty();
  if (facts.state != TaskState::failed || !known) return std::nullopt;
  ErrorContext context;
  const std::string reported = failure_message(run);
  for (const std::string& source : {reported, stderr_, failed_output_}) {
    const ErrorText text = read_error_text(source);
    if (context.error_message.empty() && (!text.type.empty() || !text.message.empty())) {
      context.error_type = text.type;
      context.error_message = text.message;
    }
    if (context.error_locations.empty()) context.error_locations = text.locations;
  }
  if (context.error_message.empty()) context.error_message = one_line(utf8::prefix(reported, 1000));
  if (context.error_message.empty()) context.error_message = last_line(stderr_);
  if (context.error_message.empty() && facts.exit_code.value_or(0) == 0)
    context.error_message = what_is_missing(run, facts);
  if (context.error_message.empty() && facts.exit_code)
    context.error_message = fmt::format("the agent ended with exit code {}", *facts.exit_code);
  if (context.error_message.empty() && !facts.signal.empty())
    context.error_message = fmt::format("the agent was ended by signal {}", facts.signal);
  if (context.error_message.empty()) context.error_message = facts.reason;
  if (context.error_type.empty()) context.error_type = facts.reason;
  for (const SourceLocation& location : context.error_locations) {
    if (std::find(context.failed_files.begin(), context.failed_files.end(), location.file) ==
        context.failed_files.end())
      context.failed_files.push_back(location.file);
  }
  suggest(context, facts, tests_failed);
  return context;
}

std::string MetadataFold::summary(const Metadata& metadata, const RunFacts& facts) const {
  if (facts.state == TaskState::cancelled) {
    return facts.cancel_reason.empty() ? "Task cancelled"
                                       : "Task cancelled: " + facts.cancel_reason;
  }
  if (facts.state == TaskState::timeout && metadata.error_context)
    return metadata.error_context->error_message;
  if (facts.state == TaskState::failed) {
    if (!metadata.error_context) return "Task failed";
    const ErrorContext& error = *metadata.error_context;
    if (!error.error_locations.empty() && error.error_type != facts.reason) {
      const SourceLocation& first = error.error_locations.front();
      return fmt::format("Task failed: {} at {}:{}", error.error_type, base_name(first.file),
                         first.line);
    }
    return "Task failed: " + std::string(utf8::prefix(one_line(error.error_message), 200));
  }
  std::string files;
  const auto part = [&files](std::string_view verb, std::size_t count) {
    if (count == 0) return;
    files += fmt::format("{}{} {}", files.empty() ? "" : ", ", verb, counted(count, "file"));
  };
  part("modified", metadata.file_operations.modified_files.size());
  part("added", metadata.file_operations.added_files.size());
  part("deleted", metadata.file_operations.deleted_files.size());
  std::string tests;
  if (metadata.test_results && metadata.test_results->passed > 0)
    tests = counted(metadata.test_results->passed, "test") + " passed";
  if (metadata.test_results && metadata.test_results->failed > 0) {
    tests += fmt::format("{}{} failed", tests.empty() ? "" : ", ",
                         counted(metadata.test_results->failed, "test"));
  }
  std::string all = files + (files.empty() || tests.empty() ? "" : "; ") + tests;
  if (!files.empty()) all.front() = static_cast<char>(all.front() - 'a' + 'A');
  if (!all.empty()) return all;
  const std::string plain = strip_ansi(message_.empty() ? plain_begin_ : message_);
  const std::string_view words = without_blanks(plain);
  const std::string line = one_line(without_heading(words.substr(0, words.find('\n'))));
  return line.empty() ? "Task completed successfully" : std::string(utf8::prefix(line, 120));
}

}  // namespace dragoman
