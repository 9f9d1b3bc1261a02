// SPDX-License-Identifier: Apache-2.0
// The last bytes of a stream, in memory of a fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::record {

class Tail {
 public:
  static constexpr std::size_t kDefault = 64 * 1024;

  explicit Tail(std::size_t capacity = kDefault) : capacity_(capacity) {}

  void push(std::string_view bytes);
  [[nodiscard]] std::string text() const;  // in order
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  [[nodiscard]] std::uint64_t begin() const { return seen_ - ring_.size(); }  // offset of text()[0]

 private:
  std::size_t capacity_;
  std::string ring_;
  std::size_t head_ = 0;  // where the oldest byte is, once the ring is full
  std::uint64_t seen_ = 0;
};

}  // namespace dragoman::record
