// SPDX-License-Identifier: Apache-2.0
// What Claude Code offers with a request for permission so that it need not ask the same again:
// "permission_suggestions", a list of changes to its permissions.
//
// Taken are rules that allow a tool, directories and the mode that accepts edits. A change of mode
// allows more than what was asked about, so it is left out where rules do. Anything else (other
// modes, rules that deny, what is not known) is never offered and never sent back.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// The changes to send back, as a JSON list; empty where nothing is offered for that.
// allow_session: all of them, for the session alone. allow_always: as Claude offers them, where one
// goes to a file of settings and so outlives the session.
[[nodiscard]] std::string permission_updates(std::string_view suggestions, Grant grant);

// What these changes allow, for the person who decides: "Bash(npm test *), the directory /srv".
[[nodiscard]] std::string permission_words(std::string_view updates);

}  // namespace dragoman
