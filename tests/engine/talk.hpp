// SPDX-License-Identifier: Apache-2.0
// A talk of an agent's program with people, and what leads a conversation through it the way
// engine::Run does, watching the laws of agent::Conversation.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/agent/conversation.hpp"
#include "dragoman/engine/stream.hpp"

namespace dragoman::test {

struct Says {
  std::string bytes;
};
struct Answers {
  std::size_t question = 0;  // of those that people were asked, from 0
  std::string typed;
  std::string id = {};  // given: this one, whatever was asked
};
struct Sends {  // a message
  std::uint64_t number = 0;
  std::string text;
};
struct Echoes {};  // the agent takes everything that was said to it
struct Interrupts {};
struct Closes {};
struct Ends {};  // the program
using Step = std::variant<Says, Answers, Sends, Echoes, Interrupts, Closes, Ends>;

struct Talk {
  std::string name;
  agent::Protocol protocol = agent::Protocol::command;
  std::string prompt;
  std::vector<Step> steps;
  bool recorded = false;  // with a real agent
  bool patient = true;    // it waits for every answer, so that early ones change nothing
  std::vector<std::string> heard = {};  // recorded: what was written to it, a line each
};

// Of every protocol there is at least one.
[[nodiscard]] std::vector<Talk> talks();
[[nodiscard]] std::vector<Talk> recorded_claude_talks();

// Where the bytes are cut, counted over the whole talk.
using IsCut = std::function<bool(std::size_t)>;

class Player {
 public:
  explicit Player(const agent::AgentRow& agent, const Talk& talk, IsCut is_cut = {});

  void play(const std::vector<Step>& steps);
  void take(const Step& step);
  void say(std::string_view bytes);
  void answer(agent::Reply reply);
  void close();
  void end();

  // What was broken, a line each; empty: nothing.
  [[nodiscard]] std::string broken() const { return broken_; }
  // Everything that came of it, apart from how often people were asked the same.
  [[nodiscard]] std::string outcome() const;

  agent::Conversation conversation;
  std::vector<std::string> starts;     // command line and input
  std::vector<std::string> written;    // lines to its stdin, behind the first input
  std::vector<std::string> announced;  // requests
  std::vector<std::string> settled;    // "id answer"
  std::vector<std::string> refused;
  std::vector<std::string> lost;
  std::vector<std::uint64_t> heard;
  std::vector<std::uint64_t> unheard;
  std::vector<std::string> ids;          // that people were asked to answer now, in that order
  std::map<std::string, bool> desk;      // what lies before people, and whether it is due
  std::map<std::string, int> responses;  // by request, as JSON
  std::string events;

 private:
  void begin(agent::Launch launch);
  void echo();
  void became(std::vector<std::uint64_t>& of, std::uint64_t message);
  void settle();
  void carry_out(const agent::Wish& wish);
  void wrote(const agent::Write& write);
  void put(const agent::Ask& ask);
  void look();
  void hear_line(std::string_view line);
  void check_requests();
  void complain(std::string_view what, std::string_view about);

  const agent::AgentRow& agent_;
  IsCut is_cut_;
  engine::EventStream stream_;
  std::size_t said_ = 0;
  std::string line_;
  std::vector<std::string> taking_;  // what was said to it and it has not repeated yet
  bool running_ = false;
  bool closed_ = false;
  int unreadable_ = 0;                            // lines that may be requests
  std::map<std::string, int> waiting_;            // requests that nothing has become of yet
  std::map<std::string, std::string> asked_for_;  // by question: its request
  std::set<std::string> withdrawn_;               // requests whose questions were
  std::set<std::string> settled_ids_;
  std::string broken_;
};

}  // namespace dragoman::test
