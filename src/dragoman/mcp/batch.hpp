// SPDX-License-Identifier: Apache-2.0
// The answers to a batch, collected until the last one is there.
#pragma once

#include <memory>
#include <string>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/channel.hpp"

namespace dragoman::mcp {

class Batch {
 public:
  Batch(std::shared_ptr<Channel> channel, std::size_t parts)
      : channel_(std::move(channel)), left_(parts) {}

  [[nodiscard]] Channel& channel() { return *channel_; }
  // One part is done; empty: without an answer.
  void done(std::string_view answer);

 private:
  const std::shared_ptr<Channel> channel_;
  Mutex mutex_;
  std::string answers_ DRAGOMAN_GUARDED_BY(mutex_);
  std::size_t left_ DRAGOMAN_GUARDED_BY(mutex_);
};

class BatchPart final : public Channel {
 public:
  explicit BatchPart(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}

  void send(std::string_view message) override { batch_->channel().send(message); }
  void finish(std::string message, int /*http*/) override { batch_->done(message); }
  void accept() override { batch_->done({}); }
  void abandon() override { batch_->done({}); }

 private:
  const std::shared_ptr<Batch> batch_;
};

}  // namespace dragoman::mcp
