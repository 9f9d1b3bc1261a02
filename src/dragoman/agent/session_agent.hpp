// SPDX-License-Identifier: Apache-2.0
// What Claude and Codex have in common: a session that a new start of the program goes on with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/agent.hpp"

namespace dragoman::agent {

class SessionAgent : public Agent {
 public:
  [[nodiscard]] Result<Launch> start(const Request& request, const Locate& locate) const final {
    return launch(request, request.resume, request.prompt, locate);
  }
  [[nodiscard]] Result<Launch> go_on(const Request& request, std::string_view session,
                                     std::span<const Answered> answers,
                                     const Locate& locate) const final {
    DRAGOMAN_TRY(Launch out,
                 launch(request, session,
                        answers.empty() ? request.prompt : answers_as_prompt(answers), locate));
    out.secret = any_secret(answers);
    return out;
  }
  [[nodiscard]] GoesOn goes_on() const final { return GoesOn::by_session; }
  [[nodiscard]] bool is_session_id(std::string_view id) const final { return is_uuid(id); }

 private:
  // `session` empty: a new one. `text` is what it is told.
  [[nodiscard]] virtual Result<Launch> launch(const Request& request, std::string_view session,
                                              std::string_view text,
                                              const Locate& locate) const = 0;
};

// Nothing where there is no value.
inline void add_option(std::vector<std::string>& argv, std::string_view option,
                       std::string_view value) {
  if (value.empty()) return;
  argv.emplace_back(option);
  argv.emplace_back(value);
}

}  // namespace dragoman::agent
