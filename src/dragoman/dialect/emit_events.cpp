// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/emit_events.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/list_markers.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {
namespace {

using std::string_view;

template <typename T>
std::span<const T> kept(const EmitArguments& a, const std::vector<T>& items) {
  return a.arena().copy(std::span<const T>(items));
}

// A count: whole and not negative. `fallback` when it was not given.
Result<std::int64_t> count(const EmitArguments& a, string_view field, std::int64_t fallback) {
  if (!a.number(field)) return fallback;
  const auto value = a.integer(field);
  if (!value || *value < 0) {
    return refused(fmt::format("{}: '{}' is not a whole number from 0 on", field, a.text(field)));
  }
  return *value;
}

Option option_from(string_view value) {
  const std::size_t dash = value.find(" - ");
  if (dash == string_view::npos) return {trimmed(value), {}};
  return {trimmed(value.substr(0, dash)), trimmed(value.substr(dash + 3))};
}

std::optional<std::int64_t> take_number_from_the_end(string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == string_view::npos) return std::nullopt;
  const string_view digits = text.substr(colon + 1);
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || fault != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  text = text.substr(0, colon);
  return value;
}

// path:line[:column]: [severity] message [rule]
std::optional<LintItem> lint_item(string_view value) {
  const std::size_t colon = value.find(": ");
  if (colon == string_view::npos) return std::nullopt;
  LintItem item;
  string_view place = value.substr(0, colon);
  string_view words = trimmed(value.substr(colon + 2));
  const auto last = take_number_from_the_end(place);
  const auto before = take_number_from_the_end(place);
  item.line = before ? before : last;
  if (before) item.column = last;
  item.file = place;
  for (const string_view severity : {"error", "warning", "info"}) {
    if (words.starts_with(severity) && words.substr(severity.size()).starts_with(' ')) {
      item.severity = words.substr(0, severity.size());
      words = trimmed(words.substr(severity.size()));
      break;
    }
  }
  if (const std::size_t open = words.rfind(" ["); words.ends_with(']') && open != words.npos) {
    item.rule = words.substr(open + 2, words.size() - open - 3);
    words = trimmed(words.substr(0, open));
  }
  item.message = words;
  if (!item.line || item.file.empty() || item.message.empty()) return std::nullopt;
  return item;
}

}  // namespace

Result<Payload> emit_question(const EmitArguments& a) {
  Question q;
  q.text = a.text("text");
  q.header = a.text("header");
  std::vector<Option> options;
  for (const string_view value : a.list("option")) {
    options.push_back(option_from(value));
    if (options.back().label.empty())
      return refused(fmt::format("option: '{}' has no label", value));
  }
  if (options.size() == 1 || options.size() > 4) {
    return refused(fmt::format("option: {} given; a question has 2 to 4, or none for free text",
                               options.size()));
  }
  q.options = kept(a, options);
  q.multi_select = a.boolean("multi-select").value_or(false);
  q.free_text = a.boolean("free-text").value_or(true);
  if (!q.free_text && q.options.empty()) {
    return refused("free-text: a question without options can be answered in no other way");
  }
  q.context = kept(a, a.list("context"));
  return Payload(q);
}

Result<Payload> emit_progress(const EmitArguments& a) {
  Status p;
  p.status = "in_progress";
  p.message = a.text("message");
  return Payload(p);
}

Result<Payload> emit_blocked(const EmitArguments& a) {
  Blocked p;
  p.reason = a.text("reason");
  p.context = kept(a, a.list("context"));
  return Payload(p);
}

Result<Payload> emit_files_modified(const EmitArguments& a) {
  std::vector<FileChange> files;
  for (const string_view path : a.list("created")) {
    files.push_back({path, FileAction::created, {}, {}});
  }
  for (const string_view path : a.list("modified")) {
    files.push_back({path, FileAction::modified, {}, {}});
  }
  for (const string_view path : a.list("deleted")) {
    files.push_back({path, FileAction::deleted, {}, {}});
  }
  for (const string_view value : a.list("renamed")) {
    const std::size_t arrow = value.find("->");
    if (arrow == string_view::npos) {
      return refused(fmt::format("renamed: '{}' is not 'old -> new'", value));
    }
    files.push_back({trimmed(value.substr(arrow + 2)),
                     FileAction::renamed,
                     trimmed(value.substr(0, arrow)),
                     {}});
  }
  for (const FileChange& file : files) {
    if (const auto fault = list_fault(file))
      return refused(fmt::format("{}: '{}' {}", name(file.action), fault->value, fault->why));
  }
  FilesChanged p;
  p.files = kept(a, files);
  p.claimed = true;
  return Payload(p);
}

Result<Payload> emit_complete(const EmitArguments& a) {
  CompletionClaimed p;
  p.by = "codex_complete";
  DRAGOMAN_TRY(p.iterations, count(a, "iterations", 0));
  return Payload(p);
}

Result<Payload> emit_need_context(const EmitArguments& a) {
  ContextRequest p;
  p.type = a.text("type");
  p.query = a.text("query");
  p.library = a.text("library");
  std::vector<Field> fields = {{"type", p.type}};
  if (p.library.data() != nullptr) fields.push_back({"library", p.library});
  fields.push_back({"query", p.query});
  for (const string_view value : a.list("field")) {
    const std::size_t equals = value.find('=');
    if (equals == string_view::npos) {
      return refused(fmt::format("field: '{}' is not key=value", value));
    }
    const string_view key = value.substr(0, equals);
    if (std::ranges::find(fields, key, &Field::key) != fields.end())
      return misused(fmt::format("field: '{}' is given twice", key));
    fields.push_back({key, value.substr(equals + 1)});
  }
  p.all = kept(a, fields);
  return Payload(p);
}

Result<Payload> emit_test_results(const EmitArguments& a) {
  TestResults p;
  DRAGOMAN_TRY(p.passed, count(a, "passed", 0));
  std::vector<TestCase> tests;
  for (const string_view name : a.list("failing")) {
    if (const string_view why = line_fault(name); !why.empty())
      return refused(fmt::format("failing: '{}' {}", name, why));
    tests.push_back({name, "failed", {}});
  }
  DRAGOMAN_TRY(p.failed, count(a, "failed", static_cast<std::int64_t>(tests.size())));
  DRAGOMAN_TRY(p.skipped, count(a, "skipped", 0));
  if (const auto duration = a.number("duration")) {
    if (duration->real < 0) return refused("duration: is negative");
    p.duration_s = duration->real;
  }
  p.framework = a.text("framework");
  p.tests = kept(a, tests);
  return Payload(p);
}

Result<Payload> emit_lint_warnings(const EmitArguments& a) {
  std::vector<LintItem> items;
  for (const string_view value : a.list("item")) {
    const auto item = lint_item(value);
    if (!item) return refused(fmt::format("item: '{}' is not path:line: message", value));
    items.push_back(*item);
  }
  LintWarnings p;
  p.items = kept(a, items);
  p.summary = a.text("summary");
  return Payload(p);
}

Result<Payload> emit_dependency(const EmitArguments& a) {
  const std::vector<Dependency> items = {
      {a.text("name"), a.text("version"), a.text("manager"), a.text("reason")}};
  if (const auto fault = list_fault(items.front()))
    return refused(fmt::format("{}: '{}' {}", fault->field, fault->value, fault->why));
  DependencyNeeded p;
  p.items = kept(a, items);
  return Payload(p);
}

Result<Payload> emit_commit(const EmitArguments& a) {
  CommitSuggestion p;
  p.subject = a.text("subject");
  p.body = a.text("body");
  return Payload(p);
}

}  // namespace dragoman
