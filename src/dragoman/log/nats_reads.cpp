// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "dragoman/log/nats_engine.hpp"
#include "dragoman/log/nats_entries.hpp"
#include "dragoman/log/nats_names.hpp"

namespace dragoman {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kKnownPlaces = 1000;

LogRecord record_of(const JetMessage& message, std::string_view key) {
  const std::string_view order = message.header("D-Order");
  std::int64_t position = 0;
  std::from_chars(order.data(), order.data() + order.size(), position);
  return {std::string(key), message.data, message.seq, from_token(message.header("D-State")),
          position};
}

Log::Milliseconds left_until(Steady::time_point deadline) {
  return std::chrono::duration_cast<Log::Milliseconds>(deadline - Steady::now());
}

}  // namespace

NatsQueue& NatsLog::work() {
  const Lock lock(mutex_);
  if (queue_ == nullptr) queue_ = std::make_unique<NatsQueue>(stream_, space_);
  return *queue_;
}

NatsWatch& NatsLog::watch() {
  const Lock lock(mutex_);
  if (watch_ == nullptr) watch_ = std::make_unique<NatsWatch>(stream_, space_);
  return *watch_;
}

Result<NatsProjection*> NatsLog::projection() {
  const Lock lock(mutex_);
  if (projection_ == nullptr) {
    DRAGOMAN_TRY(projection_, NatsProjection::open(stream_, space_, options_.projections));
  }
  return projection_.get();
}

// Where the message is that holds number `from`: remembered, or found by halving.
Result<NatsLog::Place> NatsLog::find_place(std::string_view stream, std::uint64_t from) {
  if (from <= 1) return Place{};
  {
    const Lock lock(mutex_);
    const auto known = places_.find(stream);
    if (known != places_.end() && known->second.number == from) return known->second;
  }
  const std::string subject = space_.events_of(stream);
  DRAGOMAN_TRY(const auto tail, fetch_tail(stream));
  std::uint64_t low = 1;
  for (std::uint64_t high = tail.seq; low < high;) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    DRAGOMAN_TRY(const auto message, stream_.next_of(space_.event_stream(), subject, middle));
    const EntryHead head = message ? entry_head(*message) : EntryHead{};
    // A part of a large entry counts as behind that entry's beginning.
    const bool at_or_before =
        message && (head.first < from || (head.first == from && head.part == 0));
    if (at_or_before) {
      low = message->seq;
      if (message->seq >= high) break;
    } else {
      high = middle - 1;
    }
  }
  return Place{from, low};
}

Result<std::vector<LogEntry>> NatsLog::read(std::string_view stream, std::uint64_t from,
                                            std::size_t limit) {
  from = std::max<std::uint64_t>(from, 1);
  LogPage page(from, limit);
  DRAGOMAN_TRY(auto place, find_place(stream, from));
  const std::string subject = space_.events_of(stream);
  EntryReader reader;
  bool whole = true;  // everything of the last message fitted
  while (!page.full()) {
    DRAGOMAN_TRY(const auto message, stream_.next_of(space_.event_stream(), subject, place.seq));
    if (!message) break;
    if (is_gone(*message)) {
      page.clear();  // what stood before is being removed
      reader = {};
    } else {
      reader.take(*message, page);
    }
    const EntryHead head = entry_head(*message);
    whole = is_gone(*message) || page.next() >= head.first + head.count;
    place.seq = message->seq + (whole ? 1 : 0);
    if (!whole) break;
  }
  if (page.empty() || !whole) return std::move(page).take();
  const Lock lock(mutex_);
  if (places_.size() >= kKnownPlaces) places_.clear();
  places_[std::string(stream)] = {page.next(), place.seq};
  return std::move(page).take();
}

