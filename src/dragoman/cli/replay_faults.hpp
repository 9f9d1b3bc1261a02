// SPDX-License-Identifier: Apache-2.0
// What can go wrong with an agent, on purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::cli {

struct Faults {
  std::optional<std::uint64_t> cut;        // stdout ends after that many bytes
  std::optional<std::uint64_t> huge_line;  // a line of that many bytes comes first
  bool hang_after_result = false;
  bool hang_on_stdin = false;
  bool split_utf8 = false;
  bool orphan = false;
  bool error_exit_zero = false;
  bool duplicate_usage = false;
  bool unknown_event = false;

  [[nodiscard]] bool by_line() const {
    return huge_line || hang_after_result || error_exit_zero || duplicate_usage || unknown_event;
  }
  friend bool operator==(const Faults&, const Faults&) = default;
};

// "cut=100", "huge-line", "split-utf8", …
[[nodiscard]] Result<Faults> read_faults(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string_view> fault_names();

// The bytes of stdout with the faults in them. Pieces go to `put`; false from push: the output is
// over, and the program hangs or ends.
class FaultyOutput {
 public:
  enum class Then : std::uint8_t { go_on, hang, end };
  FaultyOutput(const Faults& faults, std::function<void(std::string_view)> put)
      : faults_(faults), put_(std::move(put)) {}

  [[nodiscard]] Then push(std::string_view bytes);
  [[nodiscard]] Then finish();  // an unfinished last line

 private:
  [[nodiscard]] Then line(std::string line);
  [[nodiscard]] Then put(std::string_view bytes);

  Faults faults_;
  std::function<void(std::string_view)> put_;
  std::string pending_;
  std::uint64_t written_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace dragoman::cli
