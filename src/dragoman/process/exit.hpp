// SPDX-License-Identifier: Apache-2.0
// How a child ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dragoman::process {

enum class Stream : std::uint8_t { stdout_, stderr_ };

struct Exit {
  enum class How : std::uint8_t {
    exited,  // by itself, with `code`
    signal,  // by signal number `code`
    lost,    // its guard was killed: nobody saw how it ended, and that is not success
  };
  How how = How::lost;
  int code = 0;
  std::chrono::microseconds wall{0};  // from the start to the end of the run
  std::chrono::microseconds cpu{0};   // of the child and of the descendants it waited for
  std::uint64_t max_rss_bytes = 0;
  // A descendant kept stdout or stderr open after the child was gone; what it might have written
  // later is not there.
  bool output_cut = false;
  std::uint32_t leftovers = 0;  // descendants that were still there when the child was gone
  std::uint32_t survivors = 0;  // descendants that could not be killed (blocked in the kernel)

  friend bool operator==(const Exit&, const Exit&) = default;
};

// The exit code of shells: the code itself, 128 + n for signal n, 125 when it is lost.
[[nodiscard]] int exit_code_of(const Exit& exit);
// "exit code 3", "signal 9 (KILL)", "lost: …"
[[nodiscard]] std::string describe(const Exit& exit);

}  // namespace dragoman::process
