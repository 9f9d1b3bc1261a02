// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/item_reports.hpp"

#include <fmt/format.h>

#include "dragoman/event/names.hpp"
#include "dragoman/event/waits_for.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

std::string text_of(std::string_view text) { return std::string(text); }

}  // namespace

Item report_item(const Blocked& p) {
  Item item{.tone = Tone::warning, .icon = "■", .label = "Blocked", .title = text_of(p.reason)};
  for (const std::string_view context : p.context) item.add_fact("", context);
  return item;
}

Item report_item(const FilesChanged& p) {
  Item item{.icon = "±", .label = p.claimed ? "Files changed, as the agent says" : "Files changed"};
  for (const FileChange& file : p.files) {
    item.add({name(file.action), text_of(file.path),
              file.from.empty() ? std::string() : fmt::format("from {}", file.from),
              text_of(file.note)});
  }
  return item;
}

Item report_item(const Usage& p) {
  Item item{.tone = Tone::quiet, .icon = "Σ", .label = "Usage"};
  const auto add = [&item](std::string_view mark, const std::optional<std::int64_t>& tokens) {
    if (tokens) item.add_fact(mark, count_words(*tokens));
  };
  add("input", p.input_tokens);
  add("cached", p.cached_input_tokens);
  add("cache write", p.cache_write_tokens);
  add("output", p.output_tokens);
  add("reasoning", p.reasoning_tokens);
  if (p.cost_usd) item.add_fact("cost", fmt::format("${:.4f}", *p.cost_usd));
  return item;
}

Item report_item(const RateLimited& p) {
  Item item{.tone = Tone::warning, .icon = "⏳", .label = "Rate limit", .title = text_of(p.status)};
  if (p.status == "allowed") item.tone = Tone::quiet;
  const WaitsFor what = waits_for(p);
  if (what == WaitsFor::service) item.label = "Overloaded";
  if (what == WaitsFor::connection) item.label = "Retry";
  if (what != WaitsFor::service) item.add_fact("limit", p.limit);
  if (p.utilization) item.add_fact("used", fmt::format("{:.0f} %", *p.utilization * 100));
  if (p.attempt) item.add_fact("attempt", std::to_string(*p.attempt));
  if (p.delay_ms) item.add_fact("waits", duration_words(p.delay_ms->real));
  if (p.resets_at) item.add_fact("resets at", number_words(p.resets_at->real));
  return item;
}

Item report_item(const CompletionClaimed& p) {
  Item item{.tone = Tone::good, .icon = "✓", .label = "Says it is done", .title = text_of(p.text)};
  item.add_fact("by", p.by);
  if (p.iterations) item.add_fact("iterations", std::to_string(*p.iterations));
  return item;
}

Item report_item(const TurnFinished& p) {
  Item item{.tone = p.ok ? Tone::quiet : Tone::bad,
            .icon = p.ok ? "✓" : "✗",
            .label = p.ok ? "Turn finished" : "Turn failed"};
  if (p.subtype != "success" && p.subtype != "completed") item.title = text_of(p.subtype);
  if (p.terminal_reason != p.subtype && p.terminal_reason != "completed") {
    item.add_fact("because", p.terminal_reason);
  }
  if (p.num_turns) item.add_fact("turns", std::to_string(*p.num_turns));
  if (p.duration_ms) item.add_fact("took", duration_words(p.duration_ms->real));
  item.verbatim = shortened(p.text);
  return item;
}

Item report_item(const Finished& p) {
  const bool ok = p.verdict == "completed";
  Item item{.tone = ok ? Tone::good : Tone::bad,
            .icon = ok ? "✓" : "✗",
            .label = "Verdict",
            .title = text_of(p.verdict)};
  for (const std::string_view reason : p.reasons) item.add_fact("", reason);
  if (p.exit_code) item.add_fact("exit code", std::to_string(*p.exit_code));
  item.add_fact("signal", p.signal);
  return item;
}

Item report_item(const ArtifactUpdated& p) {
  Item item{.icon = "◆", .label = "Artifact", .title = text_of(p.name)};
  item.add_fact("", p.artifact);
  item.add_fact("scope", p.scope);
  if (!p.path.empty()) item.add({"", text_of(p.path), {}, {}});
  return item;
}

