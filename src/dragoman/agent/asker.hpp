// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "dragoman/agent/question.hpp"

namespace dragoman::agent {

// Puts a question before somebody. One at a time.
class Asker {
 public:
  virtual ~Asker() = default;

  // `done` is called later from the event loop, once: with a valid answer, or with none when there
  // will not be one. It is not called after withdraw().
  virtual void ask(const Asked& asked, std::function<void(std::optional<Answer>)> done) = 0;
  virtual void withdraw() = 0;
};

}  // namespace dragoman::agent
