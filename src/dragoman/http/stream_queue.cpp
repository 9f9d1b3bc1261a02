// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/stream_queue.hpp"

#include <utility>

namespace dragoman::http {

bool StreamQueue::write(Piece piece) {
  if (piece == nullptr || piece->empty()) return open();
  bool wake = false;
  bool taken = false;
  {
    const Lock lock(mutex_);
    if (!open_ || finished_ || cut_) return false;
    const std::size_t size = piece->size();
    // One piece larger than the bound may go alone.
    if (queued_ > 0 && queued_ + size > bound_) {
      cut_ = true;
    } else {
      queued_ += size;
      pieces_.push_back(std::move(piece));
      if (queued_ > bound_ / 2) wants_room_ = true;
      taken = true;
    }
    wake = !std::exchange(awake_, true);
  }
  if (wake) wake_();
  return taken;
}

void StreamQueue::finish(Piece last) {
  bool wake = false;
  {
    const Lock lock(mutex_);
    if (!open_ || finished_) return;
    finished_ = true;
    if (last != nullptr && !last->empty() && !cut_) {
      queued_ += last->size();
      pieces_.push_back(std::move(last));
    }
    wake = !std::exchange(awake_, true);
  }
  if (wake) wake_();
}

void StreamQueue::when(std::function<void()> room, std::function<void()> closed) {
  {
    const Lock lock(mutex_);
    if (open_) {
      room_ = std::move(room);
      closed_ = std::move(closed);
      return;
    }
  }
  if (closed) closed();
}

StreamQueue::Batch StreamQueue::take(std::size_t most_bytes) {
  Batch batch;
  const Lock lock(mutex_);
  awake_ = false;
  batch.cut = cut_;
  while (!pieces_.empty() &&
         (batch.bytes == 0 || batch.bytes + pieces_.front()->size() <= most_bytes)) {
    batch.bytes += pieces_.front()->size();
    batch.pieces.push_back(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  batch.last = finished_ && pieces_.empty();
  if (batch.bytes > 0) awake_ = true;  // the connection looks again when this is sent
  return batch;
}

void StreamQueue::sent(std::size_t bytes) {
  std::function<void()> room;
  {
    const Lock lock(mutex_);
    if (!open_) return;
    queued_ -= bytes;
    if (!wants_room_ || queued_ > bound_ / 2) return;
    wants_room_ = false;
    room = room_;
  }
  if (room) room();
}

void StreamQueue::close() {
  std::function<void()> closed;
  {
    const Lock lock(mutex_);
    if (!open_.exchange(false)) return;
    closed = std::exchange(closed_, nullptr);
    room_ = nullptr;
    pieces_.clear();
    queued_ = 0;
  }
  if (closed) closed();
}

}  // namespace dragoman::http
