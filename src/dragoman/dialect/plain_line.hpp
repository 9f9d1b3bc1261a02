// SPDX-License-Identifier: Apache-2.0
// Bracket markers that are one line and have nothing odd about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman {

class PlainLine {
 public:
  // Reads the marker at the start of `text`: [PROGRESS] or [CODEX_COMPLETE] with one space, its
  // words and a newline. `line_end` is that newline when it is known, and that nothing may start
  // before it; else null. False: it is another one, is cut off, or deserves a finding.
  [[nodiscard]] bool read(std::string_view text, const char* line_end);

  [[nodiscard]] std::size_t length() const { return length_; }  // newline included
  [[nodiscard]] bool ascii() const { return ascii_; }  // surely nothing else; false: perhaps

  // Makes the event, which is what read_bracket would make of it.
  [[nodiscard]] Kind kind() const {
    return name_ == Name::progress ? Kind::status : Kind::completion_claimed;
  }
  void fill(Payload& payload) const;

 private:
  enum class Name : std::uint8_t { progress, codex_complete };

  bool read_words(std::string_view text, std::size_t from, const char* line_end);
  bool read_iterations();

  Name name_ = Name::progress;
  std::string_view words_;
  std::int64_t iterations_ = 0;
  std::size_t length_ = 0;
  bool ascii_ = false;
};

}  // namespace dragoman
