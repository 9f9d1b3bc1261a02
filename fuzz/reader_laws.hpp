// SPDX-License-Identifier: Apache-2.0
// What every reader's fuzz target does: the same laws as tests/contract, on what the engine makes
// up. The last five bytes of an input choose the mode and the cuts, the rest is what is read, so
// that a corpus file is an ordinary recording with a tail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/laws.hpp"

namespace dragoman::fuzz {

inline constexpr std::size_t kTail = 5;

struct Choice {
  std::string_view input;
  ReaderOptions options;
  std::vector<std::size_t> cuts;
  bool byte_by_byte = false;  // as well: the dearest way to read, so not for every input
};

inline Choice choose(const std::uint8_t* data, std::size_t size) {
  Choice choice;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  choice.input = all.substr(0, size - std::min(size, kTail));
  const std::string_view tail = all.substr(choice.input.size());
  const auto byte = [tail](std::size_t i) {
    return i < tail.size() ? static_cast<unsigned char>(tail[i]) : 0U;
  };
  choice.options.mode = static_cast<Mode>(byte(0) % 3);
  if ((byte(0) & 0x40U) != 0) choice.options.line_cap = 100;
  choice.options.partial = (byte(0) & 0x80U) != 0;
  std::size_t at = 0;
  for (std::size_t i = 1; i < kTail; ++i) {
    at += byte(i) * std::max<std::size_t>(1, choice.input.size() / 512);
    choice.cuts.push_back(std::min(at, choice.input.size()));
  }
  choice.byte_by_byte =
      choice.input.size() <= 128 || (choice.input.size() <= 1024 && (byte(0) & 0x30U) == 0);
  return choice;
}

inline void demand(const std::string& broken_law) {
  if (broken_law.empty()) return;
  std::fprintf(stderr, "broken law: %s\n", broken_law.c_str());
  __builtin_trap();
}

template <typename Make>
int check_reader(const std::uint8_t* data, std::size_t size, Make make_with) {
  const Choice choice = choose(data, size);
  const test::MakeReader make = [&] { return make_with(choice.options); };
  using test::Scrutiny;
  const test::Transcript whole = test::transcribe(make, choice.input, {}, Scrutiny::full);
  demand(whole.broken);
  demand(test::difference(
      whole, test::transcribe(make, choice.input, choice.cuts, Scrutiny::tiling_only)));
  if (choice.byte_by_byte) {
    demand(test::difference(
        whole, test::transcribe(make, choice.input, test::every_byte(choice.input.size()),
                                Scrutiny::tiling_only)));
  }
  return 0;
}

}  // namespace dragoman::fuzz
