// SPDX-License-Identifier: Apache-2.0
// An agent's question as a form that the client shows to its user, and the answer read back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/desk.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// A secret is never asked for in a form; such a question stays open for `dragoman answer`.
[[nodiscard]] bool can_be_elicited(const ask::QuestionRecord& question);
[[nodiscard]] InputRequest elicitation_of(const ask::QuestionRecord& question);

struct Elicited {
  enum class How : std::uint8_t {
    answered,  // recorded, or settled by somebody else meanwhile
    declined,  // by the user: the question stays open
    unfit,     // what came is no answer: the question stays open
  };
  How how = How::answered;
  std::string problem = {};  // of what is unfit
};
// `result`: what the client sent; hostile.
[[nodiscard]] Elicited take_elicited(ask::Desk& desk, const ask::QuestionRecord& question,
                                     std::string_view result, std::string_view by);

}  // namespace dragoman::mcp
