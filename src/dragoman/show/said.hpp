// SPDX-License-Identifier: Apache-2.0
// Knowing an answer again that was given before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "dragoman/event/event.hpp"

namespace dragoman::show {

// What an agent said last. The result of a turn mostly says it again, and results may follow each
// other after everything was said.
class Said {
 public:
  // Of the main thread: text, and markers in it. Other events say nothing.
  void add(const Event& event);
  // Whether the words, decoded, are one of the last messages, with or without its markers.
  [[nodiscard]] bool has(std::string_view words) const;

 private:
  static constexpr std::size_t kMessages = 8;
  static constexpr std::size_t kPieces = 1024;  // of a message; those behind it are believed

  // What stood between two markers. Never blank.
  struct Piece {
    std::size_t at = 0;
    std::size_t length = 0;
    std::size_t hash = 0;
  };
  struct Message {
    std::uint64_t line = 0;             // where it came
    std::optional<std::int64_t> block;  // none as long as there are only markers
    std::vector<Piece> pieces;
    bool complete = true;
  };
  // The message that the event is a part of, which may begin with it.
  [[nodiscard]] Message& message_of(const Event& event, std::optional<std::int64_t> block);
  [[nodiscard]] static bool is(const Message& message, std::string_view words);

  std::deque<Message> messages_;
};

}  // namespace dragoman::show
