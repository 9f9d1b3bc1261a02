// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace dragoman::engine {

// What people say to a run. Its owner counts them, from 1.
struct Message {
  std::uint64_t number = 0;
  std::string text;
  friend bool operator==(const Message&, const Message&) = default;
};

}  // namespace dragoman::engine
