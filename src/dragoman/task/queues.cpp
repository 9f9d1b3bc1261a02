// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/queues.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/log/fields.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

namespace {

constexpr const char* kBucket = "queues";
constexpr const char* kKey = "all";

struct Names {
  std::vector<std::string> names;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("names", s.names);
  }
};

}  // namespace

Result<std::vector<std::string>> known_queues(Log& log) {
  DRAGOMAN_TRY(const auto record, log.get(kBucket, kKey));
  std::vector<std::string> queues = {std::string(kQueue)};
  if (!record) return queues;
  DRAGOMAN_TRY(auto known, read_fields<Names>(record->value));
  queues.insert(queues.end(), known.names.begin(), known.names.end());
  return queues;
}

Result<void> announce_queue(Log& log, const std::string& queue) {
  if (queue == kQueue) return {};
  for (;;) {
    DRAGOMAN_TRY(const auto record, log.get(kBucket, kKey));
    Names known;
    if (record) {
      DRAGOMAN_TRY(known, read_fields<Names>(record->value));
    }
    if (std::find(known.names.begin(), known.names.end(), queue) != known.names.end()) return {};
    known.names.push_back(queue);
    DRAGOMAN_TRY(const auto written, write_one(log, Put{kBucket,
                                                        {kKey, write_fields(known), 0, "", 0},
                                                        record ? record->revision : 0}));
    if (written.applied) return {};
  }
}

std::string presence_queue(std::string_view worker) { return fmt::format("present {}", worker); }

Result<bool> worker_lives(Log& log, std::string_view worker) {
  DRAGOMAN_TRY(const auto items, log.queue(presence_queue(worker)));
  return std::ranges::any_of(items, &QueueItem::claimed);
}

}  // namespace dragoman::task
