// SPDX-License-Identifier: Apache-2.0
// How an agent is started, read, answered and gone on with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/question.hpp"
#include "dragoman/agent/request.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::agent {

// Finds a program by name; what `$PATH` says, in production.
using Locate = std::function<Result<std::string>(std::string_view name)>;

// How an agent hears the answers to questions that it does not wait for in its conversation.
enum class GoesOn : std::uint8_t {
  never,          // nobody can tell it anything any more
  by_session,     // its program is started again with the session's id and the answers as prompt
  by_invocation,  // its program is started again with the same words and the answers added
};

// What makes one agent different from another. The functions are pure: they say what to start and
// what to write, and start and write nothing.
class Agent {
 public:
  virtual ~Agent() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  // Complains about what this agent cannot do, before anything is started.
  [[nodiscard]] virtual Result<void> check(const Request& request) const = 0;

  // The first start. A task's words never change the arguments, except the executor's, whose
  // protocol has them there.
  [[nodiscard]] virtual Result<Launch> start(const Request& request,
                                             const Locate& locate) const = 0;

  // The next start, with answers or, where there are none, with `request.prompt`. `session` is what
  // the stream called itself.
  [[nodiscard]] virtual Result<Launch> go_on(const Request& request, std::string_view session,
                                             std::span<const Answered> answers,
                                             const Locate& locate) const = 0;
  [[nodiscard]] virtual GoesOn goes_on() const = 0;

  // What it prints; absent: found out.
  [[nodiscard]] virtual std::optional<Dialect> dialect() const = 0;

  // Whether an id can be one of its sessions. A wrong one is refused before anything is started:
  // Codex would begin a new thread without a word.
  [[nodiscard]] virtual bool is_session_id(std::string_view id) const = 0;

  // Variables of our environment that are meant for it: exact names, or prefixes ending in '_'.
  [[nodiscard]] virtual std::span<const std::string_view> variables() const = 0;
};

[[nodiscard]] std::unique_ptr<Agent> make_claude_agent();
[[nodiscard]] std::unique_ptr<Agent> make_codex_agent();
[[nodiscard]] std::unique_ptr<Agent> make_executor_agent();
[[nodiscard]] std::unique_ptr<Agent> make_command_agent();

[[nodiscard]] std::span<const std::string_view> agent_names();
// Null when no agent has that name.
[[nodiscard]] std::unique_ptr<Agent> make_agent(std::string_view name);

// The answers as the next prompt of a session: one alone is the label or text, several are a line
// each, "{header or text}: {answer}".
[[nodiscard]] std::string answers_as_prompt(std::span<const Answered> answers);

[[nodiscard]] bool any_secret(std::span<const Answered> answers);

// 8-4-4-4-12 hex digits.
[[nodiscard]] bool is_uuid(std::string_view text);

// They become words of the agent's command line, where "--settings=…" would be an option: what is
// allowed is named, not what is forbidden.
inline constexpr std::string_view kModelNames = "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$";
inline constexpr std::string_view kPermissionModes = "^[A-Za-z][A-Za-z0-9-]{0,63}$";
[[nodiscard]] bool is_model_name(std::string_view text);
[[nodiscard]] bool is_permission_mode(std::string_view text);
[[nodiscard]] std::span<const std::string_view> sandbox_modes();
[[nodiscard]] bool is_sandbox_mode(std::string_view text);

// The error for options that were given and that the agent does not take, and for values that are
// none.
[[nodiscard]] Result<void> check_options(std::string_view agent, const Request& request,
                                         std::span<const std::string_view> taken);

}  // namespace dragoman::agent
