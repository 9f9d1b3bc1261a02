// SPDX-License-Identifier: Apache-2.0
// Carries events into the log from a thread that must not wait for a disk.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::task {

// What is handed over is written soon, in order and in as few rows as its pace allows. A disk that
// is full makes it wait and try again; meanwhile at most kMost bytes are held. From the first line
// that does not fit until the log can be written again all lines of its stream are counted and
// thrown away, and a diagnostic event `events_left_out` stands in their place with the count: the
// recording still has them.
class EventPump {
 public:
  static constexpr std::size_t kMost = std::size_t{64} << 20U;

  explicit EventPump(Log& log, std::size_t most = kMost);
  ~EventPump();  // writes what is left
  EventPump(const EventPump&) = delete;
  EventPump& operator=(const EventPump&) = delete;

  void add(const std::string& stream, std::string line);
  // Returns when everything added before is in the log, or cannot be written now. Whether it is.
  bool flush();

  // From here on nobody else may write to the stream. When somebody did, `ours` is asked (from the
  // pump's thread) whether the stream is still ours: then what is waiting goes behind it, else it
  // is thrown away. `last` is its last number, where that is known.
  using Ours = std::function<Result<bool>()>;
  void guard(const std::string& stream, Ours ours, std::optional<std::uint64_t> last = {});
  // What is still waiting for a guarded stream is thrown away: whoever may write to it now is
  // another one.
  void release(const std::string& stream);

 private:
  struct Guarded {
    std::uint64_t id = 0;               // no two have the same
    std::optional<std::uint64_t> last;  // number; absent: not known
    Ours ours;
  };
  struct Lines {
    std::uint64_t guard = 0;  // under which they came
    std::vector<std::string> lines;
    std::uint64_t left_out = 0;  // behind these lines
  };
  using Batch = std::map<std::string, Lines>;

  void work();
  [[nodiscard]] bool take(Batch& batch);
  [[nodiscard]] Batch take_waiting() DRAGOMAN_REQUIRES(mutex_);
  // Takes out what it has written; whether that was all.
  [[nodiscard]] bool write(Batch& batch);
  void put_back(Batch batch) DRAGOMAN_REQUIRES(mutex_);
  [[nodiscard]] Result<std::size_t> already_there(const std::string& stream, std::uint64_t last,
                                                  const std::vector<std::string>& lines);
  // Takes the lines out that need not come again. False: the log does not answer.
  [[nodiscard]] bool write_guarded(const std::string& stream, std::vector<std::string>& lines,
                                   Guarded guarded);
  void remember(const std::string& stream, std::uint64_t guard, std::uint64_t last);

  Log& log_;
  const std::size_t most_;
  Mutex mutex_;
  Condition changed_;
  Batch waiting_ DRAGOMAN_GUARDED_BY(mutex_);
  std::map<std::string, Guarded> guarded_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t guards_ DRAGOMAN_GUARDED_BY(mutex_) = 0;  // how many there were
  std::size_t held_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  bool writing_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool failed_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool hurry_ DRAGOMAN_GUARDED_BY(mutex_) = false;  // somebody waits in flush()
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman::task
