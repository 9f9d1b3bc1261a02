// SPDX-License-Identifier: Apache-2.0
// Texts with a secret, and texts that only look as if they had one.
#pragma once

#include <string>
#include <vector>

namespace dragoman::redact {

struct Sample {
  std::string before;
  std::string secret;  // must not be seen again
  std::string after;
  [[nodiscard]] std::string text() const { return before + secret + after; }
};

[[nodiscard]] std::vector<Sample> secret_samples();
[[nodiscard]] std::vector<std::string> harmless_texts();

}  // namespace dragoman::redact
