// SPDX-License-Identifier: Apache-2.0
//
// parse_bench [--size BYTES] [--repeats N] [--dialect D] [--density D]
// [--library-only]
//             [--corpora DIR] [--peers DIR] [--dragoman PROGRAM]
// Every contestant on every corpus in one run; prints the tables of
// bench/RESULTS.md.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/support/child.hpp"
#include "bench/support/corpus.hpp"
#include "bench/support/cpu_time.hpp"
#include "bench/support/library.hpp"
#include "bench/support/rivals.hpp"
#include "bench/support/scoreboard.hpp"

namespace {

using namespace dragoman::bench;
namespace fs = std::filesystem;

constexpr std::size_t kChunk = 64 * 1024;

struct Options {
  std::size_t size = 100'000'000;
  int repeats = 21;  // fewer, and the luck of a virtual machine decides
  std::optional<Dialect> dialect;
  std::optional<Density> density;
  bool library_only = false;
  fs::path corpora = "bench/corpora";
  fs::path peers = "bench/peers";
  fs::path dragoman = "build/release/dragoman";
};

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--library-only") {
      options.library_only = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string_view value = argv[++i];
    const auto number = [&](auto& to) { std::from_chars(value.begin(), value.end(), to); };
    if (flag == "--size")
      number(options.size);
    else if (flag == "--repeats")
      number(options.repeats);
    else if (flag == "--dialect")
      options.dialect = dialect_named(value);
    else if (flag == "--density")
      options.density = density_named(value);
    else if (flag == "--corpora")
      options.corpora = value;
    else if (flag == "--peers")
      options.peers = value;
    else if (flag == "--dragoman")
      options.dragoman = value;
    else
      return std::nullopt;
  }
  return options;
}

// One corpus, in memory for the functions and in a file for the programs.
class Round {
 public:
  Round(const Options& options, Dialect dialect, Density density, Scoreboard& board)
      : options_(options), dialect_(dialect), density_(density), board_(board) {
    text_ = make_corpus(dialect, density, options.size);
    size_ = text_.size();
    text_.append(kPadding, ' ');
    path_ = options.corpora / fmt::format("{}-{}", name(dialect), name(density));
  }

  void functions() {
    using namespace contestant;
    const std::string_view input(text_.data(), size_);
    function(kMemchr, [&] { return scan_with_memchr(input); });
    switch (dialect_) {
      case Dialect::wxcode:
        function(kMarkersSimdjson, [&] { return read_markers_with_simdjson(input); });
        function(kTellingSimdjson, [&] { return tell_markers_with_simdjson(input); });
        break;
      case Dialect::claude:
        function(kTypesSimdjson, [&] { return read_types_with_simdjson(input); });
        break;
      case Dialect::markers:
        function(kNewlines, [&] { return count_lines(input); });
        break;
    }
    Tally whole;
    Tally pieces;
    function(kLibrary, [&] {
      whole = read_with_library(dialect_, input, kOneShot);
      return whole.events;
    });
    function(kLibraryChunks, [&] {
      pieces = read_with_library(dialect_, input, kChunk);
      return pieces.events;
    });
    take_turns();
    if (whole != pieces) std::fputs("the library's answer depends on the chunks\n", stderr);
  }

  void programs() {
    using namespace contestant;
    store();
    const std::string file = path_.string();
    const std::string tool = options_.dragoman.string();
    const std::string from(name(dialect_));
    program(kCat, {"cat", file});
    program(kWc, {"wc", "-l", file});
    program(kCount, {tool, "parse", "--from", from, "--count", file});
    if (dialect_ == Dialect::wxcode) {
      program(kMarkersOnly, {tool, "parse", "--from", from, "--kinds",
                             "command_started,tool_started,tool_finished,status,next_action,"
                             "failure",
                             file});
    }
    program(kRipgrep, {"rg", "--no-config", "-o", regex(), file}, kFew);
    program(kAllEvents, {tool, "parse", "--from", from, file}, kFew);
    // They take seconds: one run tells enough, and all of it stays within minutes.
    if (dialect_ == Dialect::claude) program(kJq, {"jq", ".type", file}, 1);
    program(kNode, {"node", (options_.peers / (from + ".mjs")).string(), file}, 1);
    program(kPython, {"/usr/bin/python3", (options_.peers / (from + ".py")).string(), file}, 1);
    take_turns();
  }

