// SPDX-License-Identifier: Apache-2.0
// A log whose answers can be made to fail, with or without having done what was asked.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "dragoman/log/log.hpp"

namespace dragoman::test {

class FailingLog final : public Log {
 public:
  enum class Fault : std::uint8_t { none, away, answer_lost };

  explicit FailingLog(std::unique_ptr<Log> log) : log_(std::move(log)) {}

  std::atomic<Fault> fault = Fault::none;
  std::atomic<int> refused = 0;  // writes that were
  // Says which writes fail besides, from whatever thread they come. Set before the first.
  std::function<bool(const std::vector<LogWrite>&)> fails;

  Result<std::vector<LogWritten>> write(std::vector<LogWrite> writes) override {
    if (fault != Fault::none) ++refused;
    if (fails && fails(writes)) return away();
    return ask([&] { return log_->write(std::move(writes)); });
  }
  Result<std::vector<LogEntry>> read(std::string_view stream, std::uint64_t from,
                                     std::size_t limit) override {
    return ask([&] { return log_->read(stream, from, limit); });
  }
  Result<std::vector<LogEntry>> follow(std::string_view stream, std::uint64_t from,
                                       std::size_t limit, Milliseconds timeout) override {
    return ask([&] { return log_->follow(stream, from, limit, timeout); });
  }
  Result<std::uint64_t> last(std::string_view stream) override {
    return ask([&] { return log_->last(stream); });
  }
  Result<std::optional<LogRecord>> get(std::string_view bucket, std::string_view key) override {
    return ask([&] { return log_->get(bucket, key); });
  }
  Result<std::optional<LogRecord>> follow_record(std::string_view bucket, std::string_view key,
                                                 std::uint64_t known,
                                                 Milliseconds timeout) override {
    return ask([&] { return log_->follow_record(bucket, key, known, timeout); });
  }
  Result<std::vector<LogRecord>> list(const RecordQuery& query) override {
    return ask([&] { return log_->list(query); });
  }
  Result<std::uint64_t> count(const RecordQuery& query) override {
    return ask([&] { return log_->count(query); });
  }
  Result<std::vector<LogRecord>> changed(std::string_view bucket, std::uint64_t after,
                                         std::size_t limit) override {
    return ask([&] { return log_->changed(bucket, after, limit); });
  }
  Result<std::vector<LogRecord>> beginning_with(std::string_view bucket, std::string_view prefix,
                                                std::size_t limit) override {
    return ask([&] { return log_->beginning_with(bucket, prefix, limit); });
  }
  Result<std::optional<Claim>> claim(std::string_view queue, std::string_view owner,
                                     Milliseconds lease, std::size_t limit) override {
    return ask([&] { return log_->claim(queue, owner, lease, limit); });
  }
  Result<bool> heartbeat(const Claim& claim, Milliseconds lease) override {
    return ask([&] { return log_->heartbeat(claim, lease); });
  }
  Result<bool> finish(const Claim& claim) override {
    return ask([&] { return log_->finish(claim); });
  }
  Result<bool> give_back(const Claim& claim) override {
    return ask([&] { return log_->give_back(claim); });
  }
  Result<std::vector<QueueItem>> queue(std::string_view queue) override {
    return ask([&] { return log_->queue(queue); });
  }
  Result<std::vector<SearchHit>> search(std::string_view words, std::size_t limit) override {
    return ask([&] { return log_->search(words, limit); });
  }
  std::uint64_t wait_for_change(std::uint64_t seen, Milliseconds timeout) override {
    return log_->wait_for_change(seen, timeout);
  }

 private:
  template <typename Call>
  auto ask(Call call) -> decltype(call()) {
    const Fault now = fault;
    if (now == Fault::none) return call();
    if (now == Fault::answer_lost) (void)call();
    return away();
  }
  static Error away() { return {ErrorCode::internal, "the log is away", "store"}; }

  std::unique_ptr<Log> log_;
};

}  // namespace dragoman::test
