// SPDX-License-Identifier: Apache-2.0
// A run of many turns beside a model of it: its owner, who brings each message until it is heard,
// and an agent that takes what it is told when it likes. Each of them may die at any time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/fakes.hpp"
#include "tests/support/random.hpp"

namespace dragoman::test {

class TurnsModel {
 public:
  TurnsModel(std::string_view agent, std::uint64_t seed);

  void step();              // a random one of all that can happen
  void bring_to_its_end();  // nothing more is said, and nobody dies
  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] const std::string& story() const { return story_; }

 private:
  enum class Fate : std::uint8_t { waiting, said, heard, undelivered };

  // The owner
  void begin();
  void send();
  void say_waiting();
  void interrupt_turn();
  void kill_owner();
  void answer();
  void rested(const engine::Ending& ending);
  [[nodiscard]] std::uint64_t next_waiting() const;  // 0: none

  // The agent
  void work();
  void read_input();
  void take(const std::string& line);
  void ask();
  void finish_turn(bool ok);
  void die(bool crash);
  void says(const std::string& bytes);
  [[nodiscard]] bool is_claude() const { return agent_ != "codex"; }

  void check();
  void complain(std::string_view what, std::uint64_t about = 0);
  void tell(std::string_view what);

  Random random_;
  std::string agent_;
  bool echoes_;
  bool keeps_;
  FakeLoop loop_;
  std::unique_ptr<FakeSpawner> spawner_;
  std::unique_ptr<FakeDesk> desk_;
  std::unique_ptr<FakeAudience> audience_;
  std::unique_ptr<record::Recording> recording_;
  std::unique_ptr<engine::Run> run_;

  std::vector<std::string> events_;  // of all processes
  std::map<std::uint64_t, Fate> messages_;
  std::map<std::uint64_t, int> taken_;  // how often the agent has a message
  std::uint64_t sent_ = 0;
  int ends_ = 0;
  int rests_ = 0;
  int all_rests_ = 0;
  bool lives_ = false;  // the program
  bool calm_ = false;   // nobody dies any more

  std::size_t read_ = 0;          // of the input of the program
  std::deque<std::string> told_;  // lines that it has read and not taken
  bool working_ = false;
  bool interrupted_ = false;  // the agent was told
  std::string permission_;    // that it waits for
  std::size_t named_ = 0;
  // The turn, as the model sees it.
  bool cancelled_ = false;
  std::optional<bool> result_;  // the last of all turns
  bool unfinished_ = false;     // it works behind that
  std::optional<bool> exit_;    // of the program: good
  std::string broken_;
  std::string story_;
};

}  // namespace dragoman::test
