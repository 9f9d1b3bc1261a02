// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dragoman/agent/question.hpp"

namespace dragoman::agent {

// The agent has its answer or wants none, or it is not asked at the moment and may be asked again.
enum class Withdrawn : std::uint8_t { for_good, for_now };

// Puts a question before somebody. One at a time.
class Asker {
 public:
  virtual ~Asker() = default;

  // `done` is called later from the event loop, once: with a valid answer, or with none when there
  // will not be one. It is not called after withdraw().
  virtual void ask(const Asked& asked, std::function<void(std::optional<Answer>)> done) = 0;
  virtual void withdraw(Withdrawn how) = 0;
};

}  // namespace dragoman::agent
