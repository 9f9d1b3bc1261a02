// SPDX-License-Identifier: Apache-2.0
// The canonical JSON line of an event, out and in.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// {"seq":7,"ts":"…","kind":"status","data":{…},"origin":{…}}, without a newline. Absent fields are
// left out, unknown ones (event.extra) follow the known ones, with '_' before a name that is taken.
// The same event always gives the same bytes.
void append_json(std::string& out, const Event& event);
[[nodiscard]] std::string to_json(const Event& event);

// Only the object behind "data".
void append_data(std::string& out, const Event& event);

// Reads a canonical line back. Views point into `line` and `arena`. Fields the kind does not know
// are kept in event.extra, and so is a known one of the wrong type where the field may be absent:
// an agent's odd value goes through. Where it may not be absent, that is an error.
[[nodiscard]] Result<Event> read_event(std::string_view line, Arena& arena);

// What a permission is asked for, as it stands in the data of a question. Read back it is absent
// when it is anything else.
void append_wants(std::string& out, const Wants& wants);
[[nodiscard]] std::optional<Wants> read_wants(std::string_view json, Arena& arena);

// "2026-11-15T10:05:22.104Z"
void append_timestamp(std::string& out, Timestamp ts);
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

}  // namespace dragoman
