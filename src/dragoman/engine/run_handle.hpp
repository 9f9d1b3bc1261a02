// SPDX-License-Identifier: Apache-2.0
// A run as its owner sees it, wherever it goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/engine/job.hpp"
#include "dragoman/engine/message.hpp"

namespace dragoman::engine {

struct RunOrder {
  RunSpec spec;
  bool asks = true;                   // else a question ends the run
  std::chrono::milliseconds grace{};  // between stop() and the end of what is left
};

struct RunEnd {
  std::optional<Error> not_started;  // then there is no ending
  Ending ending;
};

// Called in the owner's loop, never from within a call to the handle. Of each message that was
// said, and of the spec's, `heard` or `unheard` comes once, before `ended`.
struct RunCalls {
  std::function<void(const KeptQuestion&)> ask;          // again when it has grown
  std::function<void(const std::string& id)> withdrawn;  // the agent wants no answer any more
  std::function<void(std::uint64_t message)> heard;      // the agent has it
  std::function<void(std::uint64_t message)> unheard;  // it does not, and will not in this process
  std::function<void(const RunEnd&)> rested;  // at the end of each turn; also where none was begun
  std::function<void()> ended;                // once, and the last call; may destroy the handle
};

// Law: when `ended` is called no process of the run is left, and its audience is used no more; the
// same when a handle has been destroyed, which kills the agent without grace.
class RunHandle {
 public:
  virtual ~RunHandle() = default;
  virtual void answer(Reply reply) = 0;
  // To an agent at work or at rest; where it cannot be told, `unheard` comes at once.
  virtual void say(Message message) = 0;
  virtual void interrupt_turn() = 0;  // ends the turn; a kept agent stays
  virtual void rest() = 0;            // a kept agent is to leave now; nothing where one is at work
  virtual void end_answers() = 0;
  virtual void stop() = 0;  // as SIGTERM does
  virtual void kill() = 0;  // at once, without grace
  // kill() for any thread and any time, before the agent was started and after the run is over.
  [[nodiscard]] virtual std::function<void()> kill_switch() = 0;
};

// The error says why nothing was begun. The audience may be used in another thread until the end.
using StartRun = std::function<Result<std::unique_ptr<RunHandle>>(
    boost::asio::io_context& owner, RunOrder order, Audience& audience, RunCalls calls)>;

// A run in a thread of its own (ADR 13, 23): what blocks it, such as git's look at a large
// repository, holds up nothing else. `prepare` is called there.
using PrepareRun = std::function<Result<std::unique_ptr<Job>>(RunSpec spec)>;
[[nodiscard]] StartRun run_as_thread(PrepareRun prepare);

}  // namespace dragoman::engine
