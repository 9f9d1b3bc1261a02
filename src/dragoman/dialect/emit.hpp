// SPDX-License-Identifier: Apache-2.0
// One event from named arguments: what an agent's scripts need to speak a dialect.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/dialect/writer.hpp"

namespace dragoman {

enum class EmitType : std::uint8_t {
  text,
  number,   // as JSON spells it
  boolean,  // true or false
  choice,   // one of `choices`
  list,     // text that may be given several times
};

// One argument of a kind. A command line makes an option of it, "--name VALUE".
struct EmitField {
  std::string_view name;
  EmitType type = EmitType::text;
  std::string_view help;
  bool required = false;
  bool positional = false;  // may also be given without its name; a list takes all of them
  std::span<const std::string_view> choices;
};

// Something that can be emitted.
struct EmitKind {
  std::string_view name;  // "tool-result"
  std::string_view help;
  std::span<const Target> dialects;  // that have a marker for it, the usual one first
  std::span<const EmitField> fields;
};

// All of them, in the order in which help lists them.
[[nodiscard]] std::span<const EmitKind> emit_kinds();
[[nodiscard]] const EmitKind* find_emit_kind(std::string_view name);

struct EmitArgument {
  std::string name;  // of a field
  std::string value;
};

// The reason of an error about arguments that nobody knows or that do not go together. Errors
// without it are about what the dialect forbids.
inline constexpr std::string_view kMisused = "misused";

// The marker, with its line for people where the dialect has one, ready to be printed. Errors name
// the field: "status: 'done' is not pending, in_progress, …". Without a dialect, the usual one of
// the kind.
[[nodiscard]] Result<std::string> emit(std::string_view kind,
                                       std::span<const EmitArgument> arguments,
                                       std::optional<Target> dialect = std::nullopt);

// Only the event. What it points at lives in `arena`.
[[nodiscard]] Result<Event> make_event(std::string_view kind,
                                       std::span<const EmitArgument> arguments, Arena& arena);

}  // namespace dragoman
