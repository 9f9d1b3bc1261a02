// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/reading.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace dragoman::cli {

namespace {

constexpr std::size_t kSmallestCap = std::size_t{1} << 10U;
constexpr std::size_t kLargestCap = std::size_t{1} << 30U;  // offsets in a line have 32 bits

// "64MiB", "65536"
std::optional<std::size_t> size_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::pair<std::string_view, unsigned> kUnits[] = {
      {"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  for (const auto& [name, shift] : kUnits) {
    if (unit == name && number <= kLargestCap >> shift) return number << shift;
  }
  return std::nullopt;
}

}  // namespace

Result<ReadingOptions> reading_options(const Invocation& invocation) {
  ReadingOptions options;
  const std::string from = invocation.value("from").value_or("auto");
  if (from != "auto") options.dialect = dialect_named(from);
  if (const auto mode = invocation.value("mode")) {
    options.reader.mode = mode_named(*mode).value_or(Mode::standard);
  }
  options.reader.whole_blocks = true;
  options.reader.partial = invocation.has("partial");
  if (const auto given = invocation.value("line-cap")) {
    const auto cap = size_in(*given);
    if (!cap || *cap < kSmallestCap) {
      return Error{ErrorCode::validation,
                   fmt::format("{}: --line-cap: '{}' is not a size from 1KiB to 1GiB, as in 64MiB",
                               invocation.spec().name, printable(*given))};
    }
    options.reader.line_cap = *cap;
  }
  return options;
}

std::unique_ptr<Reader> open_reader(const ReadingOptions& options) {
  return options.dialect.has_value() ? make_reader(*options.dialect, options.reader)
                                     : make_detecting_reader(options.reader);
}

Result<std::vector<std::string>> inputs(const Invocation& invocation, Console& console) {
  std::vector<std::string> paths = invocation.arguments();
  if (paths.empty()) {
    if (::isatty(STDIN_FILENO) == 1) console.note("reading from the terminal; Ctrl-D ends it");
    paths.emplace_back("-");
  }
  DRAGOMAN_CHECK(check_inputs(paths));
  return paths;
}

Result<void> check_inputs(const std::vector<std::string>& paths) {
  if (std::ranges::count(paths, "-") > 1)
    return Error{ErrorCode::validation, "'-' is there twice, and stdin can be read once"};
  for (const std::string& path : paths) DRAGOMAN_CHECK(Input::check(path));
  return {};
}

OptionSpec exit_code_option() { return {"exit-code", "N", "how the process ended"}; }

Result<ProcessEnd> process_end(const Invocation& invocation) {
  ProcessEnd end;
  const auto given = invocation.value("exit-code");
  if (!given) return end;
  int code = 0;
  const auto read = std::from_chars(given->data(), given->data() + given->size(), code);
  if (read.ec != std::errc() || read.ptr != given->data() + given->size() || code < 0 ||
      code > 255) {
    return Error{ErrorCode::validation,
                 fmt::format("{}: --exit-code: '{}' is not a number from 0 to 255",
                             invocation.spec().name, printable(*given))};
  }
  end.exit_code = code;
  return end;
}

}  // namespace dragoman::cli
