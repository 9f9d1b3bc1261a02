// SPDX-License-Identifier: Apache-2.0
// Reports in marker form, and what the reader has to say about the input.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/event/waits_for.hpp"
#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

bool has_errors(const LintWarnings& p) {
  return std::any_of(p.items.begin(), p.items.end(),
                     [](const LintItem& item) { return item.severity == "error"; });
}

bool same_counts(const TestResults& a, const TestResults& b) {
  return a.passed == b.passed && a.failed == b.failed && a.skipped == b.skipped &&
         a.duration_s == b.duration_s && a.framework == b.framework;
}

}  // namespace

void TerminalRenderer::show_rate_limit(const RateLimited& p) {
  const bool allowed = p.status == "allowed" || p.status == "allowed_warning";
  const WaitsFor what = waits_for(p);
  if (quiet() && allowed) return;
  std::string words = allowed                        ? "limit"
                      : what == WaitsFor::service    ? "overloaded"
                      : what == WaitsFor::connection ? "retrying"
                                                     : "rate limited";
  const auto add = [&words](std::string_view part) { words.append(" \u00B7 ").append(part); };
  if (!p.limit.empty() && what != WaitsFor::service) {
    std::string limit;
    append_terminal(limit, p.limit, Breaks::join);
    std::replace(limit.begin(), limit.end(), '_', ' ');
    add(limit);
  }
  if (p.utilization.has_value()) add(fmt::format("{:.0f} % used", *p.utilization * 100));
  if (p.resets_at.has_value() && p.resets_at->whole().has_value()) {
    std::string when;
    const std::int64_t seconds = std::clamp<std::int64_t>(*p.resets_at->whole(), 0, 253402300799);
    append_timestamp(when, Timestamp(std::chrono::seconds(seconds)));
    add(fmt::format("resets {} {} UTC", when.substr(0, 10), when.substr(11, 5)));
  }
  if (p.attempt.has_value()) add(fmt::format("attempt {}", *p.attempt));
  if (p.delay_ms.has_value()) {
    std::string delay = "again in ";
    append_duration(delay, p.delay_ms->real);
    add(delay);
  }
  const std::string_view status =
      allowed || what == WaitsFor::connection ? std::string_view() : p.status;
  if (!status.empty()) words.append(": ");
  show_line(allowed ? Ink::dim : Ink::paused, allowed ? "\u00B7" : "\u25F7", words, status);
}

void TerminalRenderer::show_claim(const CompletionClaimed& p) {
  std::string words = "the agent says it is done";
  if (p.iterations.has_value()) words.append(" after ").append(counted(*p.iterations, "iteration"));
  if (!p.text.empty()) words.append(": ");
  show_line(Ink::completed, "\u2713", words, p.text);
}

void TerminalRenderer::show_artifact(const ArtifactUpdated& p) {
  std::string words;
  append_terminal(words, p.artifact, Breaks::join);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (!p.name.empty()) append_terminal(words.append(" "), p.name, Breaks::join);
  show_line(Ink::in_progress, "\u25C6", words + " updated: ", p.path);
}

void TerminalRenderer::show_context_request(const ContextRequest& p) {
  std::string fields;
  for (const Field& field : p.all) {
    fields.append(fields.empty() ? "" : " ").append(field.key).append("=").append(field.value);
  }
  if (fields.empty()) fields = fmt::format("{} {} {}", p.type, p.library, p.query);
  show_line(Ink::paused, "?", "context wanted: ", std::string_view(fields));
}

void TerminalRenderer::show_tests(const TestResults& p, const TestResults* before) {
  if (quiet() && p.failed == 0) return;
  if (before == nullptr || !same_counts(p, *before)) show_test_counts(p);
  for (const TestCase& test : before == nullptr ? p.tests : added(p.tests, before->tests)) {
    const bool failed = test.status == "failed";
    if (!failed && !verbose()) continue;
    rich_.clear();
    rich_.put(failed ? Ink::failed : Ink::dim, failed ? "  \u2717 " : "  \u00B7 ");
    rich_.add(Ink::plain, test.name);
    if (!failed) rich_.add(Ink::dim, fmt::format(" {}", test.status));
    if (!test.note.empty()) rich_.add(Ink::dim, fmt::format(" \u2013 {}", test.note));
    sheet_.lines(rich_);
  }
}

void TerminalRenderer::show_test_counts(const TestResults& p) {
  const bool good = p.failed == 0;
  std::string words = fmt::format("tests: {} passed, {} failed", p.passed, p.failed);
  if (p.skipped > 0) words.append(fmt::format(", {} skipped", p.skipped));
  if (p.duration_s.has_value()) append_duration(words.append(" in "), *p.duration_s * 1000);
  if (!p.framework.empty()) words.append(" \u00B7 ");
  show_line(good ? Ink::completed : Ink::failed, good ? "\u2713" : "\u2717", words, p.framework);
}

