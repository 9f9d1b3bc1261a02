// SPDX-License-Identifier: Apache-2.0
// Events nobody would write by hand: all of Unicode, and everything that looks like syntax.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/event.hpp"
#include "tests/support/random.hpp"

namespace dragoman::test {

// What values are made of.
enum class Values : std::uint8_t {
  any,  // all of Unicode, line ends, everything that is syntax somewhere
  without_nul,
  words,  // words with single blanks between them
};

class RandomSpeech {
 public:
  RandomSpeech(std::uint64_t seed, Values values) : random_(seed), values_(values) {}

  Random& random() { return random_; }

  char32_t code_point() {
    constexpr std::array<char32_t, 6> kEnds = {0x80, 0x800, 0x10000, 0x110000, 0x2100, 0x100};
    for (;;) {
      const auto c = static_cast<char32_t>(random_.below(random_.pick(kEnds)));
      const bool surrogate = c >= 0xD800 && c < 0xE000;
      if (!surrogate && (values_ == Values::any || c != 0)) return c;
    }
  }

  std::string words() {
    std::string out;
    for (std::size_t n = 1 + random_.below(3); n > 0; --n) {
      if (!out.empty()) out.push_back(' ');
      for (std::size_t m = 1 + random_.below(4); m > 0; --m) {
        // Letters of several alphabets, nothing that is white space or punctuation.
        constexpr std::array<char32_t, 5> kFrom = {'a', 0xE0, 0x3B1, 0x4E00, 0x1F300};
        utf8::append(out, random_.pick(kFrom) + static_cast<char32_t>(random_.below(20)));
      }
    }
    return out;
  }

  // May be empty, may have any number of lines.
  std::string value() {
    if (values_ == Values::words) return words();
    constexpr std::array<std::string_view, 34> kPieces = {
        "-->",
        "} -->",
        "{",
        "\"",
        "\\",
        "\\\"",
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        " - ",
        "[",
        "]",
        "(created)",
        "(passed)",
        "<!-- WXCODE:STATUS:{\"status\":\"failed\"} -->",
        "<!--",
        "FINISHED",
        "<!--QUESTION:{\"questions\":[{\"question\":\"x\"}]}-->",
        "[PROGRESS] ",
        "[CODEX_COMPLETE] Task completed in 1 iterations",
        "\n[BLOCKED] x\n",
        "```",
        "\n```\n",
        "~~~~",
        "1. ",
        "Options:",
        "\u2028",
        "GOTO: a -->",
        "> ",
        "- a (deleted)",
        "word"};
    std::string out;
    for (std::size_t n = random_.below(9); n > 0; --n) {
      if (random_.one_in(2)) {
        out += random_.pick(kPieces);
      } else {
        utf8::append(out, code_point());
      }
    }
    return out;
  }

  // Ends up in `arena`, so that events may point at it.
  std::string_view text(Arena& arena) { return arena.copy(std::string_view(value())); }
  std::string_view some_text(Arena& arena) {  // not blank
    return arena.copy(
        std::string_view(values_ == Values::words ? value() : value() + "x" + value()));
  }
  std::string_view maybe(Arena& arena) {
    return random_.one_in(2) ? text(arena) : std::string_view();
  }
  std::optional<Number> maybe_number(std::int64_t limit) {
    if (random_.one_in(2)) return std::nullopt;
    const auto n = static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(limit) + 1));
    return random_.one_in(4) ? Number::of(static_cast<double>(n) / 2 + 0.25) : Number::of(n);
  }
  std::vector<std::string_view> lines(Arena& arena) {
    std::vector<std::string_view> out;
    for (std::size_t n = random_.below(4); n > 0; --n) out.push_back(text(arena));
    return out;
  }

  template <typename T>
  std::span<const T> kept(Arena& arena, const std::vector<T>& items) {
    return arena.copy(std::span<const T>(items));
  }

  Payload wxcode(Arena& arena);
  Payload comment(Arena& arena);
  Payload bracket(Arena& arena);

 private:
  Question question(Arena& arena);
  Payload bracket_list(Arena& arena);

  Random random_;
  Values values_;
};

inline Question RandomSpeech::question(Arena& arena) {
  Question q;
  q.text = some_text(arena);
  std::vector<Option> options;
  for (std::size_t n = random_.below(5); n > 0; --n) {
    options.push_back({some_text(arena), maybe(arena)});
  }
  q.options = kept(arena, options);
  q.free_text = q.options.empty() || random_.one_in(2);
  return q;
}

