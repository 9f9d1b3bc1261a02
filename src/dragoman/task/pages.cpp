// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/pages.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace dragoman::task {

namespace {

// "1763287200000.T-local-…": the order of the last task of a page, and its id among equals.
struct PageMark {
  std::optional<std::int64_t> order;
  std::string id;
};

Result<PageMark> read_mark(std::string_view text) {
  PageMark mark;
  if (text.empty()) return mark;
  std::int64_t order = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, order);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '.')
    return Error{ErrorCode::validation, "not the mark of a page", "bad_mark"};
  mark.order = order;
  mark.id.assign(read.ptr + 1, end);
  return mark;
}

// Tasks of equal order may lie on both sides of the mark.
Result<std::vector<LogRecord>> records_behind(Log& log, RecordQuery query, const PageMark& mark,
                                              std::size_t limit) {
  query.until_order = mark.order;
  for (query.limit = limit + 1;; query.limit *= 2) {
    DRAGOMAN_TRY(auto records, log.list(query));
    const bool all = records.size() < query.limit;
    if (mark.order) {
      const auto at = std::find_if(records.begin(), records.end(),
                                   [&](const auto& one) { return one.key == mark.id; });
      // A task that is gone or has moved: what is older than it follows.
      const auto older = std::find_if(records.begin(), records.end(),
                                      [&](const auto& one) { return one.order < *mark.order; });
      records.erase(records.begin(), at != records.end() ? at + 1 : older);
    }
    if (records.size() > limit || all) return records;
  }
}

}  // namespace

Result<TaskPage> list_page(Log& log, std::vector<std::string> states, std::string_view mark,
                           std::size_t limit) {
  DRAGOMAN_TRY(const auto behind, read_mark(mark));
  DRAGOMAN_TRY(auto records,
               records_behind(log, {.bucket = std::string(kTasks), .states = std::move(states)},
                              behind, limit));
  TaskPage page;
  if (records.size() > limit) {
    records.resize(limit);
    page.next = fmt::format("{}.{}", records.back().order, records.back().key);
  }
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto task, task_of(record));
    page.tasks.push_back(std::move(task));
  }
  return page;
}

}  // namespace dragoman::task
