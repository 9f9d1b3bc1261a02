// SPDX-License-Identifier: Apache-2.0
// A private key in lines: everything from BEGIN goes until END, whatever stands between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::redact {

class KeyBlock {
 public:
  // A key that does not end is left after so many bytes: more is no key.
  static constexpr std::uint64_t kLongest = 16 * 1024;

  // How the text around it is written, as far as BEGIN shows it. In a string of JSON a key that is
  // cut off ends with the string: what follows is not a key's.
  struct Start {
    bool in_string = false;
    std::size_t slashes = 0;  // as many as stand before the quote that closes the string, or fewer
    bool in_line = false;     // line ends are escaped, so that a real one is the end
  };
  struct Step {
    std::size_t length = 0;  // how much of the text belongs to it; what is left must be shown again
    bool ended = false;
  };

  KeyBlock() = default;
  explicit KeyBlock(Start start) : start_(start) {}

  [[nodiscard]] Step read(std::string_view text, bool final);

 private:
  enum class Place : std::uint8_t { inside, last, behind };
  [[nodiscard]] Place see(char c);

  Start start_;
  std::uint64_t length_ = 0;
  std::size_t dashes_ = 0;    // that stand before this byte
  std::size_t matched_ = 0;   // letters of "END "
  std::size_t key_seen_ = 0;  // letters of "PRIVATE KEY" behind it
  bool between_strings_ = false;
  bool at_end_ = false;  // behind "-----END "
};

}  // namespace dragoman::redact
