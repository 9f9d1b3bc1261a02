// SPDX-License-Identifier: Apache-2.0
// The commands of a shell script, as far as they can be seen without running it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::task {

class ShellCommand {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  // Without its quotes; redirections are words like others.
  [[nodiscard]] std::string_view operator[](std::size_t word) const {
    const std::size_t begin = word == 0 ? 0 : ends_[word - 1];
    return std::string_view(text_).substr(begin, ends_[word] - begin);
  }

  std::string_view input;    // its here-document, in the script
  bool feeds_shell = false;  // what it prints is read by a shell, or by xargs

 private:
  friend class ShellReader;
  std::string text_;  // all words, one behind the other: a script may have millions
  std::vector<std::uint32_t> ends_;
};

// Every simple command, those in $(…) and backticks as well, each behind those it contains.
// Whatever the bytes are, there is an answer, in time that grows with them and with little memory
// beside the longest command; a quote that is never closed ends with the script.
void read_shell(std::string_view script, const std::function<void(const ShellCommand&)>& sink);

// The last part of a path: what a program is called.
[[nodiscard]] std::string_view program_name(std::string_view word);

}  // namespace dragoman::task
