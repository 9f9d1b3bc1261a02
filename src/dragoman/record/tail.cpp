// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/tail.hpp"

#include <algorithm>

namespace dragoman::record {

void Tail::push(std::string_view bytes) {
  seen_ += bytes.size();
  if (bytes.size() >= capacity_) {
    ring_.assign(bytes.substr(bytes.size() - capacity_));
    head_ = 0;
    return;
  }
  const std::size_t room = std::min(capacity_ - ring_.size(), bytes.size());
  ring_.append(bytes.substr(0, room));
  bytes.remove_prefix(room);
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), capacity_ - head_);
    bytes.copy(ring_.data() + head_, piece);
    head_ = (head_ + piece) % capacity_;
    bytes.remove_prefix(piece);
  }
}

std::string Tail::text() const { return ring_.substr(head_) + ring_.substr(0, head_); }

}  // namespace dragoman::record
