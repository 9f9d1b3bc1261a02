// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::cli {

// A number as digits, for numbers that mostly go up by one.
class RunningDigits {
 public:
  // Copies the digits of `value` to `to` and gives the end.
  char* put(char* to, std::uint64_t value);

 private:
  void step();

  std::uint64_t value_ = 0;
  std::array<char, 20> digits_ = {'0'};
  std::size_t count_ = 1;
};

// Most of what is printed of a plain-text stream is lines of text. Their JSON differs in the text
// and four numbers, so the rest is kept ready. The bytes are those of append_json().
class TextFrame {
 public:
  // False: the line is not of the common form, and nothing was written.
  bool append(std::string& out, const Event& event, std::uint64_t seq);

 private:
  static constexpr std::size_t kLongestText = 4096;

  [[nodiscard]] bool fits(const Event& event) const;
  void prepare(const Origin& origin);

  std::string before_offset_;
  std::string after_line_;
  Dialect dialect_ = Dialect::text;
  Stream stream_ = Stream::stdout_;
  Channel channel_ = Channel::stdout_;
  bool ready_ = false;
  RunningDigits seq_;
  RunningDigits line_;
  std::array<char, 2 * kLongestText + 1024> buffer_;
};

}  // namespace dragoman::cli
