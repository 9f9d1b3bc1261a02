// SPDX-License-Identifier: Apache-2.0
// Finding the end of a JSON object that arrives in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/json/cursor.hpp"

namespace dragoman::json {

// Reads the payload of a marker, an object or (where asked for) an array, as it streams in: stops
// at the byte where the object ends or where it can no longer be one, and notes the members of the
// outermost object on the way. It never looks at a byte twice, however the input is cut, so a
// payload that arrives byte by byte costs the same as one that arrives whole. Everything is checked
// in full; numbers must fit machine numbers.
class ObjectScanner {
 public:
  enum class Newlines : std::uint8_t {
    forbidden,  // the first one is the fault
    allowed,    // as JSON has it: between tokens
    tolerated,  // inside strings too, to find where a broken payload was meant to end
  };
  enum class Root : std::uint8_t { object, object_or_array };
  enum class State : std::uint8_t { needs_more, complete, failed };

  // Offsets into the payload, so that the bytes may move between two calls.
  struct Member {
    std::uint32_t key_begin = 0;
    std::uint32_t key_end = 0;
    std::uint32_t value_begin = 0;
    std::uint32_t value_end = 0;
    Kind kind = Kind::null_;
    bool key_escaped = false;
    bool value_escaped = false;

    [[nodiscard]] Text key(std::string_view payload) const {
      return {payload.substr(key_begin, key_end - key_begin), key_escaped};
    }
    [[nodiscard]] Value value(std::string_view payload) const {
      return {kind, value_escaped, payload.substr(value_begin, value_end - value_begin)};
    }
  };

  void start(Newlines newlines, Root root = Root::object);

  // `payload` is everything from the opening brace on; earlier bytes must be those given before.
  State feed(std::string_view payload);

  // complete: just behind the closing brace; failed: the byte at fault; needs_more: where it
  // stands.
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] std::span<const Member> members() const { return members_; }
  [[nodiscard]] bool saw_lone_surrogate() const { return lone_surrogate_; }
  [[nodiscard]] bool saw_non_ascii() const { return non_ascii_; }

 private:
  enum class Expect : std::uint8_t {
    start,
    first_key,
    key,
    colon,
    value,
    first_value,
    after_value,
    string,
    scalar
  };

  bool step(std::string_view payload);
  bool begin_value(char c);
  bool begin_key(char c, bool may_close);
  bool close(char c);
  bool go_on_in_string(std::string_view payload);
  bool end_string();
  bool go_on_in_scalar(std::string_view payload);
  bool end_value();
  bool fail(Fault fault);

  std::array<std::uint64_t, kMaxDepth / 64 + 1>
      levels_{};  // one bit a level: whether it is an object
  std::vector<Member> members_;
  Member member_;
  std::size_t at_ = 0;
  std::size_t token_ = 0;  // where the open string or scalar began
  unsigned depth_ = 0;
  Newlines newlines_ = Newlines::forbidden;
  Root root_ = Root::object;
  Expect expect_ = Expect::start;
  State state_ = State::needs_more;
  Fault fault_ = Fault::none;
  bool in_key_ = false;
  bool escaped_ = false;  // of the open string
  bool lone_surrogate_ = false;
  bool non_ascii_ = false;
};

}  // namespace dragoman::json
