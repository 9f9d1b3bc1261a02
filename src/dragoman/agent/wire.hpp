// SPDX-License-Identifier: Apache-2.0
// How one protocol puts things: what starts its program, and what passes on its stdin afterwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/question.hpp"
#include "dragoman/agent/request.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman::agent {

// What a program is to be told when it is started.
struct Opening {
  std::string_view session;           // to go on with; empty: a new one
  std::string_view text;              // what people said; counts where there are no answers
  std::span<const Answered> answers;  // to questions that the program before left open
  std::string_view mark = {};         // by which the agent repeats it
};

// The agent waits for a response in the middle of its turn.
struct OpenRequest {
  std::string id;
  std::string tool_use_id;
  std::string command;  // what a shell would be given; empty: it asks for something else

  friend bool operator==(const OpenRequest&, const OpenRequest&) = default;
};

// A wire is pure, and knows neither turns nor people: Conversation does. Its defaults are those of
// a program that is told everything when it is started and nothing afterwards.
class Wire {
 public:
  virtual ~Wire() = default;

  // argv[0] is a name that is still to be looked up. What must be said again at the next start,
  // such as an executor's answers, is added to the request.
  [[nodiscard]] virtual Launch start(Request& request, const Opening& opening) const = 0;

  // Another program of the same agent begins: what the one before had asked is over.
  virtual void restarted() {}

  struct Heard {
    std::vector<OpenRequest> requests;
    std::vector<std::string> replies;  // to requests that are refused at once
    std::vector<std::string> echoes;   // marks of what was said and the agent has taken
  };
  // The bytes of stdout as the agent wrote them, however they are cut: what is sent back must be
  // what was asked, not what may be kept of it.
  [[nodiscard]] virtual Heard hear(std::string_view /*bytes*/) { return {}; }

  // What an open request wants to run; empty: something else. Null: the request is not open.
  [[nodiscard]] virtual const std::string* command_of(std::string_view /*request*/) const {
    return nullptr;
  }
  // Some request did not fit and was refused: a question that belongs to no open one may be its.
  [[nodiscard]] virtual bool refused_some() const { return false; }
  // The response to an open request, which is open no more. Empty: it was not.
  [[nodiscard]] virtual std::string respond(std::string_view /*request*/,
                                            std::span<const Answered> /*answers*/) {
    return {};
  }
  virtual void forget(std::string_view /*request*/) {}  // the agent wants no response any more
  // The response to an open request that will have no answer. Empty: it was not open.
  [[nodiscard]] virtual std::string refuse(std::string_view /*request*/, std::string_view /*why*/) {
    return {};
  }

  // Further words for an agent at work, and the wish that it ends its turn. Empty: it hears
  // neither.
  [[nodiscard]] virtual std::string message(std::string_view /*text*/,
                                            std::string_view /*mark*/) const {
    return {};
  }
  [[nodiscard]] virtual std::string interrupt() { return {}; }

  // The mark in an event that repeats what was said; empty: it is none.
  [[nodiscard]] virtual std::string_view mark_in(const Event& /*event*/) const { return {}; }
  // An event that only tells how far the agent is with what was said.
  [[nodiscard]] virtual bool is_receipt(const Event& /*event*/) const { return false; }
};

// The agent must outlive its wire.
[[nodiscard]] std::unique_ptr<Wire> make_wire(const AgentRow& agent);
[[nodiscard]] std::unique_ptr<Wire> make_claude_wire(std::string_view program);
[[nodiscard]] std::unique_ptr<Wire> make_codex_exec_wire(std::string_view program);
[[nodiscard]] std::unique_ptr<Wire> make_executor_wire();
[[nodiscard]] std::unique_ptr<Wire> make_command_wire();

// Nothing where there is no value.
inline void add_option(std::vector<std::string>& argv, std::string_view option,
                       std::string_view value) {
  if (value.empty()) return;
  argv.emplace_back(option);
  argv.emplace_back(value);
}

}  // namespace dragoman::agent
