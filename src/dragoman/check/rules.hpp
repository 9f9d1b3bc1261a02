// SPDX-License-Identifier: Apache-2.0
// The rules that check knows. docs/rules.md lists the same, and a test compares the two.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/findings.hpp"

namespace dragoman::check {

struct Rule {
  std::string_view id;
  Level level = Level::warning;
  bool form = false;         // strict mode makes it an error
  std::string_view meaning;  // one line, for people
  std::string_view hint;     // what to do about it
};

[[nodiscard]] std::span<const Rule> rules();
// Null for an id no rule has.
[[nodiscard]] const Rule* find_rule(std::string_view id);

// How bad a finding of this rule is: as the reader said, raised by strict mode.
[[nodiscard]] Level level_in(Mode mode, const Rule& rule, Level said);

}  // namespace dragoman::check
