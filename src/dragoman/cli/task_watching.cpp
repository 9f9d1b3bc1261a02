// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_watching.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/show/columns.hpp"

namespace dragoman::cli {
namespace {

const std::string kErase = "\r\x1b[K";

// Lines of an agent, as a terminal may see them.
std::string whole_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

// "[#####     ]  50 %  Running: npm test", on one line of the terminal.
void draw_progress(const task::Task& task) {
  if (::isatty(STDERR_FILENO) != 1) return;
  json::Cursor cursor(task.progress.json);
  std::int64_t percent = 0;
  std::string activity = task.state;
  std::string_view key;
  if (!task.progress.json.empty() && cursor.next_is(json::Kind::object)) {
    for (json::Members members(cursor); members.next(key);) {
      const bool is_percent = key == "percent";
      const bool is_activity = key == "current_activity";
      const json::Value found = cursor.take();
      if (is_percent) percent = json::parse_number(found.raw).value.whole().value_or(0);
      if (is_activity && found.is(json::Kind::string)) activity = found.text().str();
    }
  }
  percent = std::clamp(percent, std::int64_t{0}, std::int64_t{100});
  const std::string bar(static_cast<std::size_t>(percent / 5), '#');
  // A line that the terminal breaks could not be erased.
  std::string line = kErase;
  show::append_elided(line, fmt::format("[{:<20}] {:3} %  {}", bar, percent, printable(activity)),
                      screen_width() - 1);
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

void erase_progress() {
  if (::isatty(STDERR_FILENO) == 1) (void)!::write(STDERR_FILENO, kErase.data(), kErase.size());
}

Result<task::ResultsQuery> results_query(const Invocation& invocation) {
  task::ResultsQuery query;
  if (invocation.has("output")) query.include_output = true;
  query.include_events = invocation.has("events");
  if (const auto given = invocation.value("max-output")) {
    const auto bytes = json::parse_number(*given).value.whole();
    if (!bytes || *bytes < std::int64_t{kMinOutputBytes} ||
        *bytes > std::int64_t{kMaxOutputBytes}) {
      return bad_value(fmt::format("--max-output: '{}' is not a number of {} to {}", *given,
                                   kMinOutputBytes, kMaxOutputBytes));
    }
    query.max_output_bytes = static_cast<std::size_t>(*bytes);
  }
  return query;
}

void print_results(const task::TaskResults& results, Console& console) {
  console.out().write(fmt::format("{}: {}\n", results.task.state, printable(results.summary)));
  if (results.output_included) {
    console.out().write(whole_lines(results.output.stdout_text));
    console.tell(whole_lines(results.output.stderr_text));
  }
  for (const auto& question : results.questions)
    console.note(fmt::format("asked: {} (dragoman answer {}/{} …)", printable(question.text),
                             results.task.id, printable(question.id)));
}

}  // namespace dragoman::cli