Item report_item(const ServerReady& p) {
  Item item{.tone = Tone::good, .icon = "◉", .label = "Server ready"};
  item.add({"", text_of(p.url), {}, {}});
  return item;
}

Item report_item(const GoTo& p) {
  return {.icon = "↷", .label = "Goes to", .title = text_of(p.step)};
}

Item report_item(const ContextRequest& p) {
  Item item{.icon = "⌕", .label = "Asks for context", .title = text_of(p.query)};
  item.add_fact("type", p.type);
  item.add_fact("library", p.library);
  for (const Field& field : p.all) {
    if (field.key == "type" || field.key == "query" || field.key == "library") continue;
    item.add({"", text_of(field.key), text_of(field.value), {}});
  }
  return item;
}

Item report_item(const TestResults& p) {
  Item item{
      .tone = p.failed > 0 ? Tone::bad : Tone::good,
      .icon = p.failed > 0 ? "✗" : "✓",
      .label = "Tests",
      .title = fmt::format("{} passed, {} failed, {} skipped", p.passed, p.failed, p.skipped)};
  item.add_fact("framework", p.framework);
  if (p.duration_s) item.add_fact("took", duration_words(*p.duration_s * 1000));
  for (const TestCase& test : p.tests) {
    const std::string_view mark = test.status == "passed"   ? "✓"
                                  : test.status == "failed" ? "✗"
                                                            : "–";
    item.add({mark, text_of(test.name), text_of(test.status), text_of(test.note)});
  }
  return item;
}

Item report_item(const LintWarnings& p) {
  Item item{.tone = Tone::warning, .icon = "⚠", .label = "Lint", .title = text_of(p.summary)};
  for (const LintItem& lint : p.items) {
    std::string place(lint.file);
    if (lint.line) place += fmt::format(":{}", *lint.line);
    if (lint.column) place += fmt::format(":{}", *lint.column);
    std::string note(lint.severity);
    if (!lint.rule.empty()) note += fmt::format("{}{}", note.empty() ? "" : ", ", lint.rule);
    item.add({"", std::move(place), text_of(lint.message), std::move(note)});
  }
  return item;
}

Item report_item(const DependencyNeeded& p) {
  Item item{.icon = "+", .label = "Needs"};
  for (const Dependency& dependency : p.items) {
    std::string what(dependency.name);
    if (!dependency.version.empty()) what += fmt::format(" {}", dependency.version);
    item.add({"", std::move(what), text_of(dependency.reason), text_of(dependency.manager)});
  }
  return item;
}

Item report_item(const CommitSuggestion& p) {
  Item item{.icon = "⎇", .label = "Suggests the commit", .title = text_of(p.subject)};
  item.verbatim = shortened(p.body);
  return item;
}

Item report_item(const QuotedMarker& p) {
  Item item{.tone = Tone::quiet, .icon = "❝", .label = "Marker in quoted text, not obeyed"};
  item.add_fact("in", p.reason);
  item.add({"", shortened(p.raw, 4096), {}, {}});
  return item;
}

Item report_item(const Malformed& p) {
  Item item{
      .tone = Tone::warning, .icon = "⚠", .label = "Broken marker", .title = text_of(p.reason)};
  item.add_fact("", more_than_reason(p));
  item.add_fact("type", p.type);
  item.verbatim = shortened(p.raw, 4096);
  return item;
}

Item report_item(const Oversize& p) {
  Item item{
      .tone = Tone::warning, .icon = "⚠", .label = "Line too long", .title = size_words(p.bytes)};
  item.verbatim = text_of(p.head) + "\n…\n" + text_of(p.tail);
  return item;
}

Item report_item(const Unknown& p) {
  Item item{.tone = Tone::quiet, .icon = "·", .label = "Unknown", .title = text_of(p.type)};
  item.verbatim = shortened(json::Text(p.raw.json), 4096);
  return item;
}

Item report_item(const Diagnostic& p) {
  Item item{.tone = Tone::quiet, .icon = "·", .label = "Note", .title = text_of(p.message)};
  if (p.level == Level::warning) item.tone = Tone::warning;
  if (p.level == Level::error) item.tone = Tone::bad;
  if (p.level != Level::info) item.icon = "⚠";
  if (!p.rule.empty()) item.add({"rule", text_of(p.rule), {}, {}});
  return item;
}

}  // namespace dragoman::show
