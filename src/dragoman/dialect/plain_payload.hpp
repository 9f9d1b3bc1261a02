// SPDX-License-Identifier: Apache-2.0
// The payload of a marker as nearly all are: the documented keys, each once, with a scalar of the
// documented type, on one line and with nothing odd in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dragoman/base/arena.hpp"

namespace dragoman {

enum class PlainKind : std::uint8_t { text, number, flag };

struct PlainKey {
  std::string_view key;
  PlainKind kind = PlainKind::text;
};

// Up to eight keys, found by their length and first byte: the constructor looks for a factor that
// keeps them apart.
class PlainKeys {
 public:
  static constexpr std::size_t kMost = 8;

  template <std::size_t N>
  explicit constexpr PlainKeys(const PlainKey (&keys)[N]) {
    static_assert(N <= kMost);
    for (std::size_t i = 0; i < N; ++i) keys_[i] = keys[i];
    while (!fill(N)) ++factor_;
  }

  // The slot of the one key that `key`, which is not empty, may be.
  [[nodiscard]] constexpr std::size_t slot(std::string_view key) const {
    return buckets_[bucket(key)];
  }
  [[nodiscard]] constexpr const PlainKey& operator[](std::size_t slot) const { return keys_[slot]; }

 private:
  static constexpr std::size_t kBuckets = 32;

  [[nodiscard]] constexpr std::size_t bucket(std::string_view key) const {
    return (static_cast<unsigned char>(key[0]) + key.size() * factor_) % kBuckets;
  }
  constexpr bool fill(std::size_t count) {
    std::array<bool, kBuckets> used{};
    buckets_ = {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = bucket(keys_[i].key);
      if (used[at]) return false;
      used[at] = true;
      buckets_[at] = static_cast<std::uint8_t>(i);
    }
    return true;
  }

  std::array<PlainKey, kMost> keys_{};
  std::array<std::uint8_t, kBuckets> buckets_{};
  std::size_t factor_ = 0;
};

// One field; only the member that its kind names is set.
struct PlainField {
  std::string_view text;  // decoded
  std::int64_t number = 0;
  bool flag = false;
};

class PlainPayload {
 public:
  // Reads the object at `at`; nothing at or behind `end` is looked at. False: it is not plain, cut
  // off or too near to `end`, and nothing is known about it. Views point into the text or `arena`.
  [[nodiscard]] bool read(const char* at, const char* end, const PlainKeys& keys, Arena& arena);

  [[nodiscard]] const char* end() const { return end_; }  // behind the closing brace
  // One bit a slot: keys that are there, and those of them that are not null.
  [[nodiscard]] unsigned seen() const { return seen_; }
  [[nodiscard]] unsigned given() const { return given_; }
  [[nodiscard]] bool has(std::size_t slot) const { return ((given_ >> slot) & 1U) != 0; }
  [[nodiscard]] const PlainField& operator[](std::size_t slot) const { return fields_[slot]; }
  // Absent when the field is.
  [[nodiscard]] std::string_view text(std::size_t slot) const {
    return has(slot) ? fields_[slot].text : std::string_view{};
  }

 private:
  std::array<PlainField, PlainKeys::kMost> fields_;
  const char* end_ = nullptr;
  unsigned seen_ = 0;
  unsigned given_ = 0;
};

}  // namespace dragoman
