// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace dragoman {

// Instructions for an agent's prompt that make it speak a dialect: rules, examples, good practice.
// The examples stand in fences and read without a finding, also in strict mode.
struct DialectPrompt {
  std::string_view dialect;
  std::string_view text;
};

// For markers, question and wxcode.
[[nodiscard]] std::span<const DialectPrompt> dialect_prompts();

// Empty when there is none for that dialect.
[[nodiscard]] std::string_view prompt_for(std::string_view dialect);

}  // namespace dragoman
