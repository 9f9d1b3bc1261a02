// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/document_rules.hpp"

#include <fmt/format.h>

#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"

namespace dragoman::check {
namespace {

constexpr std::string_view kTitleStart = "\n## ";
constexpr std::size_t kLongestTitle = 4096;  // bytes; a longer line is no title
constexpr std::size_t kTitleShown = 60;      // characters of a title in a message

bool is_wxcode_comment(const Event& event) {
  if (event.origin.dialect != Dialect::wxcode) return false;
  switch (event.kind()) {
    case Kind::tool_started:
    case Kind::tool_finished:
    case Kind::status:
    case Kind::next_action:
    case Kind::failure:
      return true;
    default:
      return false;
  }
}

// Titles are written with U+25B6 and with U+25BA, which look the same.
std::string with_one_arrow(std::string title) {
  constexpr std::string_view kOther = "\u25ba";
  for (std::size_t at = 0; (at = title.find(kOther, at)) != std::string::npos;)
    title.replace(at, kOther.size(), "\u25b6");
  return title;
}

// As it is, or as our own writer has to spell it.
bool is_title(std::string_view line, std::string_view title) {
  const std::string shown = with_one_arrow(on_one_line(line));
  return shown == with_one_arrow(on_one_line(title)) ||
         shown == with_one_arrow(guarded_value(title));
}

}  // namespace

void DocumentRules::event(const Event& event) {
  if (const auto* words = event.as<DisplayText>(); words != nullptr) {
    if (looking_for_title_) text(words->text.str());
    return;
  }
  if (event.kind() == Kind::diagnostic)
    return;  // says something about a neighbour, stands nowhere itself
  end_title_search();
  if (const auto* command = event.as<CommandStarted>(); command != nullptr) {
    start_title_search(*command, event.origin);
  } else if (!header_seen_ && !no_header_told_ && is_wxcode_comment(event)) {
    no_header_told_ = true;
    report_("no_header", event.origin, "a WXCODE marker stands before any HEADER");
  }
}

void DocumentRules::start_title_search(const CommandStarted& command, const Origin& origin) {
  header_seen_ = true;
  looking_for_title_ = true;
  title_ = trimmed(command.title);
  behind_header_.clear();
  header_ = origin;
  header_.parent = {};
}

void DocumentRules::text(std::string_view words) {
  behind_header_.append(words.substr(0, kLongestTitle));
  if (behind_header_.starts_with("\r\n")) behind_header_.erase(0, 1);
  if (knows_next_line()) end_title_search();
}

bool DocumentRules::knows_next_line() const {
  const std::string_view seen = behind_header_;
  if (seen == "\r") return false;
  if (!seen.starts_with(kTitleStart.substr(0, seen.size()))) return true;
  return seen.find('\n', 1) != std::string_view::npos || seen.size() >= kLongestTitle;
}

void DocumentRules::end_title_search() {
  if (!looking_for_title_) return;
  looking_for_title_ = false;
  std::string_view line = behind_header_;
  if (!line.starts_with(kTitleStart)) {
    report_("header_gap", header_,
            title_.empty() ? "the line behind a HEADER should be its title: ## …"
                           : fmt::format("the line behind a HEADER should be its title: '## {}'",
                                         shortened(title_, kTitleShown)));
    return;
  }
  line.remove_prefix(kTitleStart.size());
  line = line.substr(0, line.find('\n'));
  if (title_.empty() || is_title(line, title_)) return;
  report_("header_gap", header_,
          fmt::format("the line behind a HEADER should be its title: '## {}', not '## {}'",
                      shortened(title_, kTitleShown), shortened(trimmed(line), kTitleShown)));
}

}  // namespace dragoman::check
