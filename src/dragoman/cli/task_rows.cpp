// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_rows.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/duration.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/show/columns.hpp"

namespace dragoman::cli {
namespace {

Style style_of(std::string_view state) {
  if (state == "completed") return Style::green;
  if (state == "failed" || state == "timeout") return Style::red;
  if (state == "working") return Style::bold;
  if (state == "queued") return Style::dim;
  return Style::yellow;  // waits for somebody, or was ended by somebody
}

}  // namespace

std::string title_of(const task::Task& task) {
  constexpr std::size_t kLongest = 200;  // columns
  constexpr std::size_t kLongestTask = 60;
  const std::string words =
      task.text.empty() ? fmt::format("{}", fmt::join(task.words, " ")) : task.text;
  std::string line;
  show::append_elided(line, printable(words), task.summary.empty() ? kLongest : kLongestTask);
  if (task.summary.empty()) return line;
  if (!line.empty()) line += " → ";
  show::append_elided(line, printable(task.summary), kLongest);
  return line;
}

std::string task_row(const task::Task& task, std::int64_t now, std::string_view rest,
                     const Console& console) {
  const std::int64_t last = std::max({task.created_at, task.started_at, task.completed_at});
  const std::string state = fmt::format("{:<9}", printable(task.state));
  const std::string age = fmt::format("{:>4}", age_words(now - last));
  const std::size_t taken = show::columns(task.id) + show::columns(state) + age.size() + 6;
  return fmt::format("{}  {}  {}  {}", task.id, console.styled(style_of(task.state), state),
                     console.styled(Style::dim, age), fitted(rest, taken));
}

std::string fitted(std::string_view line, std::size_t taken) {
  constexpr std::size_t kFewest =
      20;  // less would say nothing: on a narrow terminal it has a line of its own
  if (::isatty(STDOUT_FILENO) != 1) return fmt::format("{}\n", line);
  const std::size_t width = screen_width();
  std::string out;
  const bool fits = width > taken + kFewest;
  if (!fits) out = "\n    ";
  show::append_elided(out, line, fits ? width - taken : std::max(width, kFewest) - 4);
  return out + "\n";
}

}  // namespace dragoman::cli
