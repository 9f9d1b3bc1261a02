// SPDX-License-Identifier: Apache-2.0
// One `dragoman run` of a task, as a process of its own or as a thread of this one (ADR 13).
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/process/exit.hpp"

namespace dragoman::task {

// What a person would type, and where.
struct RunOrder {
  std::vector<std::string> words;        // "run", "--agent", …
  std::vector<std::string> environment;  // NAME=value, all of it
  std::string directory;
  std::string input;                  // its stdin
  bool talks = false;                 // more of it comes with RunHandle::write()
  std::chrono::milliseconds grace{};  // between stop() and the end of whatever is left
};

// How the one reason begins that `finished` has when the program could not be started.
inline constexpr std::string_view kNotStarted = "not started: ";

// The prompt as the first line of a run that talks, with its end.
[[nodiscard]] std::string prompt_line(std::string_view text);

struct RunEnd {
  int exit_code = 0;
  std::string how;  // for people: "exit code 1"
};

// Called from the thread of the io_context, never from within a call to the handle.
struct RunCalls {
  std::function<void(process::Stream, std::string_view)> output;  // stdout: events as JSON lines
  std::function<void(const RunEnd&)> ended;  // once, and the last call; may destroy the handle
};

// Law: when `ended` is called no process of the run is left; the same when a handle has been
// destroyed, which kills them without grace.
class RunHandle {
 public:
  virtual ~RunHandle() = default;

  // More for its stdin, and its end, where RunOrder says that it talks.
  virtual void write(std::string bytes) = 0;
  virtual void close_input() = 0;
  virtual void stop() = 0;  // as SIGTERM does
  virtual void kill() = 0;  // at once, without grace
  // kill() for any thread and any time, before the agent was started and after the run is over.
  [[nodiscard]] virtual Result<std::function<void()>> kill_switch() = 0;
  // The process by which a run is known to be alive; 0: it is ours.
  [[nodiscard]] virtual pid_t pid() const = 0;
};

using StartRun = std::function<Result<std::unique_ptr<RunHandle>>(boost::asio::io_context& io,
                                                                  RunOrder order, RunCalls calls)>;

// As a process: a crash there costs one run.
[[nodiscard]] StartRun run_as_process(std::string program);

}  // namespace dragoman::task
