// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "dragoman/show/palette.hpp"

namespace dragoman::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;

// None where there is no terminal or it does not say.
std::optional<std::size_t> terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_smart_terminal() {
  const std::string term = variable("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !term.empty() && term != "dumb";
}

bool stop_is_ignored() {
  struct sigaction now {};
  return ::sigaction(SIGTSTP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

std::size_t screen_width() {
  std::size_t width = kUsualWidth;
  if (const auto terminal = terminal_width()) {
    width = *terminal;
  } else {
    const std::string columns = variable("COLUMNS");
    std::size_t given = 0;
    const auto [end, error] =
        std::from_chars(columns.data(), columns.data() + columns.size(), given);
    if (error == std::errc() && end == columns.data() + columns.size()) width = given;
  }
  return std::clamp(width, kNarrowest, kWidest);
}

show::ColorDepth screen_colors(const std::string& when) {
  const std::string no_color = variable("NO_COLOR");
  const std::string force = variable("CLICOLOR_FORCE");
  const std::string colorterm = variable("COLORTERM");
  const std::string term = variable("TERM");
  return show::detect_color({when, no_color, force, colorterm, term, ::isatty(STDOUT_FILENO) == 1});
}

}  // namespace dragoman::cli
