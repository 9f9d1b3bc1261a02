// SPDX-License-Identifier: Apache-2.0
// Any program. What it prints is found out; nothing is known about how to answer it.
#include "dragoman/agent/agent.hpp"

namespace dragoman::agent {
namespace {

class CommandAgent final : public Agent {
 public:
  [[nodiscard]] std::string_view name() const override { return "command"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    DRAGOMAN_CHECK(check_options(name(), request, {}));
    if (request.words.empty()) {
      return Error{ErrorCode::validation, "no command is given: say -- CMD…"};
    }
    return {};
  }

  [[nodiscard]] Result<Launch> start(const Request& request, const Locate& locate) const override {
    Launch out{request.words, request.prompt, Launch::Stdin::closed};
    DRAGOMAN_TRY(out.argv[0], locate(out.argv[0]));
    return out;
  }

  [[nodiscard]] Result<Launch> go_on(const Request& /*request*/, std::string_view /*session*/,
                                     std::span<const Answered> /*answers*/,
                                     const Locate& /*locate*/) const override {
    return Error{ErrorCode::unsupported, "a command cannot be answered"};
  }

  [[nodiscard]] GoesOn goes_on() const override { return GoesOn::never; }
  [[nodiscard]] std::optional<Dialect> dialect() const override { return std::nullopt; }
  [[nodiscard]] bool is_session_id(std::string_view /*id*/) const override { return false; }
  [[nodiscard]] std::span<const std::string_view> variables() const override { return {}; }
};

}  // namespace

std::unique_ptr<Agent> make_command_agent() { return std::make_unique<CommandAgent>(); }

}  // namespace dragoman::agent
