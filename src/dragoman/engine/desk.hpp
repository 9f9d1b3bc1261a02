// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "dragoman/agent/conversation.hpp"

namespace dragoman::engine {

// Where a run puts its questions before people or programs. Their answers come by Run::answer(),
// at any time and in any order. Called from the run's thread, never from within answer().
class Desk {
 public:
  virtual ~Desk() = default;

  // `due`: the agent waits for the answer now. A question comes again when it has grown or becomes
  // due.
  virtual void ask(const KeptQuestion& asked, bool due) = 0;
  // This answer counts.
  virtual void answered(const agent::Answered& answered) = 0;
  virtual void withdraw(std::string_view id, agent::Withdrawn how) = 0;
};

}  // namespace dragoman::engine
