// SPDX-License-Identifier: Apache-2.0
// Texts with a secret, none of it real.
#pragma once

#include <string>
#include <vector>

namespace dragoman::test {

struct Sample {
  std::string before;
  std::string secret;  // must not be seen again
  std::string after;
  [[nodiscard]] std::string text() const { return before + secret + after; }
};

[[nodiscard]] std::vector<Sample> secret_samples();
// The text as it is, coloured, numbered, found by grep, quoted, each also in JSON, up to three
// strings deep, as Python and Go write it.
[[nodiscard]] std::vector<std::string> dresses_of(const Sample& sample);
// What must not be found of a secret, however it was dressed: what no encoder spells otherwise, in
// texts without colours.
[[nodiscard]] std::vector<std::string> plain_pieces(const std::string& secret);
[[nodiscard]] std::string without_style(const std::string& text);

}  // namespace dragoman::test
