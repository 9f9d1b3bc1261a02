// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/bracket_lists.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dragoman/base/saturating.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/arena_list.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/report/test_output.hpp"

namespace dragoman {
namespace {

using Role = BracketBlock::Role;
constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t kMostPairs = 64;    // that are kept and have no field of their own
constexpr std::size_t kKeptWords = 2000;  // code points of words that have no place in the event

std::string_view first_line(const BracketBlock& block) {
  return trim(block.line(block.entries().front()));
}

// Every entry line, the text on the marker line first when it counts as one.
template <typename Read>
void for_each_entry(const BracketBlock& block, bool first_counts, Read read) {
  if (first_counts && !first_line(block).empty()) read(first_line(block));
  for (const BracketBlock::Entry& entry : block.entries()) {
    if (entry.role == Role::entry) read(block.line(entry));
  }
}

std::optional<FileAction> action_named(std::string_view word) {
  struct Spelling {
    std::string_view word;
    FileAction action;
  };
  constexpr std::array<Spelling, 9> kSpellings = {{{"created", FileAction::created},
                                                   {"added", FileAction::created},
                                                   {"new", FileAction::created},
                                                   {"modified", FileAction::modified},
                                                   {"updated", FileAction::modified},
                                                   {"changed", FileAction::modified},
                                                   {"deleted", FileAction::deleted},
                                                   {"removed", FileAction::deleted},
                                                   {"renamed", FileAction::renamed}}};
  for (const Spelling& spelling : kSpellings) {
    if (spelling.word == word) return spelling.action;
  }
  return std::nullopt;
}

// The brackets "(word)" of an entry, from the last one backwards: a path or a name may itself
// contain brackets. Only the last few are tried, so that a line of brackets costs no more than its
// length.
struct Bracketed {
  std::size_t open = npos;
  std::size_t close = npos;
};
template <typename Accept>
Bracketed last_bracketed(std::string_view entry, Accept accept) {
  constexpr int kMostTries = 8;
  std::size_t open = entry.rfind('(');
  for (int tries = 0; open != npos && tries < kMostTries; ++tries) {
    const std::size_t close = entry.find(')', open);
    if (close != npos && accept(trim(entry.substr(open + 1, close - open - 1))))
      return {open, close};
    open = open == 0 ? npos : entry.rfind('(', open - 1);
  }
  return {};
}

bool names_nothing(std::string_view entry) {
  constexpr std::array<std::string_view, 6> kNothing = {"",         "none",    "(none)",
                                                        "no files", "nothing", "n/a"};
  return std::any_of(kNothing.begin(), kNothing.end(), [entry](std::string_view word) {
    return std::equal(word.begin(), word.end(), entry.begin(), entry.end(), [](char a, char b) {
      return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    });
  });
}

std::string_view without_backticks(std::string_view path) {
  if (path.size() >= 2 && path.front() == '`' && path.back() == '`')
    return path.substr(1, path.size() - 2);
  return path;
}

FileChange read_file(std::string_view entry, Findings& findings) {
  FileChange file;
  const Bracketed place = last_bracketed(entry, [&file](std::string_view word) {
    const std::optional<FileAction> action = action_named(word);
    file.action = action.value_or(FileAction::unknown);
    return action.has_value();
  });
  std::string_view path = entry;
  if (place.open != npos) {
    path = trim(entry.substr(0, place.open));
    std::string_view note = trim(entry.substr(place.close + 1));
    if (note.starts_with("- ")) note = trim(note.substr(2));
    if (!note.empty()) file.note = note;
  } else {
    findings.add("file_entry", fmt::format("'{}' does not say (created), (modified) or (deleted)",
                                           utf8::prefix(entry, 80)));
  }
  if (file.action == FileAction::renamed) {
    if (const std::size_t arrow = path.find(" -> "); arrow != npos) {
      file.from = without_backticks(trim(path.substr(0, arrow)));
      path = trim(path.substr(arrow + 4));
    }
  }
  file.path = without_backticks(path);
  return file;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || stop != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool ends_word(char c) { return c == ' ' || c == '\t'; }

struct Pairs {
  std::vector<Field> pairs;
  std::string words;          // what is in none of them, with a blank between
  std::string_view unclosed;  // the key of a value whose quote never ends
};

// The value at `i`, which is left behind it: a bare word or "…" with \" and \\. True when its quote
// is closed, or when it has none.
bool take_value(std::string_view text, std::size_t& i, std::string& value) {
  if (i == text.size() || text[i] != '"') {
    while (i < text.size() && !ends_word(text[i])) value.push_back(text[i++]);
    return true;
  }
  for (++i; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    value.push_back(text[i]);
  }
  if (i == text.size()) return false;
  ++i;
  return true;
}

// key=value pairs, and the words between them.
Pairs pairs_of(std::string_view text, Arena& arena) {
  Pairs read;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && (ends_word(text[i]) || text[i] == ',')) ++i;
    const std::size_t key = i;
    while (i < text.size() && text[i] != '=' && !ends_word(text[i])) ++i;
    const std::string_view name = text.substr(key, i - key);
    if (i == text.size() || text[i] != '=' || name.empty()) {
      while (i < text.size() && !ends_word(text[i])) ++i;  // a value without a name goes with it
      if (!read.words.empty() && i > key) read.words.push_back(' ');
      read.words.append(text.substr(key, i - key));
      continue;
    }
    std::string value;
    ++i;
    if (!take_value(text, i, value)) read.unclosed = name;
    read.pairs.push_back({name, arena.copy(value)});
  }
  return read;
}

void note_unclosed(const Pairs& read, Findings& findings) {
  if (read.unclosed.empty()) return;
  findings.add("field_type", fmt::format("the quote of {} is never closed; it takes the whole line",
                                         utf8::prefix(read.unclosed, 40)));
}

void note_words(const Pairs& read, Findings& findings) {
  findings.add("field_type", fmt::format("words that are no key=value pair: '{}'",
                                         utf8::prefix(read.words, kKeptWords)));
}

// The last of equal keys counts, in the place of the first. Sorted, because a line may hold very
// many.
std::vector<Field> without_duplicates(std::vector<Field> pairs) {
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&pairs](std::size_t a, std::size_t b) { return pairs[a].key < pairs[b].key; });
  for (std::size_t first = 0, next = 1; next < order.size(); ++next) {
    if (pairs[order[next]].key != pairs[order[first]].key) {
      first = next;
      continue;
    }
    pairs[order[first]].value = pairs[order[next]].value;
    pairs[order[next]].key = {};
  }
  std::erase_if(pairs, [](const Field& pair) { return pair.key.empty(); });
  return pairs;
}

