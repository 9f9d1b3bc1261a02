// SPDX-License-Identifier: Apache-2.0
// The agents as a table: one row says everything in which an agent differs from another. Whatever
// offers, checks, starts or describes agents reads the rows; nothing outside of this module
// compares a name (tools/check_house). A further agent of a known protocol is a further row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/question.hpp"
#include "dragoman/agent/request.hpp"
#include "dragoman/agent/usual.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::agent {

// How an agent is spoken with.
enum class Protocol : std::uint8_t {
  claude,      // one process, JSON lines in both directions
  codex_exec,  // a process for each turn, JSON lines out
  executor,    // a process for each answer, markers out
  command,     // one process, of which nothing is known
};

// How an agent hears the answers to questions that it does not wait for in its conversation.
enum class GoesOn : std::uint8_t {
  never,          // its program takes no answer
  by_session,     // its program is started again with the session's id and the answers as prompt
  by_invocation,  // its program is started again with the same words and the answers added
};

// What a request may say and not every agent understands. The names are those of `dragoman run`.
enum class AgentOption : std::uint8_t {
  resume,
  session_id,
  model,
  permission_mode,
  allowed_tools,
  mcp_config,
  budget,
  sandbox,
  output_schema,
};

class AgentOptions {
 public:
  constexpr AgentOptions(std::initializer_list<AgentOption> options) {
    for (const AgentOption option : options) bits_ |= bit(option);
  }
  [[nodiscard]] constexpr bool has(AgentOption option) const { return (bits_ & bit(option)) != 0; }

 private:
  static constexpr unsigned bit(AgentOption option) { return 1U << static_cast<unsigned>(option); }
  unsigned bits_ = 0;
};

// The common words for what an agent may do, from the least to the most. preview: it makes a plan
// and does not carry it out.
inline constexpr std::array<std::string_view, 4> kModes = {"read-only", "preview",
                                                           "workspace-write", "danger-full-access"};
inline constexpr std::string_view kPreview = kModes[1];
// Those with which a task gets done. Codex's sandboxes are called the same.
inline constexpr std::array<std::string_view, 3> kSandboxes = {kModes[0], kModes[2], kModes[3]};

// What a common word means to an agent.
struct Mode {
  std::string_view word;   // of kModes
  std::string_view shown;  // as the agent itself calls it, for people who choose
  std::string_view sandbox = {};
  std::string_view permission_mode = {};
  std::span<const std::string_view> words = {};  // further arguments
  // Its permission mode is also that of an agent of which no mode was asked: the words tell it.
  bool told_by_words = false;
};

// The words behind "--".
struct Words {
  std::string_view shape = {};  // as help shows them; empty: further arguments of the agent
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::string_view otherwise = {};  // the complaint about fewer or more
  std::size_t task_at = 0;          // from that word on they are the task; 0: they are not
};

enum class SessionIds : std::uint8_t { none, any, uuid };

// Finds a program by name; what `$PATH` says, in production.
using Locate = std::function<Result<std::string>(std::string_view name)>;

struct AgentRow {
  std::string_view name;
  std::string_view title;  // what people call it
  Protocol protocol = Protocol::command;
  bool any_program = false;  // whatever the user names, not a coding agent

  // Finding it.
  std::string_view program = {};                                // empty: the first of the words
  std::string (*native)(const std::string& wrapper) = nullptr;  // the program that a wrapper starts
  std::string_view install = {};                                // the command that installs it
  // How it is told of an MCP server, as a form for fmt::format: {line} is a command line of a
  // shell, {program} and {arguments} are JSON strings. Empty: it is no MCP client.
  std::string_view registration = {};

  // What it is given.
  std::span<const std::string_view> variables = {};  // of ours: names, or prefixes ending in '_'
  std::string_view key = {};                         // the variable with its provider's key
  // Prefixes of variables that it sets for what it starts. An agent that had them would believe
  // that it runs inside this one.
  std::span<const std::string_view> marks = {};
  AgentOptions options = {};
  std::span<const Mode> modes = {};
  std::span<const std::string_view> outside_git = {};  // words that let it work in any directory
  bool takes_prompt = true;
  Words words = {};

  // How it runs; what is started and said is the business of its Wire.
  Launch::Stdin stdin_then = Launch::Stdin::closed;
  std::optional<Dialect> dialect = {};  // what it prints; absent: found out
  GoesOn goes_on = GoesOn::never;
  SessionIds session_ids = SessionIds::none;

  // Complains about what this agent cannot do, before anything is started.
  [[nodiscard]] Result<void> check(const Request& request) const;
  // Whether an id can be one of its sessions. A wrong one is refused before anything is started:
  // Codex would begin a new thread without a word.
  [[nodiscard]] bool is_session_id(std::string_view id) const;
  [[nodiscard]] bool speaks_json() const;
  [[nodiscard]] bool has_program() const { return !program.empty(); }
  [[nodiscard]] bool can_be_answered() const { return goes_on != GoesOn::never; }
  // Whether it can be told something while it works, and be kept after a turn: its program goes on
  // listening.
  [[nodiscard]] bool hears_at_work() const {
    return goes_on == GoesOn::by_session && stdin_then == Launch::Stdin::conversation;
  }
  [[nodiscard]] const Mode* find_mode(std::string_view word) const;
};

// Names are unique.
[[nodiscard]] std::span<const AgentRow> agents();
// Null when no agent has that name.
[[nodiscard]] const AgentRow* find_agent(std::string_view name);
// The first that is spoken with like that.
[[nodiscard]] const AgentRow& agent_of(Protocol protocol);

// The names of those that `take`, in the order of the table, but `first` before the others.
[[nodiscard]] std::vector<std::string_view> agent_names(
    std::string_view first = {}, const std::function<bool(const AgentRow&)>& take = {});

[[nodiscard]] std::string_view name(AgentOption option);

}  // namespace dragoman::agent
