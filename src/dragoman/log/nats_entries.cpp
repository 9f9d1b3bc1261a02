// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_entries.hpp"

#include <algorithm>

namespace dragoman {

EntryHead entry_head(const JetMessage& message) {
  return {std::max<std::uint64_t>(message.number("D-First"), 1), message.number("D-Count"),
          message.number("D-Part"), !message.header("D-More").empty()};
}

std::vector<std::pair<std::string, std::string>> headers_of(const EntryHead& head) {
  std::vector<std::pair<std::string, std::string>> headers = {
      {"D-First", std::to_string(head.first)}, {"D-Count", std::to_string(head.count)}};
  if (head.part > 0) headers.emplace_back("D-Part", std::to_string(head.part));
  if (head.more) headers.emplace_back("D-More", "1");
  return headers;
}

void EntryReader::take(const JetMessage& message, LogPage& page) {
  const EntryHead head = entry_head(message);
  if (head.part > 0 || head.more) {
    if (head.part == 0) {
      parts_.clear();
      next_part_ = 0;
    }
    if (head.part != next_part_) return;  // its beginning was not ours to read
    parts_ += message.data;
    ++next_part_;
    if (head.more) return;
    page.add(head.first, std::exchange(parts_, {}));
    next_part_ = 0;
    return;
  }
  const std::string_view bodies = message.data;
  std::uint64_t seq = head.first;
  for (std::size_t at = 0; !page.full() && seq < head.first + head.count; ++seq) {
    const std::size_t end = std::min(bodies.find('\n', at), bodies.size());
    page.add(seq, bodies.substr(at, end - at));
    at = std::min(end + 1, bodies.size());
  }
}

}  // namespace dragoman