enum class TestWord : std::uint8_t { none, passed, failed, skipped };

TestWord test_word(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == '.'))
    word.remove_suffix(1);
  for (const std::string_view w : {"passed", "passing", "pass", "ok", "succeeded", "xpassed"}) {
    if (word == w) return TestWord::passed;
  }
  for (const std::string_view w :
       {"failed", "failing", "fail", "failures", "failure", "error", "errors", "cancelled"}) {
    if (word == w) return TestWord::failed;
  }
  for (const std::string_view w :
       {"skipped", "skip", "pending", "ignored", "todo", "xfailed", "disabled"}) {
    if (word == w) return TestWord::skipped;
  }
  return TestWord::none;
}

struct Counts {
  std::optional<std::int64_t> passed, failed, skipped;

  [[nodiscard]] bool any() const { return passed || failed || skipped; }

  void set(TestWord word, std::int64_t n) {
    if (n < 0) return;  // nothing is counted below zero
    if (word == TestWord::passed) passed = saturating_add(passed.value_or(0), n);
    if (word == TestWord::failed) failed = saturating_add(failed.value_or(0), n);
    if (word == TestWord::skipped) skipped = saturating_add(skipped.value_or(0), n);
  }
};

// "45 passed, 2 failed": a number, then what it counts.
void count_words(std::string_view text, Counts& counts) {
  std::optional<std::int64_t> number;
  while (!text.empty()) {
    text = trim(text);
    const std::size_t end = text.find_first_of(" \t");
    const std::string_view word = text.substr(0, end);
    if (number.has_value()) counts.set(test_word(word), *number);
    number = integer(word);
    text = end == npos ? std::string_view{} : text.substr(end);
  }
}

// What a test framework says in the end, or any numbers with what they count.
void count_summary(std::string_view text, Counts& counts) {
  if (const auto outcome = read_test_output(text, TextBounds::unknown)) {
    counts = {outcome->passed, outcome->failed, outcome->skipped};
  } else {
    count_words(text, counts);
  }
}

// "12.4s", "350ms" or a bare number of seconds.
std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  if (code != std::errc{} || !std::isfinite(seconds) || seconds < 0) {  // "inf" is read
    return std::nullopt;
  }
  if (unit == "ms") return seconds / 1000;
  return unit == "s" || unit.empty() ? std::optional(seconds) : std::nullopt;
}

TestCase read_test(std::string_view entry) {
  TestCase test;
  test.name = entry;
  const Bracketed place = last_bracketed(entry, [&test](std::string_view word) {
    if (word != "passed" && word != "failed" && word != "skipped") return false;
    test.status = word;
    return true;
  });
  if (place.open != npos) {
    test.name = trim(entry.substr(0, place.open));
    if (const std::string_view note = trim(entry.substr(place.close + 1)); !note.empty())
      test.note = note;
  }
  return test;
}

