// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/reading.hpp"

#include <unistd.h>

namespace dragoman::cli {

ReadingOptions reading_options(const Invocation& invocation) {
  ReadingOptions options;
  const std::string from = invocation.value("from").value_or("auto");
  if (from != "auto") options.dialect = dialect_named(from);
  if (const auto mode = invocation.value("mode")) {
    options.reader.mode = mode_named(*mode).value_or(Mode::standard);
  }
  options.reader.partial = invocation.has("partial");
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
  for (const std::string& path : paths) DRAGOMAN_CHECK(Input::check(path));
  return paths;
}

}  // namespace dragoman::cli
