// SPDX-License-Identifier: Apache-2.0
// One supervised run of a program: started, watched, ended together with everything it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/process/command.hpp"
#include "dragoman/process/descriptor.hpp"
#include "dragoman/process/exit.hpp"
#include "dragoman/process/facts.hpp"
#include "dragoman/process/watchdog.hpp"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming)
}

namespace dragoman::process {

// The watchdog spoke, and what /proc said at that moment.
struct Alarm {
  Watchdog::Alarm what;
  Facts facts;
};

struct Outcome {
  Exit exit;
  std::optional<Alarm> timeout;  // the limit that ended the run
  bool stopped = false;          // stop() was called before it had ended
};

// All are called from the thread that runs the io_context, never from within a call to the
// Supervisor. Any of them may call the Supervisor; `ended` may also destroy it. Absent ones are
// fine.
struct Handlers {
  // The bytes are valid during the call. Nothing more is read before it returns: a slow handler
  // slows the program down through its pipe, and needs no queue.
  std::function<void(Stream, std::string_view)> output;
  std::function<void()> input_drained;        // everything written has gone into the pipe
  std::function<void(const Alarm&)> alarm;    // warnings, and the timeout just before it acts
  std::function<void(const Outcome&)> ended;  // exactly once, and the last call
};

struct Settings {
  Limits limits = {};
  // Between TERM and KILL, for stop(), for a timeout and for the case that we are killed ourselves.
  std::chrono::milliseconds grace{std::chrono::seconds(5)};
  // After the program has exited, a descendant may hold its pipes open at most that long, the
  // killing of what is left included.
  std::chrono::milliseconds drain{1500};
  // How long the guard may take beyond the grace before we take it for dead: it gives up on
  // unkillable processes after 5 s.
  std::chrono::milliseconds guard_patience{8000};
};

// Ends a run from any thread, at once and without grace; harmless when it has ended. `ended`
// follows as always, from the thread of the io_context.
class KillSwitch {
 public:
  void pull() const;

 private:
  friend class Supervisor;
  KillSwitch(Descriptor control, Descriptor guard)
      : control_(std::move(control)), guard_(std::move(guard)) {}
  Descriptor control_;
  Descriptor guard_;  // names the process for good, also when its number is another's
};

// Law: when `ended` is called, the program and every process it started are gone (or counted in
// Exit::survivors), all output has been handed on, and no zombie and no descriptor is left. The
// same holds when a Supervisor is destroyed early: its processes are killed at once, without grace.
// When we die, however we die, a guard process ends the program and its descendants (ADR 8).
class Supervisor {
 public:
  // Returns when the program runs, or with the reason why not: see exit_code_of(Error). The
  // io_context must outlive the Supervisor and be run by one thread.
  [[nodiscard]] static Result<std::unique_ptr<Supervisor>> start(boost::asio::io_context& io,
                                                                 const Command& command,
                                                                 Settings settings,
                                                                 Handlers handlers);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Of the program, which leads its session and its process group. 0: its guard was killed before
  // it could tell, and the run is about to end as lost.
  [[nodiscard]] pid_t pid() const;

  // Queues bytes for its stdin. When input_pending() grows, wait for input_drained before writing
  // more: nothing is dropped as long as the program lives and reads. After it closed its stdin they
  // are thrown away.
  void write(std::string bytes);
  [[nodiscard]] std::size_t input_pending() const;
  void close_stdin();  // once what is queued has been written; on a terminal: end-of-file there

  // TERM to the whole tree, KILL after the grace. `ended` follows. A second call with a shorter
  // grace shortens it.
  void stop();
  void stop(std::chrono::milliseconds grace);
  // For whoever may not wait until the io_context's thread has time. It must not outlive this.
  [[nodiscard]] Result<KillSwitch> kill_switch() const;
  // A signal to the program's process group and nothing else: SIGINT lets Claude give its result.
  void signal(int number);
  void resize(TerminalSize size);  // of its terminal

  // The watchdog: see Watchdog.
  void result_seen();  // arms after_result
  void work_resumed();
  void pause_limits();  // while a person is asked
  void resume_limits();
  void begin_limits();  // anew, for another turn

  [[nodiscard]] Facts facts() const;

 private:
  class Run;
  explicit Supervisor(std::shared_ptr<Run> run);
  std::shared_ptr<Run> run_;
};

// A process that supervises many runs needs four descriptors for each. Raises the soft limit to the
// hard one; children get the limit back that was there before.
void raise_descriptor_limit();

}  // namespace dragoman::process
