// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/console.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/run/one_line.hpp"

namespace dragoman::cli {

std::string printable(std::string_view text) { return one_line(text); }

std::string printable_lines(std::string_view message) {
  std::size_t end = std::min(message.find('\n'), message.size());
  std::string lines = printable(message.substr(0, end));
  while (end < message.size()) {
    message.remove_prefix(end + 1);
    end = std::min(message.find('\n'), message.size());
    lines += "\n  " + printable(message.substr(0, end));
  }
  return lines;
}

std::optional<ColorWhen> color_when_named(std::string_view name) {
  if (name == "auto") return ColorWhen::automatic;
  if (name == "always") return ColorWhen::always;
  if (name == "never") return ColorWhen::never;
  return std::nullopt;
}

bool Console::colored(bool terminal) const {
  switch (color_) {
    case ColorWhen::always:
      return true;
    case ColorWhen::never:
      return false;
    case ColorWhen::automatic:
      break;
  }
  if (!surroundings_.no_color.empty()) return false;
  if (!surroundings_.clicolor_force.empty() && surroundings_.clicolor_force != "0") return true;
  return terminal && !surroundings_.term.empty() && surroundings_.term != "dumb";
}

std::string Console::paint(Style style, std::string_view text) {
  const auto code = [style]() -> std::string_view {
    switch (style) {
      case Style::plain:
        return "";
      case Style::bold:
        return "1";
      case Style::dim:
        return "2";
      case Style::red:
        return "31";
      case Style::yellow:
        return "33";
      case Style::green:
        return "32";
    }
    return "";
  }();
  return code.empty() ? std::string(text) : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Console::say(std::string_view line) {
  // What was printed before comes before what is said about it.
  (void)out_.flush();
  err_.write(line);
  err_.write("\n");
  (void)err_.flush();
}

void Console::tell(std::string_view text) {
  (void)out_.flush();
  err_.write(text);
  (void)err_.flush();
}

int Console::fail(std::string_view message, std::string_view hint, int exit_code) {
  say(fmt::format("{} {}", talk(Style::red, "dragoman:"), message));
  if (!hint.empty()) say(fmt::format("  {} {}", talk(Style::dim, "hint:"), hint));
  return exit_code;
}

void Console::warn(std::string_view message) {
  if (!quiet_) say(fmt::format("{} {}", talk(Style::yellow, "dragoman: warning:"), message));
}

void Console::note(std::string_view message) {
  if (!quiet_) say(fmt::format("{} {}", talk(Style::dim, "dragoman:"), message));
}

void Console::note_block(std::string_view lines) {
  if (!quiet_) tell(lines);
}

void Console::detail(std::string_view message) {
  if (verbose_) say(fmt::format("{} {}", talk(Style::dim, "dragoman:"), message));
}

int Console::finish(int exit_code) {
  if (out_.flush()) return exit_code;
  if (out_.error() == EPIPE) return reader_may_go_ ? exit_code : kBrokenPipe;
  return fail(fmt::format("cannot write to stdout: {}", std::strerror(out_.error())));
}

}  // namespace dragoman::cli
