// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/log/nats_follower.hpp"
#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_journal.hpp"
#include "dragoman/log/nats_log.hpp"
#include "dragoman/log/nats_projection.hpp"
#include "dragoman/log/nats_queue.hpp"
#include "dragoman/log/nats_space.hpp"
#include "dragoman/log/nats_watch.hpp"

namespace dragoman {

class NatsLog final : public Log {
 public:
  NatsLog(std::shared_ptr<NatsConnection> connection, const NatsLogOptions& options);

  Result<std::vector<LogWritten>> write(std::vector<LogWrite> writes) override;
  Result<std::vector<LogEntry>> read(std::string_view stream, std::uint64_t from,
                                     std::size_t limit) override;
  Result<std::vector<LogEntry>> follow(std::string_view stream, std::uint64_t from,
                                       std::size_t limit, Milliseconds timeout) override;
  Result<std::uint64_t> last(std::string_view stream) override;
  Result<std::optional<LogRecord>> get(std::string_view bucket, std::string_view key) override;
  Result<std::optional<LogRecord>> follow_record(std::string_view bucket, std::string_view key,
                                                 std::uint64_t known,
                                                 Milliseconds timeout) override;
  Result<std::vector<LogRecord>> list(const RecordQuery& query) override;
  Result<std::uint64_t> count(const RecordQuery& query) override;
  Result<std::vector<LogRecord>> changed(std::string_view bucket, std::uint64_t after,
                                         std::size_t limit) override;
  Result<std::vector<LogRecord>> beginning_with(std::string_view bucket, std::string_view prefix,
                                                std::size_t limit) override;
  Result<std::optional<Claim>> claim(std::string_view queue, std::string_view owner,
                                     Milliseconds lease, std::size_t limit) override;
  Result<bool> heartbeat(const Claim& claim, Milliseconds lease) override;
  Result<bool> finish(const Claim& claim) override;
  Result<bool> give_back(const Claim& claim) override;
  Result<std::vector<QueueItem>> queue(std::string_view queue) override;
  Result<std::vector<SearchHit>> search(std::string_view words, std::size_t limit) override;
  std::uint64_t wait_for_change(std::uint64_t seen, Milliseconds timeout) override;

 private:
  // The end of a stream: the subject's last sequence, and the number of its last entry.
  struct Tail {
    std::uint64_t seq = 0;
    std::uint64_t number = 0;
  };
  // Where in JetStream's numbering a reader of a stream goes on.
  struct Place {
    std::uint64_t number = 1;
    std::uint64_t seq = 1;
  };

  [[nodiscard]] Result<LogWritten> apply(const Append& append);
  [[nodiscard]] Result<LogWritten> apply(const Put& put);
  [[nodiscard]] Result<LogWritten> apply(const Drop& drop);
  [[nodiscard]] Result<LogWritten> apply(const DropStream& drop);
  [[nodiscard]] Result<LogWritten> apply(const Enqueue& enqueue);
  [[nodiscard]] Result<LogWritten> apply(const Dequeue& dequeue);

  [[nodiscard]] Result<Tail> fetch_tail(std::string_view stream);
  [[nodiscard]] Result<Tail> known_tail(const Append& append);
  void remember(const std::string& stream, std::optional<Tail> tail);
  // Appends `bodies` from `at` on while the subject is ours; `at` is moved past what was stored.
  [[nodiscard]] Result<bool> append_from(const Append& append, std::size_t& at, Tail& tail);
  [[nodiscard]] Result<bool> append_large(const Append& append, std::size_t at, Tail& tail);
  [[nodiscard]] Result<Place> find_place(std::string_view stream, std::uint64_t from);
  [[nodiscard]] Result<NatsProjection*> projection();
  [[nodiscard]] NatsQueue& work();
  [[nodiscard]] NatsWatch& watch();

  NatsLogOptions options_;
  NatsSpace space_;
  JetStream stream_;
  std::size_t part_bytes_;
  Mutex mutex_;
  std::map<std::string, Tail, std::less<>> tails_ DRAGOMAN_GUARDED_BY(mutex_);
  std::map<std::string, Place, std::less<>> places_ DRAGOMAN_GUARDED_BY(mutex_);
  // Begun when somebody first needs them. Each has a thread, so they are last: gone first.
  std::unique_ptr<NatsQueue> queue_ DRAGOMAN_GUARDED_BY(mutex_);
  std::unique_ptr<NatsWatch> watch_ DRAGOMAN_GUARDED_BY(mutex_);
  std::unique_ptr<NatsProjection> projection_ DRAGOMAN_GUARDED_BY(mutex_);
  std::unique_ptr<NatsJournal> journal_;
};

}  // namespace dragoman
