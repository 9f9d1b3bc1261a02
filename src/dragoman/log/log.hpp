// SPDX-License-Identifier: Apache-2.0
// The durable heart: what was acknowledged here is still there after any crash.
//
// Three things are kept. *Streams* are append-only lists of entries, numbered from 1 without a gap;
// readers pull by number and miss nothing, however slow they are. *Records* are values under a key
// that change by compare-and-set on a revision. *Queues* hand out keys to workers: a claim has a
// lease, is kept by heartbeats, and carries a token that no other claim ever has.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman {

// One line of a stream: a canonical event, or any text without a newline.
struct LogEntry {
  std::uint64_t seq = 0;
  std::string body;
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

struct LogRecord {
  std::string key;
  std::string value;
  std::uint64_t revision = 0;  // grows with every change in its bucket
  std::string state;           // what records are listed by, such as "queued"
  std::int64_t order = 0;      // and sorted by, such as a time
  friend bool operator==(const LogRecord&, const LogRecord&) = default;
};

// Entries are numbered on from the last one. With `expected_last` only if that is the last number:
// a writer that was replaced, or that repeats itself, is refused.
struct Append {
  std::string stream;
  std::vector<std::string> bodies;
  std::optional<std::uint64_t> expected_last;
};

// `expected` is the revision it replaces; 0: the key must be new.
struct Put {
  std::string bucket;
  LogRecord record;  // its revision is not looked at
  std::uint64_t expected = 0;
};

struct Drop {
  std::string bucket;
  std::string key;
  std::uint64_t expected = 0;
};

struct DropStream {
  std::string stream;
};

// Behind everything that is waiting. A key that is in the queue already keeps its place.
struct Enqueue {
  std::string queue;
  std::string key;
};

// Out of the queue, claimed or not.
struct Dequeue {
  std::string queue;
  std::string key;
};

using LogWrite = std::variant<Append, Put, Drop, DropStream, Enqueue, Dequeue>;

// `number`: of an Append the stream's last number, of a Put the revision (refused: the one that
// stands), of an Enqueue its place in the queue, from 1 (0: not known without looking).
struct LogWritten {
  bool applied = false;
  std::uint64_t number = 0;
  friend bool operator==(const LogWritten&, const LogWritten&) = default;
};

struct Claim {
  std::string queue;
  std::string key;
  std::uint64_t token = 0;
  std::uint32_t attempt = 1;  // how often this key has been handed out
  friend bool operator==(const Claim&, const Claim&) = default;
};

struct QueueItem {
  std::string key;
  bool claimed = false;  // by a lease that has not run out
  std::string owner;
  std::uint32_t attempts = 0;
  friend bool operator==(const QueueItem&, const QueueItem&) = default;
};

// Which records of a bucket, by `order`.
struct RecordQuery {
  std::string bucket;
  std::vector<std::string> states;         // empty: all
  std::optional<std::int64_t> from_order;  // inclusive
  std::size_t limit = 0;                   // 0: all
  bool newest_first = true;
  std::optional<std::int64_t> until_order;  // inclusive
};

struct SearchHit {
  std::string stream;
  std::uint64_t seq = 0;  // the words are at or shortly behind this number
  friend bool operator==(const SearchHit&, const SearchHit&) = default;
};

// The law, for every engine (tests/log/contract_test.cpp):
//
// 1. A call that returns success is durable: synced before it returned. A call that fails changed
//    nothing, or a prefix of its writes.
// 2. The writes of one call are applied in their order. The first that is refused ends them; those
//    before it stand.
// 3. Numbers of a stream have no gap and no repetition, whoever appends.
// 4. Of two Puts that expect the same revision at most one is applied.
// 5. A key is claimed by one claim at a time. When the lease has run out the key is handed out
//    again, with another token; whatever is done with the old token is refused.
// 6. follow() returns as soon as there is something, or empty after the timeout; it never skips.
// 7. A page of read() or follow() has at most `limit` entries, and ends behind the one with which
//    its bodies have kPageBytes: whoever reads holds no more than that and one entry, however large
//    the entries are. Fewer entries are not the end of the stream; more_may_follow() knows.
//
// All functions may be called from any thread.
class Log {
 public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr std::size_t kPageBytes = std::size_t{4} << 20U;

