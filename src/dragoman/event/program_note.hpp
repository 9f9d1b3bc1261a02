// SPDX-License-Identifier: Apache-2.0
// What the program of an agent says in the user's place.
#pragma once

#include <string_view>

namespace dragoman {

// Whether a message in the user's name is a note of the program: [Request interrupted by user…],
// <task-notification>, <environment_context> and the like. No tag of a language has such a name.
[[nodiscard]] bool is_program_note(std::string_view words);

}  // namespace dragoman
