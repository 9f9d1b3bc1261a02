// SPDX-License-Identifier: Apache-2.0
// Data to stdout, talk to stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/cli/io.hpp"

namespace dragoman::cli {

// Exit codes that a script can rely on.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  // also input that cannot be read, output that cannot be written
inline constexpr int kFindings = 3;  // check findings, validation errors
inline constexpr int kBrokenPipe = 141;

// Words of strangers (paths, an agent's text) as one line that is safe on a terminal.
[[nodiscard]] std::string printable(std::string_view text);
// A message of several lines: each is safe, and those behind the first are indented.
[[nodiscard]] std::string printable_lines(std::string_view message);

enum class ColorWhen : std::uint8_t { automatic, always, never };
[[nodiscard]] std::optional<ColorWhen> color_when_named(std::string_view name);

// What decides about colour besides --color.
struct Surroundings {
  std::string no_color;        // NO_COLOR
  std::string clicolor_force;  // CLICOLOR_FORCE
  std::string term;            // TERM
  bool stdout_is_terminal = false;
  bool stderr_is_terminal = false;
};

enum class Style : std::uint8_t { plain, bold, dim, red, yellow, green };

class Console {
 public:
  explicit Console(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  [[nodiscard]] Output& out() { return out_; }

  void set_color(ColorWhen when) { color_ = when; }
  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_verbose(bool verbose) { verbose_ = verbose; }
  [[nodiscard]] bool verbose() const { return verbose_; }

  // "dragoman: message", and "  hint" where there is one. Gives the exit code back, so that a
  // command can `return console.fail(…)`.
  int fail(std::string_view message, std::string_view hint = {}, int exit_code = kUsage);
  void warn(std::string_view message);
  void note(std::string_view message);      // not with --quiet
  void note_block(std::string_view lines);  // whole lines as they are; not with --quiet
  void detail(std::string_view message);    // only with --verbose
  void say(std::string_view line);          // what was asked for, on stderr
  void tell(std::string_view text);         // a piece of a conversation on stderr, not a whole line
  [[nodiscard]] std::string told(Style style, std::string_view text) const {
    return talk(style, text);
  }

  // Whoever sees our data sees our talk between it.
  [[nodiscard]] bool is_one_terminal() const {
    return surroundings_.stdout_is_terminal && surroundings_.stderr_is_terminal;
  }

  // Text for people on stdout, coloured where that is wanted.
  [[nodiscard]] bool colors_stdout() const { return colored(surroundings_.stdout_is_terminal); }
  [[nodiscard]] std::string styled(Style style, std::string_view text) const {
    return colors_stdout() ? paint(style, text) : std::string(text);
  }

  // Writes what is left. A write that failed turns a good exit code into a bad one; the reader's
  // going away does so quietly.
  int finish(int exit_code);
  // For work that goes on whoever looks: then it does not change the exit code either.
  void let_reader_go() { reader_may_go_ = true; }

 private:
  [[nodiscard]] bool colored(bool terminal) const;
  [[nodiscard]] static std::string paint(Style style, std::string_view text);
  [[nodiscard]] std::string talk(Style style, std::string_view text) const {
    return colored(surroundings_.stderr_is_terminal) ? paint(style, text) : std::string(text);
  }

  Surroundings surroundings_;
  ColorWhen color_ = ColorWhen::automatic;
  bool quiet_ = false;
  bool verbose_ = false;
  bool reader_may_go_ = false;
  Output out_{1};
  Output err_{2};
};

}  // namespace dragoman::cli
