// SPDX-License-Identifier: Apache-2.0
// The payload of a marker as nearly all are: the documented keys in the documented order, each with
// a scalar of the documented type, on one line and with nothing odd in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/payloads.hpp"
#include "dragoman/json/quote_map.hpp"

namespace dragoman {

// Reads the members one after the other, in the order in which they are asked for. A member that is
// not the next one counts as absent; what nobody asked for shows at the end, because the closing
// brace does not come then. Each kind of marker asks by itself, so the processor learns its order.
//
//   payload.start(at, end, arena);
//   status.status = payload.text(R"({"status":)");
//   status.progress = payload.number(R"(,"progress":)");
//   if (payload.finish()) …
//
// After anything unexpected nothing more is found, and finish() is false.
class PlainPayload {
 public:
  // So many bytes from the brace on must be there to be looked at.
  static constexpr std::ptrdiff_t kRoom = static_cast<std::ptrdiff_t>(json::QuoteMap::kBytes) + 64;

  // The bytes up to `end` can be read, and there are at least kRoom of them.
  void start(const char* at, const char* end, Arena& arena);

  // `lead` is all that stands before the value, from the brace or comma on. Without data() when
  // the member is null or not there. Views point into the text or the arena.
  template <std::size_t N>
  [[nodiscard]] std::string_view text(const char (&lead)[N]) {
    if (!takes(lead)) return {};
    return *p_ == '"' ? take_text() : take_null();
  }
  template <std::size_t N>
  [[nodiscard]] std::optional<Number> number(const char (&lead)[N]) {
    std::int64_t value = 0;
    if (!takes(lead) || !take_integer(value)) return std::nullopt;
    return Number::of(value);
  }
  template <std::size_t N>
  [[nodiscard]] std::optional<bool> flag(const char (&lead)[N]) {
    return takes(lead) ? take_flag() : std::nullopt;
  }
  // Whether the member asked for last is there, null or not.
  [[nodiscard]] bool has_key() const { return has_key_; }

  // Whether that was all, and nothing about it is odd.
  [[nodiscard]] bool finish();

  [[nodiscard]] const char* end() const { return p_ + 1; }  // behind the closing brace

 private:
  template <std::size_t N>
  [[gnu::always_inline]] bool takes(const char (&lead)[N]) {
    has_key_ = std::memcmp(p_, lead, N - 1) == 0;
    if (!has_key_) return false;
    if (p_ > limit_) return give_up();
    p_ += N - 1;
    return true;
  }
  [[gnu::always_inline]] std::string_view take_text() {
    const char* const begin = p_ + 1;
    const char* const close = map_.covers(begin) ? map_.next(begin) : nullptr;
    if (close == nullptr) return take_far_text();
    p_ = close + 1;
    if (map_.backslash_between(begin, close)) return take_escaped_text(begin, close);
    return checked({begin, static_cast<std::size_t>(close - begin)});
  }
  // "{PLACEHOLDER}": a template that was not filled in, which is worth a finding.
  std::string_view checked(std::string_view text) {
    if (!text.empty() && text.front() == '{' && text.back() == '}') give_up();
    return text;
  }
  std::string_view take_far_text();
  std::string_view take_escaped_text(const char* begin, const char* close);
  std::string_view take_null();
  bool take_integer(std::int64_t& value);
  std::optional<bool> take_flag();
  bool give_up();

  json::QuoteMap map_;
  const char* at_ = nullptr;
  const char* p_ = nullptr;
  const char* limit_ = nullptr;  // up to here there is room for a lead and a short value
  Arena* arena_ = nullptr;
  bool has_key_ = false;
  bool odd_ = false;      // before the bytes in the map
  bool foreign_ = false;  // the same
};

}  // namespace dragoman
