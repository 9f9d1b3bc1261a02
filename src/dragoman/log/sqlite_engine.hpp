// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/changes.hpp"
#include "dragoman/log/group_writer.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/log/sqlite.hpp"
#include "dragoman/log/sqlite_log.hpp"

namespace dragoman {

class SqliteLog final : public Log {
 public:
  SqliteLog(std::unique_ptr<Sqlite> writer, SqliteLogOptions options);

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
  std::filesystem::path private_directory() override { return options_.path + ".private"; }
  Result<std::optional<std::uint64_t>> version() override;

 private:
  // A connection of its own for each thread that reads at the same time.
  [[nodiscard]] Result<void> reading(const std::function<Result<void>(Sqlite&)>& body);
  [[nodiscard]] Result<bool> change_claim(const char* sql, const Claim& claim,
                                          std::optional<Milliseconds> lease);
  [[nodiscard]] Result<void> index_new_entries();

  SqliteLogOptions options_;
  Changes changes_;
  GroupWriter writer_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Sqlite>> idle_ DRAGOMAN_GUARDED_BY(mutex_);
  // SQLite counts the commits of others for each connection by itself, so one has to stay.
  Mutex version_mutex_;
  std::unique_ptr<Sqlite> version_ DRAGOMAN_GUARDED_BY(version_mutex_);
};

// Inside a transaction: the stream, its entries and their words.
[[nodiscard]] Result<void> forget_stream(Sqlite& db, std::string_view name);

// The milliseconds since the machine started, sleep included, and which start that was: leases do
// not care when somebody sets the clock, and end with the machine.
[[nodiscard]] std::int64_t milliseconds_since_boot();
[[nodiscard]] const std::string& boot_id();

}  // namespace dragoman
