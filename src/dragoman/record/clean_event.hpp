// SPDX-License-Identifier: Apache-2.0
// An event without secrets. The bytes it was read from had them taken out, but reading gives them
// back: what JSON spells as "Gr\u00fcn" or in a string within a string is a password again.
#pragma once

#include "dragoman/base/arena.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/redact/filter.hpp"

namespace dragoman::record {

// Every string of the event is looked through, decoded; one that holds a secret is replaced. Most
// events have none and are not copied.
class CleanEvent {
 public:
  // `event` must outlive this.
  CleanEvent(const Event& event, const std::shared_ptr<const redact::Rules>& rules);

  [[nodiscard]] const Event& event() const { return is_copy_ ? copy_ : original_; }

 private:
  const Event& original_;
  bool is_copy_ = false;
  Event copy_;
  Arena arena_;
};

}  // namespace dragoman::record
