// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as the event being made.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dragoman {

// Hands out bytes that stay where they are until reset(). It keeps its first block over a reset,
// so a reader that resets once a line stops allocating after a few lines; larger blocks, needed by
// one huge line, are given back.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_ = 0;
    capacity_ = blocks_.empty() ? 0 : kFirstBlock;
  }

  [[nodiscard]] char* allocate(std::size_t size, std::size_t alignment = 1) {
    const std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (blocks_.empty() || start + size > capacity_) return allocate_block(size);
    used_ = start + size;
    return blocks_.back().get() + start;
  }

  // The copy's data() is never null, so that an empty string stays apart from an absent one.
  [[nodiscard]] std::string_view copy(std::string_view text) {
    char* to = allocate(text.size() + 1);
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  template <typename T>
  [[nodiscard]] std::span<const T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    char* to = allocate(items.size_bytes(), alignof(T));
    std::memcpy(to, items.data(), items.size_bytes());
    return {reinterpret_cast<const T*>(to), items.size()};
  }

 private:
  static constexpr std::size_t kFirstBlock = 16 * 1024;

  char* allocate_block(std::size_t size) {
    capacity_ = blocks_.empty() && size <= kFirstBlock
                    ? kFirstBlock
                    : (size > 2 * kFirstBlock ? size : 2 * kFirstBlock);
    if (blocks_.empty() && capacity_ != kFirstBlock)
      blocks_.push_back(std::make_unique<char[]>(kFirstBlock));
    blocks_.push_back(std::make_unique<char[]>(capacity_));
    used_ = size;
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0;      // in the last block
  std::size_t capacity_ = 0;  // of the last block
};

}  // namespace dragoman
