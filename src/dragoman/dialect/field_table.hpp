// SPDX-License-Identifier: Apache-2.0
// Which members of a JSON object a reader wants to keep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "dragoman/json/cursor.hpp"

namespace dragoman {

// Whether two stretches of `size` bytes are equal, size being that of a key: without the call that
// memcmp costs.
inline bool same_key(const char* a, const char* b, std::size_t size) {
  const auto word = [](const char* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  const auto half = [](const char* from) {
    std::uint32_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (size >= 8) {
    std::size_t at = 0;
    for (; at + 8 < size; at += 8) {
      if (word(a + at) != word(b + at)) return false;
    }
    return word(a + size - 8) == word(b + size - 8);
  }
  if (size >= 4) return half(a) == half(b) && half(a + size - 4) == half(b + size - 4);
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

template <typename T>
struct Slot {
  std::string_view key;
  json::Value T::*member;
};

// Finds the member of T that a key belongs to. Built at compile time; a look-up costs one hash of
// three bytes and, nearly always, at most one comparison.
template <typename T, std::size_t N>
class FieldTable {
 public:
  static constexpr std::size_t kSize = N;

  constexpr explicit FieldTable(const Slot<T> (&slots)[N]) {
    static_assert(N < 128);
    for (std::size_t i = 0; i < N; ++i) {
      slots_[i] = slots[i];
      std::size_t at = hash(slots[i].key);
      while (buckets_[at] != 0) at = (at + 1) % kBuckets;
      buckets_[at] = static_cast<std::uint8_t>(i + 1);
    }
  }

  // Null when nobody wants it.
  [[nodiscard]] json::Value* find(std::string_view key, T& in) const {
    if (key.empty()) return nullptr;
    for (std::size_t at = hash(key); buckets_[at] != 0; at = (at + 1) % kBuckets) {
      const Slot<T>& slot = slots_[buckets_[at] - 1U];
      if (slot.key.size() == key.size() && same_key(slot.key.data(), key.data(), key.size())) {
        return &(in.*slot.member);
      }
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kBuckets = N <= 16 ? 64 : (N <= 64 ? 256 : 512);

  static constexpr std::size_t hash(std::string_view key) {
    const auto byte = [key](std::size_t i) {
      return std::size_t{static_cast<unsigned char>(key[i])};
    };
    return (key.size() * 5 + byte(0) * 17 + byte(key.size() - 1) * 3 + byte(key.size() / 2) * 29) %
           kBuckets;
  }

  std::array<Slot<T>, N> slots_{};
  std::array<std::uint8_t, kBuckets> buckets_{};
};

// Passes the value at the cursor and keeps it when the table wants it. The last of two equal keys
// wins, and `duplicate` says that there were two.
template <typename T, std::size_t N>
void pass_member(json::Cursor& cursor, std::string_view key, const FieldTable<T, N>& table, T& in,
                 bool& duplicate) {
  json::Value* const slot = table.find(key, in);
  if (slot == nullptr) {
    cursor.skip();
    return;
  }
  duplicate |= !slot->absent();
  cursor.take_into(*slot);
}

// The whole object at the cursor; anything else is passed over.
template <typename T, std::size_t N>
void pass_object(json::Cursor& cursor, const FieldTable<T, N>& table, T& in, bool& duplicate) {
  if (!cursor.next_is(json::Kind::object)) {
    cursor.skip();
    return;
  }
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    pass_member(cursor, key, table, in, duplicate);
  }
}

// The same for a value that was kept earlier.
template <typename T, std::size_t N>
void read_object(std::string_view json, const FieldTable<T, N>& table, T& in) {
  bool duplicate = false;
  json::Cursor cursor(json);
  pass_object(cursor, table, in, duplicate);
}

}  // namespace dragoman