Result<std::vector<LogEntry>> NatsLog::follow(std::string_view stream, std::uint64_t from,
                                              std::size_t limit, Milliseconds timeout) {
  const auto deadline = Steady::now() + timeout;
  NatsWatch& changes = watch();
  const std::string subject = space_.events_of(stream);
  for (;;) {
    const std::uint64_t seen = changes.count(subject);  // before reading: what comes now wakes us
    DRAGOMAN_TRY(auto entries, read(stream, from, limit));
    const auto left = left_until(deadline);
    if (!entries.empty() || left.count() <= 0) return entries;
    changes.wait(subject, seen, left);
  }
}

Result<std::uint64_t> NatsLog::last(std::string_view stream) {
  DRAGOMAN_TRY(const auto tail, fetch_tail(stream));
  return tail.number;
}

Result<std::optional<LogRecord>> NatsLog::get(std::string_view bucket, std::string_view key) {
  DRAGOMAN_TRY(const auto message,
               stream_.last_of(space_.bucket_stream(), space_.record(bucket, key)));
  if (!message || is_gone(*message)) return std::optional<LogRecord>();
  return std::optional<LogRecord>(record_of(*message, key));
}

Result<std::optional<LogRecord>> NatsLog::follow_record(std::string_view bucket,
                                                        std::string_view key, std::uint64_t known,
                                                        Milliseconds timeout) {
  const auto deadline = Steady::now() + timeout;
  NatsWatch& changes = watch();
  const std::string subject = space_.record(bucket, key);
  for (;;) {
    const std::uint64_t seen = changes.count(subject);
    DRAGOMAN_TRY(auto record, get(bucket, key));
    const auto left = left_until(deadline);
    if ((record ? record->revision : 0) != known || left.count() <= 0) return record;
    changes.wait(subject, seen, left);
  }
}

Result<std::vector<LogRecord>> NatsLog::list(const RecordQuery& query) {
  DRAGOMAN_TRY(NatsProjection * copy, projection());
  DRAGOMAN_TRY(Log * records, copy->records());
  return records->list(query);
}

Result<std::uint64_t> NatsLog::count(const RecordQuery& query) {
  DRAGOMAN_TRY(NatsProjection * copy, projection());
  DRAGOMAN_TRY(Log * records, copy->records());
  return records->count(query);
}

Result<std::vector<LogRecord>> NatsLog::changed(std::string_view bucket, std::uint64_t after,
                                                std::size_t limit) {
  DRAGOMAN_TRY(NatsProjection * copy, projection());
  DRAGOMAN_TRY(Log * records, copy->records());
  return records->changed(bucket, after, limit);
}

Result<std::vector<LogRecord>> NatsLog::beginning_with(std::string_view bucket,
                                                       std::string_view prefix, std::size_t limit) {
  DRAGOMAN_TRY(NatsProjection * copy, projection());
  DRAGOMAN_TRY(Log * records, copy->records());
  return records->beginning_with(bucket, prefix, limit);
}

Result<std::vector<SearchHit>> NatsLog::search(std::string_view words, std::size_t limit) {
  DRAGOMAN_TRY(NatsProjection * copy, projection());
  DRAGOMAN_TRY(Log * events, copy->events());
  return events->search(words, limit);
}

Result<std::optional<Claim>> NatsLog::claim(std::string_view queue, std::string_view owner,
                                            Milliseconds lease, std::size_t limit) {
  return work().claim(queue, owner, lease, limit);
}

Result<bool> NatsLog::heartbeat(const Claim& claim, Milliseconds lease) {
  return work().heartbeat(claim, lease);
}
Result<bool> NatsLog::finish(const Claim& claim) { return work().finish(claim); }
Result<bool> NatsLog::give_back(const Claim& claim) { return work().give_back(claim); }

Result<std::vector<QueueItem>> NatsLog::queue(std::string_view queue) {
  return work().items(queue);
}

std::uint64_t NatsLog::wait_for_change(std::uint64_t seen, Milliseconds timeout) {
  return watch().wait(seen, timeout);
}

}  // namespace dragoman
