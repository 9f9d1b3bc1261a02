// SPDX-License-Identifier: Apache-2.0
// The pieces of a stream between whoever writes them and the connection that sends them.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/http/server.hpp"

namespace dragoman::http {

class StreamQueue final : public Stream {
 public:
  // `wake` makes the connection look at the queue; it may be called from any thread.
  StreamQueue(std::size_t bound, std::function<void()> wake)
      : bound_(bound), wake_(std::move(wake)) {}

  using Stream::write;
  bool write(Piece piece) override;
  void finish(Piece last = nullptr) override;
  [[nodiscard]] std::size_t queued() const override { return queued_.load(); }
  [[nodiscard]] bool open() const override { return open_.load(); }
  void when(std::function<void()> room, std::function<void()> closed) override;

  // The connection's side, all in its thread.
  struct Batch {
    std::vector<Piece> pieces;
    std::size_t bytes = 0;
    bool last = false;  // nothing follows: the stream was finished
    bool cut = false;   // nobody reads: the queue overflowed
  };
  [[nodiscard]] Batch take(std::size_t most_bytes);
  void sent(std::size_t bytes);
  void close();

 private:
  const std::size_t bound_;
  std::function<void()> wake_;
  std::atomic<std::size_t> queued_ = 0;
  std::atomic<bool> open_ = true;
  Mutex mutex_;
  std::deque<Piece> pieces_ DRAGOMAN_GUARDED_BY(mutex_);
  bool awake_ DRAGOMAN_GUARDED_BY(mutex_) = false;  // the connection is about to look
  bool finished_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool cut_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool wants_room_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::function<void()> room_ DRAGOMAN_GUARDED_BY(mutex_);
  std::function<void()> closed_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::http
