// SPDX-License-Identifier: Apache-2.0
// A run beside a model of it: what is said and done to the one is said of the other, and after each
// step both are compared.
#pragma once

#include <csignal>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/fakes.hpp"
#include "tests/support/random.hpp"

namespace dragoman::test {

// A question as its agent has it, found by its text, which no other has.
struct ModelQuestion {
  std::string text;
  std::string id;       // as far as it is known before people are asked
  std::string call;     // Claude: of the tool
  std::string request;  // Claude: that waits for the answer; empty: none does
  std::size_t start = 0;
  bool has_options = false;
  bool asked_as_tool = false;
  bool permission = false;
  bool blocked = false;
  bool open = true;
  bool due = false;
};

class RunModel {
 public:
  RunModel(const agent::AgentRow& agent, std::uint64_t seed);

  // A random one of all that can happen.
  void step();
  // Until the run is over, without answers.
  void bring_to_its_end();

  [[nodiscard]] bool is_over() const { return over_; }
  // What is not as it should be; empty: nothing.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] const std::string& story() const { return story_; }

 private:
  // What the agent does
  void speak();
  void say(const std::string& bytes, bool in_two = false);
  void speak_claude();
  void speak_codex();
  void speak_executor();
  void speak_command();
  void ask(ModelQuestion question, const std::string& bytes);
  void finish_tool();
  void end_program();
  void rest();
  void restart();

  // What people do
  void answer();
  void give(const std::string& id, const std::string& typed);
  void interrupt();
  void end_answers();

  void settle(ModelQuestion& question);
  [[nodiscard]] bool is_valid(const ModelQuestion& question, const std::string& typed) const;
  [[nodiscard]] bool has_early(const ModelQuestion& question) const;
  [[nodiscard]] ModelQuestion* with_text(const std::string& text);
  [[nodiscard]] std::string id_of(const ModelQuestion& question) const;
  [[nodiscard]] bool any_due() const;
  [[nodiscard]] bool is_listened_to() const;  // the agent takes responses
  [[nodiscard]] bool is_structured() const;
  [[nodiscard]] std::string verdict() const;

  void check();
  void check_writes();
  void check_desk();
  void check_end();
  void complain(std::string_view what, std::string_view about = {});
  void tell(std::string_view what);

  const agent::AgentRow& agent_;
  Random random_;
  bool has_desk_;
  FakeRun run_;

  std::vector<ModelQuestion> questions_;
  std::map<std::string, std::vector<std::string>> early_;  // by id: what was typed
  std::size_t number_ = 0;                                 // of the next thing with a name
  std::size_t starts_ = 1;
  bool running_ = true;
  bool over_ = false;
  bool has_session_ = false;
  bool said_init_ = false;  // in this start
  bool half_ = false;       // a line is not complete
  bool interrupted_ = false;
  bool no_answers_ = false;
  bool given_up_ = false;
  bool not_started_again_ = false;
  bool good_exit_ = false;
  bool ended_by_us_ = false;
  std::optional<bool> last_turn_;
  bool another_began_ = false;
  bool claimed_ = false;

  std::size_t read_ = 0;                  // of the input of the start that runs
  std::map<std::string, int> responses_;  // by request
  std::set<std::string> requests_;        // of the start that runs
  std::string broken_;
  std::string story_;
};

}  // namespace dragoman::test
