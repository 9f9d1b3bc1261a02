// SPDX-License-Identifier: Apache-2.0
// A list that is built in the arena, where the event it belongs to will look for it.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "dragoman/base/arena.hpp"

namespace dragoman {

template <typename T>
class ArenaList {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // Room for `most` items, and no more.
  ArenaList(Arena& arena, std::size_t most)
      : items_(reinterpret_cast<T*>(arena.allocate(most * sizeof(T), alignof(T)))) {}

  void push_back(const T& item) { new (items_ + size_++) T(item); }
  [[nodiscard]] T& back() { return items_[size_ - 1]; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<const T> items() const {
    if (size_ == 0) return {};
    return {items_, size_};
  }

 private:
  T* items_;
  std::size_t size_ = 0;
};

}  // namespace dragoman
