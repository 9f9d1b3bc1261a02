// SPDX-License-Identifier: Apache-2.0
// What one read() of any engine gathers, within the bounds of the law.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/log/log.hpp"

namespace dragoman {

class LogPage {
 public:
  LogPage(std::uint64_t from, std::size_t limit) : from_(from), limit_(limit) {}

  [[nodiscard]] bool full() const { return entries_.size() >= limit_ || bytes_ >= Log::kPageBytes; }
  // Unless it is full, or begins behind that number.
  void add(std::uint64_t seq, std::string_view body) {
    if (wants(seq)) keep({seq, std::string(body)});
  }
  void add(std::uint64_t seq, std::string&& body) {
    if (wants(seq)) keep({seq, std::move(body)});
  }
  void clear() {
    entries_.clear();
    bytes_ = 0;
  }
  // The first number that is not here.
  [[nodiscard]] std::uint64_t next() const {
    return entries_.empty() ? from_ : entries_.back().seq + 1;
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::vector<LogEntry> take() && { return std::move(entries_); }

 private:
  [[nodiscard]] bool wants(std::uint64_t seq) const { return seq >= from_ && !full(); }
  void keep(LogEntry entry) {
    bytes_ += entry.body.size();
    entries_.push_back(std::move(entry));
  }

  std::uint64_t from_;
  std::size_t limit_;
  std::vector<LogEntry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace dragoman
