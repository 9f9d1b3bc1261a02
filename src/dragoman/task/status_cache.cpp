// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/status_cache.hpp"

#include <algorithm>

namespace dragoman::task {
namespace {

bool same(const StatusQuery& a, const StatusQuery& b) {
  return a.working_dir == b.working_dir && a.task_id == b.task_id && a.limit == b.limit;
}

// A revision that is likely to be the newest: going on from there is a short way.
std::uint64_t newest_in(const Snapshot& snapshot) {
  std::uint64_t newest = 0;
  for (const Task& task : snapshot.running) newest = std::max(newest, task.revision);
  for (const Task& task : snapshot.recent) newest = std::max(newest, task.revision);
  return newest;
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> StatusCache::status(Service& service,
                                                            const StatusQuery& query) {
  constexpr std::size_t kPage = 256;
  const Lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (snapshot_ && now - made_ < kLongest && same(query, query_)) {
    DRAGOMAN_TRY(const auto news, service.log().changed(kTasks, revision_, 1));
    if (news.empty()) return snapshot_;
  }
  if (revision_ == 0) {
    DRAGOMAN_TRY(const Snapshot first, service.status(query));
    revision_ = newest_in(first);
  }
  // First where the registry stands, then what is in it: a change between the two is only seen
  // twice.
  while (true) {
    DRAGOMAN_TRY(const auto news, service.log().changed(kTasks, revision_, kPage));
    if (news.empty()) break;
    revision_ = news.back().revision;
  }
  DRAGOMAN_TRY(Snapshot snapshot, service.status(query));
  snapshot_ = std::make_shared<const Snapshot>(std::move(snapshot));
  query_ = query;
  made_ = now;
  return snapshot_;
}

}  // namespace dragoman::task
