// SPDX-License-Identifier: Apache-2.0
// What is kept of a run while it goes on: its summary, its last events, its recording.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/engine/loop.hpp"
#include "dragoman/engine/past.hpp"
#include "dragoman/engine/stream.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/record/recording.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::engine {

// The last events of a run, as JSON for those who ask. A line of text costs a copy and no more.
class LastEvents {
 public:
  static constexpr std::size_t kKept = 50;
  static constexpr std::size_t kLongest = 8 * 1024;  // of one event

  void add(const Event& event);
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Slot {
    std::string text;  // plain text: the words; else the whole line
    std::uint64_t seq = 0;
    std::optional<Timestamp> ts;
    Origin origin;
    bool plain = false;
  };
  std::array<Slot, kKept> slots_;
  std::uint64_t count_ = 0;
};

class Chronicle {
 public:
  // Both must outlive it. `known`: the dialect of the agent.
  Chronicle(record::Recording& recording, const Loop& loop, std::optional<Dialect> known);

  // The summary is that of all turns. Before anything else.
  void go_on(const Past& past);
  void see(const Event& event, EventLine& line);
  // Where one start of the program ends in the raw streams, for playing it again.
  void start_ended(int exit_code);
  void started();  // another one begins

  [[nodiscard]] RunFold& fold() { return fold_; }
  [[nodiscard]] const RunFold& fold() const { return fold_; }
  [[nodiscard]] std::chrono::microseconds since_start() const;
  [[nodiscard]] std::vector<std::string> last_events() const { return last_.lines(); }

 private:
  void write_starts();
  [[nodiscard]] std::string line_of_start(int exit_code) const;

  record::Recording& recording_;
  const Loop& loop_;
  Loop::Time begun_;
  RunFold fold_;
  LastEvents last_;
  std::uint64_t text_ = 0;  // bytes of plain text among the recorded events
  std::string starts_;      // lines of starts.jsonl that are not written yet
  record::File starts_file_;
  unsigned ended_starts_ = 0;
};

}  // namespace dragoman::engine