inline Payload RandomSpeech::wxcode(Arena& arena) {
  constexpr std::array<std::string_view, 5> kStatus = {"pending", "in_progress", "completed",
                                                       "failed", "paused"};
  constexpr std::array<std::string_view, 3> kPriority = {"required", "recommended", "optional"};
  switch (random_.below(6)) {
    case 0:
      return CommandStarted{some_text(arena), maybe(arena), some_text(arena), maybe_number(9),
                            maybe(arena)};
    case 1: {
      ToolStarted p;
      p.tool = some_text(arena);
      p.description = some_text(arena);
      p.command = maybe(arena);
      p.file = maybe(arena);
      p.mcp_tool = maybe(arena);
      return p;
    }
    case 2: {
      ToolFinished p;
      p.tool = some_text(arena);
      p.outcome = random_.one_in(2) ? Outcome::ok : Outcome::failed;
      p.output = maybe(arena);
      p.error = maybe(arena);
      p.duration_ms = maybe_number(100000);
      return p;
    }
    case 3: {
      Status p;
      p.status = random_.pick(kStatus);
      p.message = some_text(arena);
      p.progress = maybe_number(100);
      if (p.progress && p.progress->real > 100) p.progress = Number::of(std::int64_t{100});
      p.phase = maybe_number(9);
      p.plan = maybe(arena);
      p.task = maybe(arena);
      return p;
    }
    case 4:
      return NextAction{some_text(arena), maybe(arena), some_text(arena), random_.pick(kPriority)};
    default: {
      Failure p;
      p.code = some_text(arena);
      p.message = some_text(arena);
      p.recoverable = static_cast<Recoverable>(random_.below(3));
      p.suggestion = maybe(arena);
      return p;
    }
  }
}

inline Payload RandomSpeech::comment(Arena& arena) {
  if (random_.one_in(4)) return GoTo{random_.one_in(2) ? "step two" : "a-b_3"};
  if (random_.one_in(4)) return CompletionClaimed{"finished", {}, {}};
  Question q = question(arena);
  q.header = some_text(arena);
  q.multi_select = random_.one_in(3);
  if (random_.one_in(4)) q.secret = true;
  return q;
}

inline Payload RandomSpeech::bracket_list(Arena& arena) {
  constexpr std::array<std::string_view, 3> kTests = {"passed", "failed", "skipped"};
  constexpr std::array<std::string_view, 3> kSeverities = {"error", "warning", "info"};
  const std::size_t count = random_.below(4);
  switch (random_.below(4)) {
    case 0: {
      std::vector<FileChange> files;
      for (std::size_t i = 0; i < count; ++i) {
        FileChange file{some_text(arena), static_cast<FileAction>(random_.below(5)), {}, {}};
        if (file.action == FileAction::renamed) file.from = some_text(arena);
        if (file.action != FileAction::unknown) file.note = maybe(arena);
        files.push_back(file);
      }
      return FilesChanged{kept(arena, files), true};
    }
    case 1: {
      TestResults p;
      p.passed = static_cast<std::int64_t>(random_.below(100));
      p.failed = static_cast<std::int64_t>(random_.below(10));
      p.skipped = static_cast<std::int64_t>(random_.below(10));
      if (random_.one_in(2)) p.duration_s = static_cast<double>(random_.below(1000)) / 8;
      p.framework = maybe(arena);
      std::vector<TestCase> tests;
      for (std::size_t i = 0; i < count; ++i) {
        tests.push_back({some_text(arena), random_.pick(kTests), maybe(arena)});
      }
      p.tests = kept(arena, tests);
      return p;
    }
    case 2: {
      LintWarnings p;
      std::vector<LintItem> items;
      for (std::size_t i = 0; i < count; ++i) {
        LintItem item{some_text(arena),
                      static_cast<std::int64_t>(random_.below(99)),
                      {},
                      random_.pick(kSeverities),
                      some_text(arena),
                      maybe(arena)};
        if (random_.one_in(2)) item.column = static_cast<std::int64_t>(random_.below(99));
        items.push_back(item);
      }
      p.items = kept(arena, items);
      p.summary = maybe(arena);
      return p;
    }
    default: {
      std::vector<Dependency> items;
      for (std::size_t i = 0; i <= count; ++i) {
        items.push_back({some_text(arena), maybe(arena), maybe(arena), maybe(arena)});
      }
      return DependencyNeeded{kept(arena, items)};
    }
  }
}

inline Payload RandomSpeech::bracket(Arena& arena) {
  switch (random_.below(7)) {
    case 0: {
      Status p;
      p.status = "in_progress";
      p.message = some_text(arena);
      return p;
    }
    case 1: {
      Question q = question(arena);
      q.source = QuestionSource::marker;
      q.free_text = true;
      q.blocking = false;
      q.context = kept(arena, lines(arena));
      return q;
    }
    case 2:
      return Blocked{some_text(arena), kept(arena, lines(arena))};
    case 3:
      return CompletionClaimed{"codex_complete", static_cast<std::int64_t>(random_.below(99)), {}};
    case 4: {
      std::vector<Field> fields = {{"type", some_text(arena)}, {"query", text(arena)}};
      if (random_.one_in(2)) fields.push_back({"library", text(arena)});
      return ContextRequest{fields[0].value, fields[1].value,
                            fields.size() > 2 ? fields[2].value : std::string_view(),
                            kept(arena, fields)};
    }
    case 5:
      return CommitSuggestion{some_text(arena), maybe(arena)};
    default:
      return bracket_list(arena);
  }
}

}  // namespace dragoman::test
