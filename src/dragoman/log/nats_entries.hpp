// SPDX-License-Identifier: Apache-2.0
// How entries of a stream lie in JetStream messages.
//
// A message holds entries one a line, and says in its headers the number of the first and how many
// there are. An entry too large for one message comes in parts, each a message of its own with the
// same number; all but the last say that more follows. Parts whose last one is missing are what a
// writer left that died: nobody reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/page.hpp"

namespace dragoman {

struct EntryHead {
  std::uint64_t first = 1;
  std::uint64_t count = 0;  // entries that end in this message
  std::uint64_t part = 0;   // of a large entry, from 0
  bool more = false;
};

[[nodiscard]] EntryHead entry_head(const JetMessage& message);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> headers_of(const EntryHead& head);

// Puts messages of one subject, in their order, back together.
class EntryReader {
 public:
  // Adds what ends in this message.
  void take(const JetMessage& message, LogPage& page);

 private:
  std::string parts_;
  std::uint64_t next_part_ = 0;
};

}  // namespace dragoman
