// SPDX-License-Identifier: Apache-2.0
// Blocks that come again when they have grown.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "dragoman/event/keep.hpp"
#include "dragoman/event/update.hpp"

namespace dragoman::show {

// The last block of a run. Readers give it out in a pause while it is still open, and in whole
// again when more of it has come; nothing of its stream comes in between.
class LastBlock {
 public:
  // The version of `event` that came before it; null: it is no block that has grown.
  [[nodiscard]] const Event* before(const Event& event) const {
    return event_.has_value() && may_grow(event) && is_update(*event_, event) ? &*event_ : nullptr;
  }
  [[nodiscard]] const std::optional<Event>& event() const { return event_; }

  void keep(const Event& event) {
    arena_.reset();
    event_ = dragoman::keep(event, arena_);
  }
  void clear() { event_.reset(); }

 private:
  Arena arena_;
  std::optional<Event> event_;
};

// Of a block's entries those that its version before did not have. Lines are added, never changed.
template <typename Entry>
[[nodiscard]] std::span<const Entry> added(std::span<const Entry> now,
                                           std::span<const Entry> before) {
  return now.subspan(std::min(now.size(), before.size()));
}

}  // namespace dragoman::show