  virtual ~Log() = default;

  virtual Result<std::vector<LogWritten>> write(std::vector<LogWrite> writes) = 0;

  // Entries numbered `from` and above, a page of at most `limit`. A stream nobody wrote to is
  // empty.
  virtual Result<std::vector<LogEntry>> read(std::string_view stream, std::uint64_t from,
                                             std::size_t limit) = 0;
  virtual Result<std::vector<LogEntry>> follow(std::string_view stream, std::uint64_t from,
                                               std::size_t limit, Milliseconds timeout) = 0;
  virtual Result<std::uint64_t> last(std::string_view stream) = 0;

  virtual Result<std::optional<LogRecord>> get(std::string_view bucket, std::string_view key) = 0;
  // Returns when the record has another revision than `known` (absent: 0), or after the timeout.
  virtual Result<std::optional<LogRecord>> follow_record(std::string_view bucket,
                                                         std::string_view key, std::uint64_t known,
                                                         Milliseconds timeout) = 0;
  virtual Result<std::vector<LogRecord>> list(const RecordQuery& query) = 0;
  virtual Result<std::uint64_t> count(const RecordQuery& query) = 0;
  // Records of the bucket with a revision above `after`, in the order of their revisions, at most
  // `limit` (0: all): the cursor of whoever watches a whole bucket. Each record comes as it is now;
  // one that was dropped does not come.
  virtual Result<std::vector<LogRecord>> changed(std::string_view bucket, std::uint64_t after,
                                                 std::size_t limit) = 0;
  // Records of the bucket whose keys begin with `prefix`, in the order of their keys, at most
  // `limit` (0: all).
  virtual Result<std::vector<LogRecord>> beginning_with(std::string_view bucket,
                                                        std::string_view prefix,
                                                        std::size_t limit) = 0;

  // The oldest waiting key, unless `limit` keys of the queue are claimed already (0: no limit).
  virtual Result<std::optional<Claim>> claim(std::string_view queue, std::string_view owner,
                                             Milliseconds lease, std::size_t limit) = 0;
  // False: the claim is no longer ours, because somebody else took the key or removed it. A lease
  // that merely ran out is kept by the next heartbeat.
  virtual Result<bool> heartbeat(const Claim& claim, Milliseconds lease) = 0;
  virtual Result<bool> finish(const Claim& claim) = 0;     // the key leaves the queue
  virtual Result<bool> give_back(const Claim& claim) = 0;  // the key waits again, at its place
  virtual Result<std::vector<QueueItem>> queue(std::string_view queue) = 0;  // oldest first

  // Streams whose entries have all of these words; newest first. Quotes join words to a phrase.
  virtual Result<std::vector<SearchHit>> search(std::string_view words, std::size_t limit) = 0;

  // Blocks until anything may have changed since `seen` (start with 0), or the timeout. Returns
  // what to pass next.
  virtual std::uint64_t wait_for_change(std::uint64_t seen, Milliseconds timeout) = 0;

  // Where every process of this log finds files that only its owner can read (private_file.hpp);
  // empty where the log is on other machines too.
  [[nodiscard]] virtual std::filesystem::path private_directory() { return {}; }

  // Another number after every write that anybody has acknowledged: while it stays, so does
  // everything that was read since. Absent: this engine cannot tell without reading.
  virtual Result<std::optional<std::uint64_t>> version() { return std::optional<std::uint64_t>(); }
};

// Whether the store could not write for lack of space: worth trying again later.
[[nodiscard]] bool is_disk_full(const Error& error);

// The one write of most calls.
[[nodiscard]] Result<LogWritten> write_one(Log& log, LogWrite write);

// Whether the stream may have had more behind a page of at most `limit` when that was read.
[[nodiscard]] bool more_may_follow(const std::vector<LogEntry>& page, std::size_t limit);

// The newest entries with numbers below `before`, at most `limit`, in their order: as many as have
// no more than kPageBytes, and one if that alone has more. What is older stands before the first.
[[nodiscard]] Result<std::vector<LogEntry>> read_before(Log& log, std::string_view stream,
                                                        std::uint64_t before, std::size_t limit);

}  // namespace dragoman
