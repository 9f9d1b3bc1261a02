// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/empty_blocks.hpp"

#include "dragoman/base/ascii.hpp"

namespace dragoman::check {
namespace {

// The next line, without its end and the blanks around it; takes it off `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return ascii::trimmed(line);
}

bool is_options_line(std::string_view line) {
  constexpr std::string_view kWord = "options:";
  return ascii::lowered(line.substr(0, kWord.size())) == kWord;
}

// Up to the first empty line, and on the one behind it; a line that may be the next marker ends it
// too, so that no line is looked at for two questions.
bool promises_options(std::string_view text) {
  for (bool last = false; !text.empty() && text.front() != '[';) {
    const std::string_view line = take_line(text);
    if (is_options_line(line)) return true;
    if (last) return false;
    last = line.empty();
  }
  return false;
}

}  // namespace

std::optional<EmptyBlock> empty_block(const Event& event, std::string_view text) {
  if (event.origin.dialect != Dialect::markers || text.empty()) return std::nullopt;
  (void)take_line(text);
  if (const auto* question = event.as<Question>();
      question != nullptr && question->options.empty() && promises_options(text)) {
    return EmptyBlock{"option_count", std::nullopt, "there is no option below 'Options:'",
                      "number them, each on a line: '1. label - description'"};
  }
  if (const auto* changed = event.as<FilesChanged>();
      changed != nullptr && changed->files.empty()) {
    const std::string_view next = take_line(text);
    if (next.starts_with('-') || next.starts_with('*')) return std::nullopt;  // "- none"
    return EmptyBlock{"file_entry", Level::info, "no file is on the line below the marker",
                      "write '- path (created|modified|deleted)' there, or '- none'"};
  }
  return std::nullopt;
}

}  // namespace dragoman::check
