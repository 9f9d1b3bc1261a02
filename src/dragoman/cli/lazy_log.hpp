// SPDX-License-Identifier: Apache-2.0
// A log that is opened by its first use. A server that is started for every conversation answers
// its first messages without one.
#pragma once

#include <functional>
#include <memory>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::cli {

class LazyLog final : public Log {
 public:
  using Open = std::function<Result<std::unique_ptr<Log>>()>;
  // A failure to open is the answer of the call that needed it; the next one tries again.
  explicit LazyLog(Open open) : open_(std::move(open)) {}

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
  std::filesystem::path private_directory() override;
  Result<std::optional<std::uint64_t>> version() override;

 private:
  [[nodiscard]] Result<Log*> opened();

  const Open open_;
  Mutex mutex_;
  std::unique_ptr<Log> log_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::cli
