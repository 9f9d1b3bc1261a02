// SPDX-License-Identifier: Apache-2.0
// What a value looks like: a secret, a word of code, or the place where a secret is to be put.
#pragma once

#include <cstddef>
#include <string_view>

#include "dragoman/redact/names.hpp"

namespace dragoman::redact {

inline constexpr std::size_t kLeastValue = 8;

// How a value stands behind its name, from the clearest to what may be prose.
enum class ValueForm : std::uint8_t { variable, quoted, option, assigned, told };

// `value` may be only the beginning of a long one.
[[nodiscard]] bool is_secret_value(std::string_view value, NameSays says, ValueForm form);

// $NAME, $name, ${…}, $(…), %(…), {…}, <…>: where a value is to be put, or a list, or none at all.
[[nodiscard]] bool is_placeholder(std::string_view value);

// Long enough, and letters and digits in no order.
[[nodiscard]] bool looks_like_key(std::string_view value);

}  // namespace dragoman::redact
