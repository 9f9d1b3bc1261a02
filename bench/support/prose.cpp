// SPDX-License-Identifier: Apache-2.0
#include "bench/support/prose.hpp"

#include <array>

namespace dragoman::bench {
namespace {

constexpr std::size_t kPoolLines = 4096;

constexpr std::array<std::string_view, 40> kWords = {
    "the",      "module",  "reads", "every", "request", "and",       "returns",  "a",
    "typed",    "value",   "login", "form",  "handles", "errors",    "before",   "session",
    "token",    "expires", "after", "wave",  "phase",   "plan",      "database", "migration",
    "runs",     "in",      "one",   "step",  "tests",   "cover",     "path",     "with",
    "existing", "pattern", "build", "cache", "config",  "component", "to",       "service"};

constexpr std::array<std::string_view, 5> kForeignWords = {"—", "ação", "größere", "✓", "▶"};
constexpr std::size_t kWordsPerForeignWord = 60;

constexpr std::array<std::string_view, 6> kFiles = {
    "src/components/UserAuth.tsx", "src/lib/jwt.ts",       "server/routes/session.py",
    "tests/auth.test.tsx",         "docs/architecture.md", "cmd/worker/main.go"};

std::string words(Prng& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) text += ' ';
    text += random.one_in(kWordsPerForeignWord) ? kForeignWords[random.below(kForeignWords.size())]
                                                : kWords[random.below(kWords.size())];
  }
  return text;
}

std::string_view file(Prng& random) { return kFiles[random.below(kFiles.size())]; }

std::string source_line(Prng& random) {
  const std::string number = std::to_string(random.below(100000));
  switch (random.below(8)) {
    case 0:
      return "    const value = items[" + number + "];\n";
    case 1:
      return "  \"name\": \"" + words(random, 2) + "\",\n";
    case 2:
      return "\tif (error != null) { return \"" + words(random, 3) + "\\n\"; }\n";
    case 3:
      return std::string(file(random)) + ":" + number + ": " + words(random, 5) + "\n";
    case 4:
      return "[INFO] " + words(random, 6) + " took " + number + " ms\n";
    case 5:
      return "      <Route path=\"/" + number + "\" element={<" + words(random, 1) + " />} />\n";
    default:
      return "   " + number + "  " + words(random, random.between(6, 14)) + "\n";
  }
}

std::string fenced_block(Prng& random) {
  std::string block = "```ts\n";
  for (std::size_t i = random.between(4, 20); i > 0; --i) block += source_line(random);
  return block + "```\n";
}

std::string markdown(Prng& random) {
  if (random.one_in(120)) return fenced_block(random);
  switch (random.below(12)) {
    case 0:
      return "\n";
    case 1:
      return "## " + words(random, random.between(2, 5)) + "\n";
    case 2:
      return "- [x] " + words(random, random.between(4, 9)) + "\n";
    case 3:
      return "- `" + std::string(file(random)) + "` " + words(random, 6) + "\n";
    case 4:
      return "**" + words(random, 2) + ":** " + words(random, random.between(5, 12)) + "\n";
    case 5:
      return "See [" + words(random, 2) + "](https://example.com/docs/" +
             std::to_string(random.below(1000)) + ") for `Map<string, T>`.\n";
    default:
      return words(random, random.between(8, 22)) + ".\n";
  }
}

std::string escaped(std::string_view text) {
  std::string json;
  for (const char c : text) {
    switch (c) {
      case '"':
        json += "\\\"";
        break;
      case '\\':
        json += "\\\\";
        break;
      case '\n':
        json += "\\n";
        break;
      case '\t':
        json += "\\t";
        break;
      default:
        json += c;
    }
  }
  return json;
}

}  // namespace

Prose::Prose(std::uint64_t seed) {
  Prng random(seed);
  for (std::size_t i = 0; i < kPoolLines; ++i) {
    phrases_.push_back(words(random, random.between(2, 7)));
    markdown_.push_back(bench::markdown(random));
    source_.push_back(bench::source_line(random));
    escaped_markdown_.push_back(escaped(markdown_.back()));
    escaped_source_.push_back(escaped(source_.back()));
  }
}

}  // namespace dragoman::bench
