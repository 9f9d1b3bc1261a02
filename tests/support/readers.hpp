// SPDX-License-Identifier: Apache-2.0
// Every reader there is, by name; and every recorded input.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "dragoman/dialect/reader.hpp"
#include "tests/support/files.hpp"
#include "tests/support/laws.hpp"

namespace dragoman::test {

inline constexpr std::array<Dialect, 7> kDialects = {
    Dialect::text,   Dialect::wxcode, Dialect::question, Dialect::markers,
    Dialect::claude, Dialect::codex,  Dialect::delegator};
inline constexpr std::array<Mode, 3> kModes = {Mode::standard, Mode::strict, Mode::compat};

struct ReaderCase {
  std::string name;                // claude_strict, auto_default
  std::optional<Dialect> dialect;  // absent: finds out by itself
  ReaderOptions options;

  [[nodiscard]] std::unique_ptr<Reader> make() const {
    return dialect.has_value() ? make_reader(*dialect, options) : make_detecting_reader(options);
  }
  [[nodiscard]] MakeReader maker() const {
    return [*this] { return make(); };
  }
};

inline void PrintTo(const ReaderCase& reader, std::ostream* out) { *out << reader.name; }

inline std::vector<ReaderCase> all_readers() {
  std::vector<ReaderCase> all;
  for (const Mode mode : kModes) {
    ReaderOptions options;
    options.mode = mode;
    const std::string suffix = "_" + std::string(name(mode));
    for (const Dialect dialect : kDialects)
      all.push_back({std::string(name(dialect)) + suffix, dialect, options});
    all.push_back({"auto" + suffix, std::nullopt, options});
  }
  ReaderOptions partial;
  partial.partial = true;
  all.push_back({"claude_partial", Dialect::claude, partial});
  all.push_back({"codex_partial", Dialect::codex, partial});
  ReaderOptions small;
  small.line_cap = 200;
  for (const Dialect dialect : {Dialect::wxcode, Dialect::claude, Dialect::codex})
    all.push_back({std::string(name(dialect)) + "_small_cap", dialect, small});
  all.push_back({"auto_small_cap", std::nullopt, small});
  ReaderOptions supervised;
  supervised.prompt = "Do it.\n[CODEX_COMPLETE] Task completed in 8 iterations\nThanks";
  supervised.marker_names = {"NOTE", "x1"};
  all.push_back({"text_supervised", Dialect::text, supervised});
  ReaderOptions on_stderr;
  on_stderr.stream = Stream::stderr_;
  all.push_back({"markers_stderr", Dialect::markers, on_stderr});
  return all;
}

struct Input {
  std::string name;  // golden/wxcode/001_status, captures/claude/bash
  std::string bytes;
};

inline void add_inputs(std::vector<Input>& all, const std::filesystem::path& below,
                       std::string_view prefix, std::string_view wanted) {
  const std::filesystem::path root = source_dir() / "tests" / below;
  if (!std::filesystem::is_directory(root)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& path = entry.path();
    if (!entry.is_regular_file() || (path.filename() != wanted && path.extension() != wanted))
      continue;
    const std::filesystem::path relative =
        std::filesystem::relative(path.filename() == wanted ? path.parent_path() : path, root);
    all.push_back({std::string(prefix) + relative.string(), read_file(path)});
  }
}

// tests/golden/<dialect>/<case>/input and tests/data/captures/<agent>/<run>.jsonl, by name.
inline const std::vector<Input>& recorded_inputs() {
  static const std::vector<Input> kAll = [] {
    std::vector<Input> all;
    add_inputs(all, "golden", "golden/", "input");
    add_inputs(all, "data/captures", "captures/", ".jsonl");
    std::sort(all.begin(), all.end(),
              [](const Input& a, const Input& b) { return a.name < b.name; });
    return all;
  }();
  return kAll;
}

}  // namespace dragoman::test
