// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/echo.hpp"

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman::show {
namespace {

using Lines = std::vector<std::string>;

std::string str(json::Text text) { return text.str(); }

Lines lines_of(const CommandStarted& p) { return {fmt::format("## {}", p.title)}; }

Lines lines_of(const ToolStarted& p) {
  if (p.tool == "Read") return {fmt::format("**Reading:** `{}`", p.file)};
  if (p.tool == "Write") return {fmt::format("**Writing:** `{}`", p.file)};
  if (p.tool == "Edit") return {fmt::format("**Editing:** `{}`", p.file)};
  return {fmt::format("**Running:** {}", p.description)};
}

Lines lines_of(const ToolFinished& p) {
  if (p.outcome != Outcome::ok) return {fmt::format("\u2717 {}: {}", p.tool, str(p.error))};
  if (!p.duration_ms.has_value()) return {fmt::format("\u2713 {}", p.tool)};
  return {fmt::format("\u2713 {} ({}ms)", p.tool, p.duration_ms->real)};
}

Lines lines_of(const Status& p) {
  const std::string message = str(p.message);
  if (p.status == "completed") return {fmt::format("\u2705 {}", message)};
  if (p.status == "failed") return {fmt::format("\u274C {}", message)};
  if (p.status == "paused") return {fmt::format("\u23F8 {}", message)};
  if (p.status == "pending") return {message};
  return {fmt::format("\u23F3 {}...", message)};
}

Lines lines_of(const NextAction& p) {
  const std::string_view blank = p.args.empty() ? "" : " ";
  return {
      fmt::format("**Next:** `/wxcode:{}{}{}` \u2014 {}", p.command, blank, p.args, p.description)};
}

Lines lines_of(const Failure& p) {
  Lines lines = {fmt::format("\u274C **Error:** {}", str(p.message))};
  if (!p.suggestion.empty()) lines.push_back(fmt::format("\U0001F4A1 {}", p.suggestion));
  return lines;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

}  // namespace

void EchoFilter::expect(const Event& event) {
  expected_.clear();
  if (event.origin.dialect != Dialect::wxcode) return;
  if (const auto* p = event.as<CommandStarted>()) expected_ = lines_of(*p);
  if (const auto* p = event.as<ToolStarted>()) expected_ = lines_of(*p);
  if (const auto* p = event.as<ToolFinished>()) expected_ = lines_of(*p);
  if (const auto* p = event.as<Status>()) expected_ = lines_of(*p);
  if (const auto* p = event.as<NextAction>()) expected_ = lines_of(*p);
  if (const auto* p = event.as<Failure>()) expected_ = lines_of(*p);
}

void EchoFilter::drop_expected(End end) {
  while (!expected_.empty()) {
    std::size_t begin = 0;
    std::size_t newline = held_.find('\n');
    while (newline != std::string::npos &&
           ascii::is_blank(std::string_view(held_).substr(begin, newline - begin))) {
      begin = newline + 1;
      newline = held_.find('\n', begin);
    }
    const bool complete = newline != std::string::npos || end == End::yes;
    const std::string_view line = std::string_view(held_).substr(begin, newline - begin);
    if (!complete) {
      // It may still become the line that is expected.
      if (line.size() <= expected_.front().size() + 8 &&
          expected_.front().starts_with(trimmed(line))) {
        return;
      }
      expected_.clear();
    } else if (!ascii::is_blank(line) && trimmed(line) == expected_.front()) {
      held_.erase(0, newline == std::string::npos ? newline : newline + 1);
      expected_.erase(expected_.begin());
    } else {
      expected_.clear();
    }
  }
}

std::string_view EchoFilter::pass(std::string_view words) {
  if (expected_.empty() && held_.empty()) return words;
  held_.append(words);
  drop_expected(End::no);
  if (!expected_.empty()) return {};
  passed_.swap(held_);
  held_.clear();
  return passed_;
}

std::string_view EchoFilter::flush() {
  if (held_.empty()) {
    expected_.clear();
    return {};
  }
  drop_expected(End::yes);
  expected_.clear();
  passed_.swap(held_);
  held_.clear();
  return passed_;
}

}  // namespace dragoman::show
