// SPDX-License-Identifier: Apache-2.0
// The WXCODE commands as data: what each is called on screen, what it reports, what comes next.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// At most N words; the first empty one ends the list.
template <std::size_t N>
struct ShortList {
  std::array<std::string_view, N> items;

  [[nodiscard]] constexpr std::span<const std::string_view> view() const {
    std::size_t count = 0;
    while (count < N && !items[count].empty()) ++count;
    return {items.data(), count};
  }
};

// A row of the specification's table. The set is open: agents use commands that are not in it, and
// that is no error.
struct CatalogCommand {
  std::string_view name;   // without "/wxcode:"
  std::string_view title;  // "PLANNING PHASE X"; X is the phase
  ShortList<3> status;     // the messages it reports; empty: next to nothing
  ShortList<2> next;       // "plan-phase X"; alternatives, the usual one first
};

// People and agents copy commands as they are typed; a marker names them without "/wxcode:".
[[nodiscard]] std::string_view bare_command(std::string_view command);

// All of them, by name.
[[nodiscard]] std::span<const CatalogCommand> command_catalog();

// Null when the catalogue does not know it.
[[nodiscard]] const CatalogCommand* find_command(std::string_view name);

// How a command went, as far as that decides what comes next.
enum class CommandOutcome { unstated, success, gaps };
[[nodiscard]] std::optional<CommandOutcome> command_outcome_named(std::string_view name);

// What comes next where it matters how the command went.
struct ConditionalNext {
  std::string_view command;
  CommandOutcome outcome = CommandOutcome::unstated;
  ShortList<2> next;  // as in CatalogCommand
  std::string_view priority;
};
[[nodiscard]] std::span<const ConditionalNext> conditional_next_actions();

struct CatalogAction {
  std::string command;
  std::string args;
  std::string description;
  std::string priority;
  friend bool operator==(const CatalogAction&, const CatalogAction&) = default;
};

// The phase that `args` names: its first word that is a number. "3 --gaps-only" is phase 3.
[[nodiscard]] std::optional<Number> phase_in(std::string_view args);

// "WXCODE ▶ PLANNING PHASE 2". Absent for a command that the catalogue does not know.
[[nodiscard]] std::optional<std::string> title_for(std::string_view command, std::string_view args);

// What the documents suggest after `command`, the usual suggestion first. Empty: they suggest
// nothing, or nothing as long as nobody says how it went.
[[nodiscard]] std::vector<CatalogAction> next_actions_for(
    std::string_view command, std::string_view args,
    CommandOutcome outcome = CommandOutcome::unstated);

// Why one would run `command` next, in words; empty when nothing is known about it.
[[nodiscard]] std::string_view purpose_of(std::string_view command, std::string_view args);

// An error code of the documents. The set is open too.
struct CatalogError {
  std::string_view code;
  std::string_view meaning;
  Recoverable recoverable = Recoverable::unknown;  // when the agent does not say
};
[[nodiscard]] std::span<const CatalogError> error_catalog();
[[nodiscard]] Recoverable recoverable_by_code(std::string_view code);

// The words a STATUS and a NEXT_ACTION may use.
[[nodiscard]] std::span<const std::string_view> status_values();
[[nodiscard]] std::span<const std::string_view> priority_values();

}  // namespace dragoman
