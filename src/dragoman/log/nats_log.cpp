// SPDX-License-Identifier: Apache-2.0
// Writing: every write is one message, or several, on an expected sequence of its subject.
#include "dragoman/log/nats_log.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/log/nats_engine.hpp"
#include "dragoman/log/nats_entries.hpp"
#include "dragoman/log/nats_names.hpp"

namespace dragoman {

namespace {

// Messages of this size are cheap to store and quick to read from the middle.
constexpr std::size_t kMessageBytes = 128 * 1024;
constexpr std::size_t kMessageEntries = 1024;
constexpr std::size_t kKnownTails = 1000;
constexpr int kWriteTries = 1000;  // against others who write to the same subject

Error too_fast(std::string_view what) {
  return {ErrorCode::internal, fmt::format("{} changes too fast to be written", what), "store"};
}

std::vector<std::pair<std::string, std::string>> record_headers(const LogRecord& record) {
  return {{"D-State", to_token(record.state)}, {"D-Order", std::to_string(record.order)}};
}

}  // namespace

NatsLog::NatsLog(std::shared_ptr<NatsConnection> connection, const NatsLogOptions& options)
    : options_(options),
      space_{options.url.space},
      stream_(std::move(connection), options.patience),
      part_bytes_(std::min<std::size_t>(512 * 1024, stream_.connection().max_payload() / 2)) {
  // Events are left out: what a reader has seen of a stream must not change its number.
  const std::string records = space_.bucket_stream();
  stream_.set_witness([this, records](const std::string& stream, JetPublish message) {
    if (stream == records) journal_->note(std::move(message));
  });
  journal_ = std::make_unique<NatsJournal>(stream_, records);
}

Result<std::unique_ptr<Log>> open_nats_log(const NatsLogOptions& options) {
  DRAGOMAN_TRY(auto connection, NatsConnection::open(options.url, options.patience));
  JetStream stream(connection, options.patience);
  DRAGOMAN_CHECK(make_streams(stream, {options.url.space}, options.url));
  return std::unique_ptr<Log>(std::make_unique<NatsLog>(std::move(connection), options));
}

Result<std::vector<LogWritten>> NatsLog::write(std::vector<LogWrite> writes) {
  std::vector<LogWritten> written;
  for (const LogWrite& write : writes) {
    DRAGOMAN_TRY(const auto outcome,
                 std::visit([this](const auto& one) { return apply(one); }, write));
    written.push_back(outcome);
    if (!outcome.applied) break;
  }
  return written;
}

Result<NatsLog::Tail> NatsLog::fetch_tail(std::string_view stream) {
  DRAGOMAN_TRY(const auto message,
               stream_.last_of(space_.event_stream(), space_.events_of(stream)));
  if (!message) return Tail{};
  if (is_gone(*message)) return Tail{message->seq, 0};
  const EntryHead head = entry_head(*message);
  return Tail{message->seq, head.first + head.count - 1};
}

// Who expects a new stream is believed: when that is wrong, the server refuses the first message.
Result<NatsLog::Tail> NatsLog::known_tail(const Append& append) {
  {
    const Lock lock(mutex_);
    const auto known = tails_.find(append.stream);
    if (known != tails_.end()) return known->second;
  }
  if (append.expected_last == std::uint64_t{0}) return Tail{};
  return fetch_tail(append.stream);
}

void NatsLog::remember(const std::string& stream, std::optional<Tail> tail) {
  const Lock lock(mutex_);
  if (!tail) {
    tails_.erase(stream);
    return;
  }
  if (tails_.size() >= kKnownTails) tails_.clear();
  tails_[stream] = *tail;
}

Result<bool> NatsLog::append_large(const Append& append, std::size_t at, Tail& tail) {
  const std::string_view body = append.bodies[at];
  EntryHead head{tail.number + 1, 0, 0, true};
  std::uint64_t expected = tail.seq;
  for (std::size_t begin = 0; head.more; begin += part_bytes_, ++head.part) {
    head.more = begin + part_bytes_ < body.size();
    head.count = head.more ? 0 : 1;
    DRAGOMAN_TRY(const auto stored,
                 stream_.publish(space_.event_stream(),
                                 {space_.events_of(append.stream), headers_of(head),
                                  std::string(body.substr(begin, part_bytes_)), expected}));
    if (!stored.applied) return false;
    expected = stored.seq;
  }
  tail = {expected, head.first};
  return true;
}

Result<bool> NatsLog::append_from(const Append& append, std::size_t& at, Tail& tail) {
  while (at < append.bodies.size()) {
    if (append.bodies[at].size() > part_bytes_) {
      DRAGOMAN_TRY(const bool stored, append_large(append, at, tail));
      if (!stored) return false;
      ++at;
      continue;
    }
    std::string bodies;
    std::size_t end = at;
    while (end < append.bodies.size() && end - at < kMessageEntries &&
           (end == at || bodies.size() + append.bodies[end].size() < kMessageBytes)) {
      if (end > at) bodies.push_back('\n');
      bodies += append.bodies[end++];
    }
    const EntryHead head{tail.number + 1, end - at, 0, false};
    DRAGOMAN_TRY(
        const auto stored,
        stream_.publish(space_.event_stream(), {space_.events_of(append.stream), headers_of(head),
                                                std::move(bodies), tail.seq}));
    if (!stored.applied) return false;
    tail = {stored.seq, tail.number + head.count};
    at = end;
  }
  return true;
}

Result<LogWritten> NatsLog::apply(const Append& append) {
  for (const auto& body : append.bodies) {
    if (body.find('\n') != std::string::npos || body.find('\0') != std::string::npos) {
      return Error{ErrorCode::validation,
                   "append to " + append.stream + ": an entry is one line, without newline or NUL"};
    }
  }
  DRAGOMAN_TRY(auto tail, append.bodies.empty() ? fetch_tail(append.stream) : known_tail(append));
  std::size_t at = 0;
  for (int i = 0; i < kWriteTries; ++i) {
    if (append.expected_last && at == 0 && *append.expected_last != tail.number) {
      // What we remember may be old; the second look is the truth.
      DRAGOMAN_TRY(tail, fetch_tail(append.stream));
      if (*append.expected_last != tail.number) return LogWritten{false, tail.number};
    }
    DRAGOMAN_TRY(const bool done, append_from(append, at, tail));
    if (done) {
      remember(append.stream, tail);
      return LogWritten{true, tail.number};
    }
    remember(append.stream, std::nullopt);
    DRAGOMAN_TRY(tail, fetch_tail(append.stream));
    if (append.expected_last && at > 0) return LogWritten{false, tail.number};
  }
  return too_fast(append.stream);
}

Result<LogWritten> NatsLog::apply(const Put& put) {
  const std::string subject = space_.record(put.bucket, put.record.key);
  std::uint64_t expected = put.expected;
  for (int i = 0; i < kWriteTries; ++i) {
    DRAGOMAN_TRY(const auto stored,
                 stream_.publish(space_.bucket_stream(), {subject, record_headers(put.record),
                                                          put.record.value, expected}));
    if (stored.applied) return LogWritten{true, stored.seq};
    DRAGOMAN_TRY(const auto there, stream_.last_of(space_.bucket_stream(), subject));
    const bool gone = !there || is_gone(*there);
    if (!gone || put.expected != 0) return LogWritten{false, gone ? 0 : there->seq};
    expected = there ? there->seq : 0;  // the key was dropped, so it is new again
  }
  return too_fast(put.record.key);
}

Result<LogWritten> NatsLog::apply(const Drop& drop) {
  const std::string subject = space_.record(drop.bucket, drop.key);
  DRAGOMAN_TRY(const auto there, stream_.last_of(space_.bucket_stream(), subject));
  const std::uint64_t current = !there || is_gone(*there) ? 0 : there->seq;
  if (current != drop.expected) return LogWritten{false, current};
  if (current == 0) return LogWritten{true, 0};
  DRAGOMAN_TRY(const auto stored,
               stream_.publish(space_.bucket_stream(), {subject, gone_headers(), "", current}));
  if (stored.applied) return LogWritten{true, 0};
  DRAGOMAN_TRY(const auto now_there, get(drop.bucket, drop.key));
  return LogWritten{false, now_there ? now_there->revision : 0};
}

Result<LogWritten> NatsLog::apply(const DropStream& drop) {
  remember(drop.stream, std::nullopt);
  for (int i = 0; i < kWriteTries; ++i) {
    DRAGOMAN_TRY(const auto tail, fetch_tail(drop.stream));
    if (tail.number == 0) return LogWritten{true, 0};
    DRAGOMAN_TRY(const auto stored,
                 stream_.publish(space_.event_stream(),
                                 {space_.events_of(drop.stream), gone_headers(), "", tail.seq}));
    if (!stored.applied) continue;
    DRAGOMAN_CHECK(
        stream_.remove_before(space_.event_stream(), space_.events_of(drop.stream), stored.seq));
    return LogWritten{true, 0};
  }
  return too_fast(drop.stream);
}

Result<LogWritten> NatsLog::apply(const Enqueue& enqueue) {
  DRAGOMAN_CHECK(work().add(enqueue.queue, enqueue.key));
  return LogWritten{true, 0};
}

Result<LogWritten> NatsLog::apply(const Dequeue& dequeue) {
  DRAGOMAN_CHECK(work().remove(dequeue.queue, dequeue.key));
  return LogWritten{true, 0};
}

}  // namespace dragoman
