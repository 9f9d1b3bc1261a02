// SPDX-License-Identifier: Apache-2.0
// The payload of a marker as nearly all are: the documented keys in the documented order, each with
// a scalar of the documented type, on one line and with nothing odd in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/json/quote_map.hpp"

namespace dragoman {

// Reads the members one after the other, in the order in which they are asked for. A member that is
// not the next one counts as absent; what nobody asked for shows at the end, because the closing
// brace does not come then. Each kind of marker asks by itself, so the processor learns its order.
//
//   payload.start(at, arena);
//   payload.text(0, R"({"status":)");
//   payload.number(1, R"(,"progress":)");
//   if (payload.finish()) …
//
// After anything unexpected nothing more is found, and finish() is false.
class PlainPayload {
 public:
  static constexpr std::size_t kMost = 8;  // members
  // So many bytes from the brace on must be there to be looked at.
  static constexpr std::ptrdiff_t kRoom = static_cast<std::ptrdiff_t>(json::QuoteMap::kBytes) + 128;

  void start(const char* at, Arena& arena);

  // `lead` is all that stands before the value, from the brace or comma on.
  template <std::size_t N>
  void text(unsigned slot, const char (&lead)[N]) {
    if (!takes(slot, lead)) return;
    if (*p_ == '"') {
      take_text(slot);
    } else {
      take_null();
    }
  }
  template <std::size_t N>
  void number(unsigned slot, const char (&lead)[N]) {
    if (takes(slot, lead)) take_number(slot);
  }
  template <std::size_t N>
  void flag(unsigned slot, const char (&lead)[N]) {
    if (takes(slot, lead)) take_flag(slot);
  }

  // Whether that was all, and nothing about it is odd.
  [[nodiscard]] bool finish();

  [[nodiscard]] const char* end() const { return p_ + 1; }  // behind the closing brace
  // One bit a slot: keys that are there, and those of them that are not null.
  [[nodiscard]] unsigned seen() const { return seen_; }
  [[nodiscard]] unsigned given() const { return given_; }
  [[nodiscard]] bool has(std::size_t slot) const { return ((given_ >> slot) & 1U) != 0; }
  // Absent when the field is. Views point into the text or the arena.
  [[nodiscard]] std::string_view text(std::size_t slot) const {
    return has(slot) ? fields_[slot].text : std::string_view{};
  }
  [[nodiscard]] std::int64_t number(std::size_t slot) const { return fields_[slot].number; }
  [[nodiscard]] bool flag(std::size_t slot) const { return fields_[slot].number != 0; }

 private:
  struct Field {
    std::string_view text;  // decoded
    std::int64_t number;
  };

  template <std::size_t N>
  [[gnu::always_inline]] bool takes(unsigned slot, const char (&lead)[N]) {
    if (std::memcmp(p_, lead, N - 1) != 0) return false;
    // Beyond the map only the short ends of a payload are looked at.
    if (p_ - at_ > static_cast<std::ptrdiff_t>(json::QuoteMap::kBytes)) {
      give_up();
      return false;
    }
    p_ += N - 1;
    seen_ |= 1U << slot;
    return true;
  }
  void take_text(unsigned slot);
  void take_number(unsigned slot);
  void take_flag(unsigned slot);
  void take_null();
  void give_up();

  json::QuoteMap map_;
  const char* at_ = nullptr;
  const char* p_ = nullptr;
  Arena* arena_ = nullptr;
  unsigned seen_ = 0;
  unsigned given_ = 0;
  std::array<Field, kMost> fields_;
};

}  // namespace dragoman
