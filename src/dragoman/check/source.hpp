// SPDX-License-Identifier: Apache-2.0
// The bytes under the findings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::check {

// Keeps the part of the input that findings may still point into. What has been recorded is let go,
// so the memory is that of the longest record, not of the input.
class Source {
 public:
  void append(std::string_view chunk) { bytes_.append(chunk); }
  // Nothing before `offset` will be asked for, but for the line it lies on.
  void release(std::uint64_t offset);

  // Empty when it is no longer, or not yet, there.
  [[nodiscard]] std::string_view at(std::uint64_t offset, std::uint64_t length) const;
  // 1-based, in code points from the start of the line. 1 when the line is no longer there.
  [[nodiscard]] std::uint64_t column(std::uint64_t offset);

 private:
  std::string bytes_;
  std::uint64_t begin_ = 0;  // offset of bytes_[0]
  // The last answer of column(): the next one on the same line goes on from there.
  std::uint64_t known_offset_ = 0;
  std::uint64_t known_column_ = 1;
};

}  // namespace dragoman::check