void TerminalRenderer::show_lint(const LintWarnings& p, const LintWarnings* before) {
  if (quiet() && !has_errors(p)) return;
  std::string words = fmt::format("lint: {} findings", p.items.size());
  if (!p.summary.empty()) words.append(" \u00B7 ");
  show_line(p.items.empty() ? Ink::completed : Ink::paused, "\u25B2", words, p.summary);
  for (const LintItem& item : before == nullptr ? p.items : added(p.items, before->items)) {
    rich_.clear();
    rich_.put(Ink::plain, "  ");
    rich_.add(Ink::code, item.file);
    if (item.line.has_value()) rich_.put(Ink::code, fmt::format(":{}", *item.line));
    if (item.column.has_value()) rich_.put(Ink::code, fmt::format(":{}", *item.column));
    rich_.put(Ink::plain, " ");
    const Ink ink = item.severity == "error" ? Ink::failed : Ink::paused;
    rich_.add(ink, item.severity);
    rich_.put(Ink::plain, " ");
    rich_.add(Ink::plain, item.message);
    if (!item.rule.empty()) rich_.add(Ink::dim, fmt::format(" [{}]", item.rule));
    sheet_.lines(rich_);
  }
}

void TerminalRenderer::show_dependencies(const DependencyNeeded& p,
                                         const DependencyNeeded* before) {
  for (const Dependency& item : before == nullptr ? p.items : added(p.items, before->items)) {
    std::string words(item.name);
    if (!item.version.empty()) words.append("@").append(item.version);
    if (!item.manager.empty()) words.append(" (").append(item.manager).append(")");
    if (!item.reason.empty()) words.append(" \u2013 ").append(item.reason);
    show_line(Ink::paused, "+", "needs ", std::string_view(words));
  }
}

void TerminalRenderer::show_commit(const CommitSuggestion& p, const CommitSuggestion* before) {
  std::string_view body = p.body;
  if (before == nullptr) {
    show_line(Ink::accent, "\u270E", "commit message suggested: ", p.subject);
  } else {
    body.remove_prefix(std::min(body.size(), before->body.size()));
    body.remove_prefix(std::min(body.size(), body.find_first_not_of('\n')));
  }
  if (!body.empty()) show_verbatim(body, Ink::dim, SIZE_MAX);
}

void TerminalRenderer::show_finding(Ink ink, std::string_view what, std::string_view agents_words) {
  begin_section(Sort::note);
  rich_.clear();
  rich_.put(ink, "\u00B7 ");
  rich_.put(ink, what);
  if (verbose()) {
    rich_.add(Ink::dim, agents_words, Breaks::keep);
    sheet_.lines(rich_);
    return;
  }
  std::string line;
  const bool more = append_first_line(line, json::Text(agents_words), 4 * options_.width);
  rich_.add(Ink::dim, line);
  if (more) rich_.put(Ink::dim, " \u2026");
  // Why a run was ended stands nowhere else.
  if (ink == Ink::failed) {
    sheet_.lines(rich_);
  } else {
    sheet_.elided(rich_);
  }
}

void TerminalRenderer::show_quoted(const QuotedMarker& p) {
  std::string what = "quoted, not obeyed (";
  append_terminal(what, p.reason, Breaks::join);
  show_finding(Ink::dim, what.append("): "), p.raw);
}

void TerminalRenderer::show_malformed(const Malformed& p) {
  std::string what = "not understood (";
  append_terminal(what, p.reason, Breaks::join);
  if (!p.detail.empty()) append_terminal(what.append(": "), more_than_reason(p), Breaks::join);
  show_finding(Ink::paused, what.append("): "), p.raw);
}

void TerminalRenderer::show_oversize(const Oversize& p) {
  show_finding(Ink::paused, fmt::format("a line of {} bytes is left out: ", p.bytes), p.head);
}

void TerminalRenderer::show_unknown(const Unknown& p) {
  std::string what = "unknown ";
  append_terminal(what, p.type, Breaks::join);
  show_finding(Ink::dim, what.append(" "), p.raw.json);
}

void TerminalRenderer::show_diagnostic(const Diagnostic& p) {
  if (quiet() && p.level != Level::error) return;
  std::string what;
  append_terminal(what, p.rule, Breaks::join);
  const Ink ink = p.level == Level::error ? Ink::failed : Ink::dim;
  show_finding(ink, what.append(": "), p.message);
}

}  // namespace dragoman::show
