// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/list_markers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;
using Words = std::span<const string_view>;

constexpr std::array<string_view, 9> kActionWords = {
    "created", "modified", "deleted", "renamed", "added", "new", "updated", "changed", "removed"};
constexpr std::array<string_view, 7> kNothing = {"none", "(none)", "no files", "nothing",
                                                 "n/a",  "None",   "N/A"};
constexpr std::array<string_view, 3> kTestWords = {"passed", "failed", "skipped"};
constexpr std::array<string_view, 3> kSeverities = {"error", "warning", "info"};

bool is_one_of(Words words, string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Whether a name survives on a list line unchanged.
bool stands_on_a_line(string_view name) { return line_fault(name).empty(); }

bool holds_bracket_of(string_view text, Words words) {
  for (std::size_t at = text.find('('); at != string_view::npos; at = text.find('(', at + 1)) {
    const std::size_t close = std::min(text.find(')', at), text.size());
    if (is_one_of(words, trimmed(text.substr(at + 1, close - at - 1)))) return true;
  }
  return false;
}

void replace_all(std::string& text, string_view what, string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

// The note behind "name (word)". Readers look for that bracket from the end of the line, so a note
// with one of its own, or with a crowd of others, has its brackets spelled as references.
std::string bracket_note(string_view note, Words words) {
  std::string out = guarded_value(note);
  if (holds_bracket_of(out, words) || std::ranges::count(out, '(') > 4) {
    replace_all(out, "(", "&#40;");
  }
  while (out.starts_with("- ")) out = trimmed(string_view(out).substr(2));
  return out.empty() ? out : " " + out;
}

constexpr string_view kArrow = " -> ";

string_view path_fault(const FileChange& file) {
  if (const string_view fault = line_fault(file.path); !fault.empty()) return fault;
  const bool ticked = file.path.size() >= 2 && file.path.front() == '`' && file.path.back() == '`';
  if (ticked) return "stands in backticks";
  if (file.action == FileAction::unknown) {
    const bool other = holds_bracket_of(file.path, kActionWords) || is_one_of(kNothing, file.path);
    return other ? "would not be read as a path" : string_view();
  }
  const bool arrow = file.action == FileAction::renamed && file.path.find(kArrow) != file.path.npos;
  return arrow ? "holds ' -> '" : string_view();
}

string_view old_path_fault(const FileChange& file) {
  if (file.action != FileAction::renamed || file.from.empty()) return {};
  if (const string_view fault = line_fault(file.from); !fault.empty()) return fault;
  if (file.from.front() == '`') return "begins with a backtick";
  return file.from.find(kArrow) != file.from.npos ? "holds ' -> '" : string_view();
}

// "path:12:" inside a path would be taken for the place.
bool holds_a_place(string_view path) {
  for (std::size_t at = path.find(':'); at != string_view::npos; at = path.find(':', at + 1)) {
    const std::size_t end = path.find_first_not_of("0123456789", at + 1);
    if (end == string_view::npos || (end > at + 1 && path[end] == ':')) return true;
  }
  return false;
}

Result<std::string> lint_line(const LintItem& item) {
  const bool placed = stands_on_a_line(item.file) && !holds_a_place(item.file) && item.line &&
                      *item.line >= 0 && item.column.value_or(0) >= 0;
  if (!placed) return refused(fmt::format("LINT_WARNINGS: no place in file '{}'", item.file));
  const string_view severity = item.severity.data() == nullptr ? "warning" : item.severity;
  if (!is_one_of(kSeverities, severity)) {
    return refused(fmt::format("LINT_WARNINGS: '{}' is not error, warning or info", severity));
  }
  std::string message = guarded_value(item.message);
  if (message.empty()) return refused("LINT_WARNINGS: an item without a message");
  std::string rule = guarded_value(item.rule);
  replace_all(rule, "[", "&#91;");
  replace_all(rule, "]", "&#93;");
  // Without a rule, a bracket at the end of the message would be taken for one.
  if (rule.empty() && message.back() == ']') message.replace(message.size() - 1, 1, "&#93;");
  std::string out = fmt::format("- {}:{}", item.file, *item.line);
  if (item.column) out += fmt::format(":{}", *item.column);
  out += fmt::format(": {} {}", severity, message);
  if (!rule.empty()) out += fmt::format(" [{}]", rule);
  return out + "\n";
}

// Of the name or the version of a package, which may begin with an '@'.
string_view package_fault(string_view value, std::size_t at_allowed_before) {
  if (const string_view fault = line_fault(value); !fault.empty()) return fault;
  if (value.find_first_of(" \t\n\r()") != value.npos) return "holds a blank or a bracket";
  return value.find('@', at_allowed_before) != value.npos ? "holds an '@'" : string_view();
}

string_view manager_fault(string_view value) {
  if (const string_view fault = line_fault(value); !fault.empty()) return fault;
  if (value.find_first_of("()") != value.npos) return "holds a bracket";
  return value.find(" - ") != value.npos ? "holds ' - '" : string_view();
}

}  // namespace

string_view line_fault(string_view value) {
  if (value.empty()) return "is empty";
  if (!utf8::valid(value)) return "is not UTF-8";
  if (guarded_value(value) == value) return {};
  const std::string line = on_one_line(value);
  if (line == value) return "holds a comment marker";
  return value.find(line) != value.npos ? "begins or ends with a blank" : "holds a line end";
}

std::optional<ListFault> list_fault(const FileChange& file) {
  if (const string_view why = path_fault(file); !why.empty())
    return ListFault{"path", file.path, why};
  if (const string_view why = old_path_fault(file); !why.empty())
    return ListFault{"path", file.from, why};
  return std::nullopt;
}

std::optional<ListFault> list_fault(const Dependency& item) {
  if (const string_view why = package_fault(item.name, 1); !why.empty())
    return ListFault{"name", item.name, why};
  if (const string_view why = package_fault(item.version, 0); !item.version.empty() && !why.empty())
    return ListFault{"version", item.version, why};
  if (const string_view why = manager_fault(item.manager); !item.manager.empty() && !why.empty())
    return ListFault{"manager", item.manager, why};
  return std::nullopt;
}

std::string quoted_unless_bare(string_view value) {
  std::string line = guarded_value(value);
  if (!line.empty() && line.find_first_of(" \t\"\\=") == std::string::npos) return line;
  std::string out = "\"";
  for (const char c : line) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

Result<std::string> files_modified_lines(const FilesChanged& files) {
  std::string out = "[FILES_MODIFIED]\n";
  if (files.files.empty()) out += "- none\n";
  for (const FileChange& file : files.files) {
    if (const auto fault = list_fault(file)) {
      return refused(fmt::format("FILES_MODIFIED: the path '{}' {}", fault->value, fault->why));
    }
    out += "- ";
    if (file.action == FileAction::renamed && !file.from.empty()) {
      out.append(file.from).append(" -> ");
    }
    out.append(file.path);
    if (file.action != FileAction::unknown) {
      out += fmt::format(" ({}){}", name(file.action), bracket_note(file.note, kActionWords));
    }
    out.push_back('\n');
  }
  return out;
}

Result<std::string> test_results_lines(const TestResults& results, std::span<const Extra> pairs) {
  if (results.passed < 0 || results.failed < 0 || results.skipped < 0) {
    return refused("TEST_RESULTS: a negative number of tests");
  }
  // "3 passed" in the framework's name would be counted.
  const std::string framework = guarded_value(results.framework);
  const bool counts = framework.find_first_of(" \t") != std::string::npos &&
                      framework.find_first_of("0123456789") != std::string::npos;
  if (counts) return refused("TEST_RESULTS: the framework's name holds a number and a blank");
  std::string out = fmt::format("[TEST_RESULTS] passed={} failed={} skipped={}", results.passed,
                                results.failed, results.skipped);
  if (results.duration_s) {
    out += " duration=";
    json::append_number(out, Number::of(*results.duration_s));
    out += "s";
  }
  if (!framework.empty()) out += " framework=" + quoted_unless_bare(framework);
  for (const Extra& pair : pairs) {
    const string_view value = pair.value.json;
    if (value.size() < 2 || value.front() != '"') continue;
    out +=
        fmt::format(" {}={}", pair.key,
                    quoted_unless_bare(json::Text(value.substr(1, value.size() - 2), true).str()));
  }
  out.push_back('\n');
  for (const TestCase& test : results.tests) {
    if (const string_view why = line_fault(test.name); !why.empty()) {
      return refused(fmt::format("TEST_RESULTS: the name '{}' {}", test.name, why));
    }
    if (!is_one_of(kTestWords, test.status)) {
      return refused(
          fmt::format("TEST_RESULTS: '{}' is not passed, failed or skipped", test.status));
    }
    out +=
        fmt::format("- {} ({}){}\n", test.name, test.status, bracket_note(test.note, kTestWords));
  }
  return out;
}

Result<std::string> lint_warnings_lines(const LintWarnings& warnings) {
  const std::string summary = guarded_value(warnings.summary);
  std::string out = fmt::format("[LINT_WARNINGS]{}{}\n", summary.empty() ? "" : " ", summary);
  for (const LintItem& item : warnings.items) {
    DRAGOMAN_TRY(const auto line, lint_line(item));
    out += line;
  }
  return out;
}

Result<std::string> dependency_lines(const DependencyNeeded& needed) {
  if (needed.items.empty()) return refused("DEPENDENCY_NEEDED: no package is named");
  const bool alone = needed.items.size() == 1;
  std::string out = alone ? "[DEPENDENCY_NEEDED] " : "[DEPENDENCY_NEEDED]\n";
  for (const Dependency& item : needed.items) {
    if (const auto fault = list_fault(item)) {
      return refused(
          fmt::format("DEPENDENCY_NEEDED: the {} '{}' {}", fault->field, fault->value, fault->why));
    }
    if (!alone) out += "- ";
    out.append(item.name);
    if (!item.version.empty()) out.append("@").append(item.version);
    if (!item.manager.empty()) out.append(" (").append(item.manager).append(")");
    if (const std::string reason = guarded_value(item.reason); !reason.empty()) {
      out.append(" - ").append(reason);
    }
    out.push_back('\n');
  }
  return out;
}

}  // namespace dragoman
