// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/lazy_log.hpp"

#include <thread>

namespace dragoman::cli {

Result<Log*> LazyLog::opened() {
  const Lock lock(mutex_);
  if (!log_) {
    DRAGOMAN_TRY(log_, open_());
  }
  return log_.get();
}

Result<std::vector<LogWritten>> LazyLog::write(std::vector<LogWrite> writes) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->write(std::move(writes));
}

Result<std::vector<LogEntry>> LazyLog::read(std::string_view stream, std::uint64_t from,
                                            std::size_t limit) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->read(stream, from, limit);
}

Result<std::vector<LogEntry>> LazyLog::follow(std::string_view stream, std::uint64_t from,
                                              std::size_t limit, Milliseconds timeout) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->follow(stream, from, limit, timeout);
}

Result<std::uint64_t> LazyLog::last(std::string_view stream) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->last(stream);
}

Result<std::optional<LogRecord>> LazyLog::get(std::string_view bucket, std::string_view key) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->get(bucket, key);
}

Result<std::optional<LogRecord>> LazyLog::follow_record(std::string_view bucket,
                                                        std::string_view key, std::uint64_t known,
                                                        Milliseconds timeout) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->follow_record(bucket, key, known, timeout);
}

Result<std::vector<LogRecord>> LazyLog::list(const RecordQuery& query) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->list(query);
}

Result<std::uint64_t> LazyLog::count(const RecordQuery& query) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->count(query);
}

Result<std::vector<LogRecord>> LazyLog::changed(std::string_view bucket, std::uint64_t after,
                                                std::size_t limit) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->changed(bucket, after, limit);
}

Result<std::vector<LogRecord>> LazyLog::beginning_with(std::string_view bucket,
                                                       std::string_view prefix, std::size_t limit) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->beginning_with(bucket, prefix, limit);
}

Result<std::optional<Claim>> LazyLog::claim(std::string_view queue, std::string_view owner,
                                            Milliseconds lease, std::size_t limit) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->claim(queue, owner, lease, limit);
}

Result<bool> LazyLog::heartbeat(const Claim& claim, Milliseconds lease) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->heartbeat(claim, lease);
}

Result<bool> LazyLog::finish(const Claim& claim) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->finish(claim);
}

Result<bool> LazyLog::give_back(const Claim& claim) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->give_back(claim);
}

Result<std::vector<QueueItem>> LazyLog::queue(std::string_view queue) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->queue(queue);
}

Result<std::vector<SearchHit>> LazyLog::search(std::string_view words, std::size_t limit) {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->search(words, limit);
}

std::uint64_t LazyLog::wait_for_change(std::uint64_t seen, Milliseconds timeout) {
  const auto log = opened();
  if (log) return (*log)->wait_for_change(seen, timeout);
  std::this_thread::sleep_for(timeout);
  return seen;
}

std::filesystem::path LazyLog::private_directory() {
  const auto log = opened();
  return log ? (*log)->private_directory() : std::filesystem::path();
}

Result<std::optional<std::uint64_t>> LazyLog::version() {
  DRAGOMAN_TRY(Log* const log, opened());
  return log->version();
}

}  // namespace dragoman::cli
