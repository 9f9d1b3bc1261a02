// SPDX-License-Identifier: Apache-2.0
// The wire names of the enumerations in payloads: the enumerators themselves.
#pragma once

#include <optional>
#include <string_view>

#include "dragoman/event/findings.hpp"

namespace dragoman {

[[nodiscard]] std::string_view name(Outcome value);
[[nodiscard]] std::string_view name(QuestionKind value);
[[nodiscard]] std::string_view name(QuestionSource value);
[[nodiscard]] std::string_view name(QuestionState value);
[[nodiscard]] std::string_view name(Grant value);
[[nodiscard]] std::string_view name(FileAction value);
[[nodiscard]] std::string_view name(Recoverable value);
[[nodiscard]] std::string_view name(UsageScope value);
[[nodiscard]] std::string_view name(Level value);

// False, and `value` unchanged, when no enumerator has that name.
[[nodiscard]] bool set_from_name(Outcome& value, std::string_view name);
[[nodiscard]] bool set_from_name(QuestionKind& value, std::string_view name);
[[nodiscard]] bool set_from_name(QuestionSource& value, std::string_view name);
[[nodiscard]] bool set_from_name(QuestionState& value, std::string_view name);
[[nodiscard]] bool set_from_name(Grant& value, std::string_view name);
[[nodiscard]] bool set_from_name(FileAction& value, std::string_view name);
[[nodiscard]] bool set_from_name(Recoverable& value, std::string_view name);
[[nodiscard]] bool set_from_name(UsageScope& value, std::string_view name);
[[nodiscard]] bool set_from_name(Level& value, std::string_view name);

}  // namespace dragoman
