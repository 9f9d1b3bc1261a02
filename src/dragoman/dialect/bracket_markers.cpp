// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/bracket_markers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/list_markers.hpp"
#include "dragoman/dialect/marker_name.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {
namespace {

using std::string_view;
using Made = Result<std::optional<BracketMarker>>;

// "[NAME] content", or the name alone.
std::string marker_line(string_view name, string_view content) {
  const std::string value = guarded_value(content);
  return fmt::format("[{}]{}{}\n", name, value.empty() ? "" : " ", value);
}

Made made(std::string lines, int blank_lines) {
  return std::optional(BracketMarker{std::move(lines), blank_lines, {}});
}

Made progress(const Status& p) {
  // What the agent's program reports of an activity is no word of the agent's own.
  if (p.message.absent() || !p.activity.empty()) return std::optional<BracketMarker>();
  const std::string message = p.message.str();
  if (trimmed(message).empty()) return refused("PROGRESS: the message is empty");
  return made(marker_line("PROGRESS", message), 0);
}

// A line of a block, guarded. What has the shape of a marker would end the block.
std::string block_line(std::string line) {
  const std::size_t at = leading_space(line);
  if (has_marker_shape(string_view(line).substr(at))) line.replace(at, 1, "&#91;");
  return line;
}

void append_context(std::string& out, string_view line) {
  const std::string shown = block_line(guarded_line(line));
  if (!shown.empty()) out.append(shown).push_back('\n');
}

Made blocked(const Blocked& p) {
  if (trimmed(p.reason).empty()) return refused("BLOCKED: the reason is empty");
  std::string out = marker_line("BLOCKED", p.reason);
  for (const string_view line : p.context) append_context(out, line);
  return made(std::move(out), 1);
}

// Whether a line in a question's block would be read as an option or as the line above them.
bool reads_as_option(string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits >= 1 && digits <= 3 && digits < line.size() &&
      (line[digits] == '.' || line[digits] == ')')) {
    return true;
  }
  constexpr string_view kOptions = "options:";
  return line.size() >= kOptions.size() &&
         std::equal(kOptions.begin(), kOptions.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

// A label ends at the first " - "; one that has its own gets a longer dash.
std::string option_label(string_view label) {
  std::string out = guarded_value(label);
  for (std::size_t at = out.find(" - "); at != std::string::npos; at = out.find(" - ", at)) {
    out.replace(at, 3, " \u2013 ");
  }
  if (out.ends_with(" -")) out.replace(out.size() - 1, 1, "\u2013");
  return out;
}

std::vector<std::string> context_lines(const Question& q) {
  std::vector<std::string> lines;
  for (const string_view line : q.context) {
    std::string shown = block_line(guarded_line(line));
    if (shown.empty()) continue;
    // A digit at the start is spelled as a reference, so that the line stays context.
    if (reads_as_option(shown)) {
      shown = fmt::format("&#{};{}", static_cast<int>(shown[0]), string_view(shown).substr(1));
    }
    lines.push_back(std::move(shown));
  }
  return lines;
}

Made question(const Question& q, const Origin& origin) {
  if (trimmed(q.text).empty()) return refused("QUESTION: the text is empty");
  std::string out = marker_line("QUESTION", q.text);
  // The context of a comment in an agent's message is what the message says before it, and that is
  // written already.
  const bool above = q.source == QuestionSource::comment && origin.via.has_value();
  std::vector<std::string> context = above ? std::vector<std::string>() : context_lines(q);
  if (!q.options.empty() || !context.empty()) out += "Options:\n";
  int number = 0;
  for (const Option& option : q.options) {
    const std::string label = option_label(option.label);
    if (label.empty()) return refused("QUESTION: an option without a label");
    out += fmt::format("{}. {}", ++number, label);
    if (const std::string description = guarded_value(option.description); !description.empty()) {
      out += " - " + description;
    }
    out.push_back('\n');
  }
  // A paragraph behind a blank line is context only where there are options.
  if (q.options.empty()) {
    for (const std::string& line : std::exchange(context, {})) out.append(line).push_back('\n');
  }
  return std::optional(BracketMarker{std::move(out), 2, std::move(context)});
}

Made complete(const CompletionClaimed& p) {
  if (p.iterations) {
    if (*p.iterations < 0) return refused("CODEX_COMPLETE: a negative number of iterations");
    return made(fmt::format("[CODEX_COMPLETE] Task completed in {} iterations\n", *p.iterations),
                0);
  }
  return made(marker_line("CODEX_COMPLETE", p.text), 0);
}

bool is_key(string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-';
  });
}

Made need_context(const ContextRequest& p) {
  const std::array<Field, 3> named = {
      {{"type", p.type}, {"library", p.library}, {"query", p.query}}};
  const std::span<const Field> fields = p.all.empty() ? std::span<const Field>(named) : p.all;
  std::string out = "[NEED_CONTEXT]";
  for (const Field& field : fields) {
    if (field.value.data() == nullptr) continue;
    if (!is_key(field.key)) return refused(fmt::format("NEED_CONTEXT: '{}' is no key", field.key));
    out += fmt::format(" {}={}", field.key, quoted_unless_bare(field.value));
  }
  if (out == "[NEED_CONTEXT]") return refused("NEED_CONTEXT: nothing is asked for");
  return made(std::move(out) + "\n", 0);
}

// The second blank line ends the block. A body that needs the first one for itself follows its
// subject directly; further ones are left out.
Made commit(const CommitSuggestion& p) {
  if (trimmed(p.subject).empty()) return refused("GIT_COMMIT_SUGGESTION: the subject is empty");
  std::string body;
  int blanks = 0;
  string_view rest = p.body;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = block_line(guarded_body_line(rest.substr(0, end)));
    if (!line.empty()) {
      body.append(line).push_back('\n');
    } else if (!body.empty() && !trimmed(rest).empty() && ++blanks == 1) {
      body.push_back('\n');
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string out = marker_line("GIT_COMMIT_SUGGESTION", p.subject);
  if (!body.empty() && blanks == 0) out.push_back('\n');
  return made(out + body, 2);
}

Made listed(Result<std::string> lines) {
  if (!lines) return std::move(lines).error();
  return made(*std::move(lines), 1);
}

}  // namespace

Result<std::optional<BracketMarker>> bracket_marker(const Event& event) {
  if (const auto* p = event.as<Status>()) return progress(*p);
  if (const auto* p = event.as<Blocked>()) return blocked(*p);
  if (const auto* p = event.as<Question>()) return question(*p, event.origin);
  if (const auto* p = event.as<FilesChanged>()) return listed(files_modified_lines(*p));
  if (const auto* p = event.as<CompletionClaimed>()) return complete(*p);
  if (const auto* p = event.as<ContextRequest>()) return need_context(*p);
  if (const auto* p = event.as<TestResults>()) {
    const bool own = event.origin.dialect == Dialect::markers;
    return listed(test_results_lines(*p, own ? event.extra : std::span<const Extra>()));
  }
  if (const auto* p = event.as<LintWarnings>()) return listed(lint_warnings_lines(*p));
  if (const auto* p = event.as<DependencyNeeded>()) return listed(dependency_lines(*p));
  if (const auto* p = event.as<CommitSuggestion>()) return commit(*p);
  return std::optional<BracketMarker>();
}

}  // namespace dragoman
