// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/file_entries.hpp"

#include <algorithm>

namespace dragoman::check {
namespace {

constexpr std::string_view kBehindEntry = "' does not say ";

// "'a.txt' does not say …"
std::string_view entry_in(std::string_view message) {
  const std::size_t end = message.rfind(kBehindEntry);
  if (!message.starts_with('\'') || end == std::string_view::npos || end <= 1) return {};
  return message.substr(1, end - 1);
}

// Where in the line the entry begins, behind what makes it an entry of a list; messages quote the
// beginning of a long one.
std::size_t start_in(std::string_view line, std::string_view entry) {
  const std::size_t at = line.find_first_not_of(" \t-*+");
  if (at == std::string_view::npos || !line.substr(at).starts_with(entry))
    return std::string_view::npos;
  constexpr std::size_t kQuotedInFull = 70;
  const std::string_view rest = line.substr(at + entry.size());
  const bool whole = rest.find_first_not_of(" \t\r") == std::string_view::npos;
  return whole || entry.size() > kQuotedInFull ? at : std::string_view::npos;
}

}  // namespace

Origin FileEntries::find(std::string_view block, const Origin& origin, std::string_view message) {
  if (block_ != origin.offset) behind_ = 0;
  block_ = origin.offset;
  const std::string_view entry = entry_in(message);
  std::size_t begin = std::min(behind_, block.size());
  while (!entry.empty() && begin < block.size()) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    const std::size_t at = start_in(block.substr(begin, end - begin), entry);
    if (at != std::string_view::npos) {
      Origin found = origin;
      found.offset += begin + at;
      found.length = entry.size();
      found.line += static_cast<std::uint64_t>(std::ranges::count(block.substr(0, begin), '\n'));
      behind_ = end;
      return found;
    }
    begin = end + 1;
  }
  return origin;
}

}  // namespace dragoman::check
