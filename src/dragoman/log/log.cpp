// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

namespace {

std::size_t bytes_of(const std::vector<LogEntry>& entries) {
  std::size_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.body.size();
  return bytes;
}

}  // namespace

Result<LogWritten> write_one(Log& log, LogWrite write) {
  std::vector<LogWrite> writes;
  writes.push_back(std::move(write));
  DRAGOMAN_TRY(auto written, log.write(std::move(writes)));
  return written.front();
}

bool more_may_follow(const std::vector<LogEntry>& page, std::size_t limit) {
  return page.size() >= limit || bytes_of(page) >= Log::kPageBytes;
}

// Pages are filled from their first entry, so a stretch that does not fit is halved until it does:
// mostly the first one fits, and never is more than a page held beside what was found.
Result<std::vector<LogEntry>> read_before(Log& log, std::string_view stream, std::uint64_t before,
                                          std::size_t limit) {
  std::vector<LogEntry> newest;
  std::size_t bytes = 0;
  std::uint64_t stretch = limit;
  while (stretch > 0 && before > 1 && newest.size() < limit) {
    stretch = std::min<std::uint64_t>({stretch, limit - newest.size(), before - 1});
    DRAGOMAN_TRY(auto older, log.read(stream, before - stretch, stretch));
    if (older.empty()) {
      DRAGOMAN_TRY(const auto last, log.last(stream));
      if (last + 1 >= before) break;
      before = last + 1;
      continue;
    }
    const bool reaches = older.back().seq + 1 >= before || !more_may_follow(older, stretch);
    // Where the first ones are not kept any more a page goes on behind the stretch.
    std::erase_if(older, [&](const LogEntry& entry) { return entry.seq >= before; });
    if (older.empty()) break;
    const std::size_t size = bytes_of(older);
    if (!reaches || (bytes + size > Log::kPageBytes && newest.size() + older.size() > 1)) {
      stretch /= 2;
      continue;
    }
    bytes += size;
    before = older.front().seq;
    newest.insert(newest.begin(), std::make_move_iterator(older.begin()),
                  std::make_move_iterator(older.end()));
  }
  return newest;
}

}  // namespace dragoman