 private:
  static constexpr int kFew = 3;

  struct Turn {
    std::string_view contestant;
    std::function<std::optional<double>()> run;  // CPU seconds; absent: it cannot be run
    int repeats = 0;
    std::optional<double> best = {};
  };

  void function(std::string_view contestant, const std::function<std::size_t()>& body) {
    turns_.push_back({contestant,
                      [body]() -> std::optional<double> {
                        const double start = cpu_seconds();
                        body();
                        return cpu_seconds() - start;
                      },
                      options_.repeats});
  }

  void program(std::string_view contestant, const std::vector<std::string>& argv, int repeats = 0) {
    turns_.push_back({contestant,
                      [argv]() -> std::optional<double> {
                        const auto usage = run_child(argv);
                        if (!usage) return std::nullopt;
                        return usage->cpu_seconds;
                      },
                      repeats > 0 ? repeats : options_.repeats});
  }

  // One after the other, again and again, and the best of each: what the neighbours of a virtual
  // machine do at one moment befalls all of them.
  void take_turns() {
    for (int round = 0; round < options_.repeats; ++round) {
      for (Turn& turn : turns_) {
        if (round >= turn.repeats) continue;
        const auto seconds = turn.run();
        if (!seconds)
          turn.repeats = 0;
        else
          turn.best = std::min(turn.best.value_or(*seconds), *seconds);
      }
    }
    for (const Turn& turn : turns_) {
      if (turn.best)
        report(turn.contestant, *turn.best);
      else
        fmt::print(stderr, "{:8} {:6} {}: cannot be run\n", name(dialect_), name(density_),
                   turn.contestant);
    }
    turns_.clear();
  }

  void report(std::string_view contestant, double seconds) {
    const double speed = static_cast<double>(size_) / seconds;
    board_.record(contestant, dialect_, density_, speed);
    fmt::print(stderr, "{:8} {:6} {:40} {:8.0f} MB/s\n", name(dialect_), name(density_), contestant,
               speed / 1e6);
  }

  std::string regex() const {
    switch (dialect_) {
      case Dialect::wxcode:
        return R"(<!-- WXCODE:(\w+):(\{.*?\}) -->)";
      case Dialect::claude:
        return R"(<!--QUESTION:(\{.*?\})-->)";
      case Dialect::markers:
        return R"(^\s*\[(PROGRESS|QUESTION|BLOCKED|FILES_MODIFIED|CODEX_COMPLETE)\].*)";
    }
    return {};
  }

  void store() const {
    std::error_code ignored;
    fs::create_directories(options_.corpora, ignored);
    std::ofstream(path_, std::ios::binary).write(text_.data(), static_cast<std::streamsize>(size_));
  }

  const Options& options_;
  Dialect dialect_;
  Density density_;
  Scoreboard& board_;
  std::vector<Turn> turns_;
  std::string text_;  // with padding behind it
  std::size_t size_ = 0;
  fs::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = read_options(argc, argv);
  if (!options) {
    std::fputs(
        "usage: parse_bench [--size BYTES] [--repeats N] [--dialect D] "
        "[--density D] …\n",
        stderr);
    return 2;
  }
  Scoreboard board;
  for (const Dialect dialect : kDialects) {
    if (options->dialect && options->dialect != dialect) continue;
    for (const Density density : kDensities) {
      if (options->density && options->density != density) continue;
      Round round(*options, dialect, density, board);
      round.functions();
      if (!options->library_only) round.programs();
    }
  }
  fmt::print("### Targets\n\n{}\n### Speeds\n\nCorpora of {} MB.\n\n{}", board.target_table(),
             options->size / 1'000'000, board.speed_table());
  fmt::print(stderr, "{} targets missed\n", board.missed());
  return 0;
}
