// SPDX-License-Identifier: Apache-2.0
// The rest of what an event can say: reports of the agent in marker form, and what the reader
// itself has to report about the input. The rules of payloads.hpp hold.
#pragma once

#include "dragoman/event/payloads.hpp"

namespace dragoman {

struct Field {
  std::string_view key;
  std::string_view value;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("key", s.key);
    v("value", s.value);
  }
};

struct ContextRequest {
  static constexpr Kind kKind = Kind::context_request;
  std::string_view type;
  std::string_view query;
  std::string_view library;
  std::span<const Field> all;  // every key=value pair, "fields" on the wire
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("type", s.type);
    v("query", s.query);
    v("library", s.library);
    v.map("fields", s.all);
  }
};

struct TestCase {
  std::string_view name;
  std::string_view status;  // passed, failed, skipped
  std::string_view note;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("name", s.name);
    v("status", s.status);
    v("note", s.note);
  }
};

struct TestResults {
  static constexpr Kind kKind = Kind::test_results;
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::optional<double> duration_s;
  std::string_view framework;
  std::span<const TestCase> tests;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("passed", s.passed);
    v("failed", s.failed);
    v("skipped", s.skipped);
    v("duration_s", s.duration_s);
    v("framework", s.framework);
    v.required("tests", s.tests);
  }
};

struct LintItem {
  std::string_view file;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> column;
  std::string_view severity;  // error, warning, info
  std::string_view message;
  std::string_view rule;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("file", s.file);
    v("line", s.line);
    v("column", s.column);
    v("severity", s.severity);
    v("message", s.message);
    v("rule", s.rule);
  }
};

struct LintWarnings {
  static constexpr Kind kKind = Kind::lint_warnings;
  std::span<const LintItem> items;
  std::string_view summary;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v.required("items", s.items);
    v("summary", s.summary);
  }
};

struct Dependency {
  std::string_view name;
  std::string_view version;
  std::string_view manager;
  std::string_view reason;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("name", s.name);
    v("version", s.version);
    v("manager", s.manager);
    v("reason", s.reason);
  }
};

struct DependencyNeeded {
  static constexpr Kind kKind = Kind::dependency_needed;
  std::span<const Dependency> items;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v.required("items", s.items);
  }
};

struct CommitSuggestion {
  static constexpr Kind kKind = Kind::commit_suggestion;
  std::string_view subject;
  std::string_view body;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("subject", s.subject);
    v("body", s.body);
  }
};

// A marker that stands in quoted text: reported, never obeyed.
struct QuotedMarker {
  static constexpr Kind kKind = Kind::quoted_marker;
  std::string_view raw;
  std::string_view reason;  // fence, indented, block_quote, code_span, echo, subagent
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("raw", s.raw);
    v("reason", s.reason);
  }
};

// A marker or line that is broken. It has no effect, and its bytes are kept.
struct Malformed {
  static constexpr Kind kKind = Kind::malformed;
  std::string_view raw;
  std::string_view reason;
  std::string_view detail;
  std::string_view type;  // of the marker, when it could be read
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("raw", s.raw);
    v("reason", s.reason);
    v("detail", s.detail);
    v("type", s.type);
  }
};

// What the detail adds to the reason: a reader that knows nothing more says the reason again.
[[nodiscard]] inline std::string_view more_than_reason(const Malformed& malformed) {
  std::string_view detail = malformed.detail;
  if (detail.starts_with(malformed.reason) &&
      detail.substr(malformed.reason.size()).starts_with(" at ")) {
    detail.remove_prefix(malformed.reason.size() + 1);
  }
  return detail;
}

// A line longer than the cap: its length, and what its ends look like.
struct Oversize {
  static constexpr Kind kKind = Kind::oversize;
  std::uint64_t bytes = 0;
  std::string_view head;
  std::string_view tail;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("bytes", s.bytes);
    v("head", s.head);
    v("tail", s.tail);
  }
};

// Something well formed that no rule explains: kept as it came.
struct Unknown {
  static constexpr Kind kKind = Kind::unknown;
  std::string_view type;
  Raw raw;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("type", s.type);
    v("raw", s.raw);
  }
};

enum class Level : std::uint8_t { error, warning, info };

struct Diagnostic {
  static constexpr Kind kKind = Kind::diagnostic;
  std::string_view rule;
  Level level = Level::warning;
  std::string_view message;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("rule", s.rule);
    v("level", s.level);
    v("message", s.message);
  }
};

}  // namespace dragoman