// "path:line[:col]: …"; false when the entry does not start so.
bool read_location(std::string_view& rest, LintItem& item) {
  for (std::size_t colon = rest.find(':'); colon != npos; colon = rest.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
    const auto line = integer(rest.substr(colon + 1, end - colon - 1));
    if (colon == 0 || !line.has_value() || end >= rest.size() || rest[end] != ':') continue;
    item.file = rest.substr(0, colon);
    item.line = line;
    std::size_t column_end = end + 1;
    while (column_end < rest.size() && rest[column_end] >= '0' && rest[column_end] <= '9')
      ++column_end;
    const auto column = integer(rest.substr(end + 1, column_end - end - 1));
    if (column.has_value() && column_end < rest.size() && rest[column_end] == ':') {
      item.column = column;
      end = column_end;
    }
    rest = trim(rest.substr(end + 1));
    return true;
  }
  return false;
}

LintItem read_lint_item(std::string_view rest) {
  LintItem item;
  item.severity = "warning";
  read_location(rest, item);
  for (const std::string_view severity : {"error", "warning", "info"}) {
    if (rest.starts_with(severity) && rest.size() > severity.size() &&
        (rest[severity.size()] == ' ' || rest[severity.size()] == ':')) {
      item.severity = severity;
      rest = trim(rest.substr(severity.size() + 1));
      break;
    }
  }
  if (!rest.empty() && rest.back() == ']') {
    if (const std::size_t open = rest.rfind('['); open != npos && open > 0) {
      item.rule = rest.substr(open + 1, rest.size() - open - 2);
      rest = trim(rest.substr(0, open));
    }
  }
  item.message = rest;
  return item;
}

Dependency read_dependency(std::string_view entry) {
  Dependency item;
  if (const std::size_t dash = entry.find(" - "); dash != npos) {
    item.reason = trim(entry.substr(dash + 3));
    entry = trim(entry.substr(0, dash));
  }
  if (!entry.empty() && entry.back() == ')') {
    if (const std::size_t open = entry.rfind('('); open != npos) {
      item.manager = trim(entry.substr(open + 1, entry.size() - open - 2));
      entry = trim(entry.substr(0, open));
    }
  }
  if (const std::size_t at = entry.rfind('@'); at != npos && at > 0) {
    item.version = entry.substr(at + 1);
    entry = entry.substr(0, at);
  }
  item.name = entry;
  return item;
}

// One of the pairs of [TEST_RESULTS]. What it says that no field is for is kept under its own name.
void read_test_pair(const Field& pair, TestResults& results, Counts& counts, Arena& arena,
                    Findings& findings, std::vector<Extra>& extra) {
  bool readable = true;
  if (test_word(pair.key) != TestWord::none) {
    const auto n = integer(pair.value);
    readable = n.value_or(-1) >= 0;
    if (readable) counts.set(test_word(pair.key), *n);
  } else if (pair.key == "framework") {
    results.framework = pair.value;
  } else if (pair.key == "duration") {
    results.duration_s = seconds_of(pair.value);
    readable = results.duration_s.has_value();
  } else if (extra.size() < kMostPairs) {
    std::string value;
    json::append_string(value, pair.value);
    std::erase_if(extra, [&pair](const Extra& known) { return known.key == pair.key; });
    extra.push_back({pair.key, Raw{arena.copy(value)}});
  }
  if (readable) return;
  findings.add("field_type", fmt::format("{} is no number from 0 on: '{}'",
                                         utf8::prefix(pair.key, 40), utf8::prefix(pair.value, 80)));
}

}  // namespace

Payload read_files(const BracketBlock& block, Arena& arena, Findings& findings) {
  ArenaList<FileChange> files(arena, block.entries().size() + 1);
  if (const std::string_view first = first_line(block); !first.empty() && !names_nothing(first)) {
    findings.add("file_entry", "the files belong on the lines below the marker");
  }
  for_each_entry(block, true, [&](std::string_view entry) {
    if (is_list_entry(entry) && entry == first_line(block)) entry = trim(entry.substr(1));
    if (!names_nothing(entry)) files.push_back(read_file(entry, findings));
  });
  return FilesChanged{files.items(), true};
}

Payload read_need_context(std::string_view content, Arena& arena, Findings& findings) {
  ContextRequest request;
  const Pairs read = pairs_of(content, arena);
  std::vector<Field> pairs = without_duplicates(read.pairs);
  for (const Field& pair : pairs) {
    if (pair.key == "type") request.type = pair.value;
    if (pair.key == "query") request.query = pair.value;
    if (pair.key == "library") request.library = pair.value;
  }
  note_unclosed(read, findings);
  if (!read.words.empty() && request.query.data() == nullptr) {
    findings.add("field_type", pairs.empty()
                                   ? "there is no key=value pair; the words are taken for the query"
                                   : "the words beside the pairs are taken for the query");
    request.query = pairs.empty() ? content : arena.copy(read.words);
    pairs.push_back({"query", request.query});
  } else if (!read.words.empty()) {
    note_words(read, findings);
  }
  request.all = arena.copy(std::span<const Field>(pairs));
  return request;
}

Payload read_tests(const BracketBlock& block, Arena& arena, Findings& findings,
                   std::vector<Extra>& extra) {
  TestResults results;
  Counts counts;
  const std::string_view first = first_line(block);
  const Pairs read = pairs_of(first, arena);
  for (const Field& pair : read.pairs)
    read_test_pair(pair, results, counts, arena, findings, extra);
  note_unclosed(read, findings);
  if (counts.any()) {  // what has been counted is not counted again
    Counts again;
    count_summary(read.words, again);
    if (!read.words.empty() && !again.any()) note_words(read, findings);
  } else {
    count_summary(first, counts);
    if (!counts.any() && !read.words.empty()) {
      findings.add("field_type",
                   fmt::format("there are no counts in '{}'", utf8::prefix(first, kKeptWords)));
    }
  }
  std::vector<TestCase> tests;
  Counts listed;
  for_each_entry(block, false, [&](std::string_view entry) {
    tests.push_back(read_test(entry));
    listed.set(test_word(tests.back().status), 1);
  });
  results.passed = counts.passed.value_or(listed.passed.value_or(0));
  results.failed = counts.failed.value_or(listed.failed.value_or(0));
  results.skipped = counts.skipped.value_or(listed.skipped.value_or(0));
  results.tests = arena.copy(std::span<const TestCase>(tests));
  return results;
}

Payload read_lint(const BracketBlock& block, Arena& arena) {
  LintWarnings lint;
  std::vector<LintItem> items;
  for_each_entry(block, false,
                 [&](std::string_view entry) { items.push_back(read_lint_item(entry)); });
  lint.items = arena.copy(std::span<const LintItem>(items));
  if (!first_line(block).empty()) lint.summary = first_line(block);
  return lint;
}

Payload read_dependencies(const BracketBlock& block, Arena& arena, Findings& findings) {
  std::vector<Dependency> items;
  for_each_entry(block, true, [&](std::string_view entry) {
    const Dependency item = read_dependency(entry);
    if (item.name.empty()) {
      findings.add("missing_field", "a dependency without a name was left out");
    } else {
      items.push_back(item);
    }
  });
  return DependencyNeeded{arena.copy(std::span<const Dependency>(items))};
}

Payload read_tag(std::string_view tag, std::string_view value, Arena& arena, Findings& findings) {
  struct Artifact {
    std::string_view tag;
    std::string_view artifact;
  };
  constexpr std::array<Artifact, 6> kArtifacts = {{{"DASHBOARD_UPDATED", "dashboard"},
                                                   {"SCHEMA_DASHBOARD_UPDATED", "schema_dashboard"},
                                                   {"SCHEMA_STATUS_UPDATED", "schema_status"},
                                                   {"DESIGN_TOKENS_UPDATED", "design_tokens"},
                                                   {"DESIGN_VARIABLES_UPDATED", "design_variables"},
                                                   {"START_DEV_CREATED", "start_dev"}}};
  if (value.empty()) findings.add("empty_value", fmt::format("[WXCODE:{}] has no value", tag));
  if (tag == "SERVER_READY") return ServerReady{value};
  for (const Artifact& known : kArtifacts) {
    if (known.tag != tag) continue;
    ArtifactUpdated updated;
    updated.artifact = known.artifact;
    updated.path = value;
    if (tag == "DASHBOARD_UPDATED") {
      constexpr std::string_view kPrefix = "dashboard_";
      constexpr std::string_view kSuffix = ".json";
      const std::string_view file = value.substr(value.rfind('/') + 1);  // npos + 1 is 0
      if (file == "dashboard.json") {
        updated.scope = "project";
      } else if (file.starts_with(kPrefix) && file.ends_with(kSuffix) &&
                 file.size() > kPrefix.size() + kSuffix.size()) {
        updated.scope = "milestone";
        updated.name = file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
      }
    }
    return updated;
  }
  findings.add("unknown", fmt::format("[WXCODE:{}] is not known", utf8::prefix(tag, 40)));
  std::string raw;
  json::Writer(raw).begin_object().key("value").string(value).end_object();
  return Unknown{tag, Raw{arena.copy(raw)}};
}

}  // namespace dragoman
