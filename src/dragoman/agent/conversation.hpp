// SPDX-License-Identifier: Apache-2.0
// One agent's side of a talk, without a process, a clock or a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dragoman/agent/pending.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/agent/wire.hpp"

namespace dragoman::agent {

// An answer as a person or a program gave it, perhaps before the question is known. One of the
// three forms is there, or options and text together.
struct Reply {
  std::string id;                         // empty: of the question that is asked first
  std::optional<std::string> typed = {};  // as a person types it: run/answer.hpp
  std::optional<std::vector<std::size_t>> options = {};  // by number
  // Taken literally; beside an option that denies, the reason.
  std::optional<std::string> text = {};
  friend bool operator==(const Reply&, const Reply&) = default;
};
[[nodiscard]] Result<Answer> read_reply(const Asked& asked, const Reply& reply);

// The agent wants no answer any more, or it does not wait at the moment and may be asked again.
enum class Withdrawn : std::uint8_t { for_good, for_now };

// What a conversation wants done, in this order.
struct Write {  // to the agent's stdin
  std::string bytes;
  bool secret = false;  // not to be written down
  friend bool operator==(const Write&, const Write&) = default;
};
struct Announce {  // what the agent will ask permission for
  OpenRequest request;
  friend bool operator==(const Announce&, const Announce&) = default;
};
struct Ask {  // people are to be asked; again when the question has grown or becomes due
  Asked asked;
  bool due = false;     // the agent waits for the answer now
  std::string command;  // what it wants to run, as it said it
  friend bool operator==(const Ask&, const Ask&) = default;
};
struct Withdraw {
  std::string id;
  Withdrawn how = Withdrawn::for_good;
  friend bool operator==(const Withdraw&, const Withdraw&) = default;
};
struct Settled {  // a valid answer was given
  Answered answered;
  bool narrowed = false;  // it allowed more than the one call that may be allowed
  friend bool operator==(const Settled&, const Settled&) = default;
};
struct Refused {  // an answer that is none
  std::string why;
  friend bool operator==(const Refused&, const Refused&) = default;
};
struct Lost {  // an answer that could not be carried to the agent
  std::string why;
  friend bool operator==(const Lost&, const Lost&) = default;
};
struct Heard {  // the agent has a message
  std::uint64_t message = 0;
  friend bool operator==(const Heard&, const Heard&) = default;
};
struct Unheard {  // it does not have it, and will not in this program
  std::uint64_t message = 0;
  friend bool operator==(const Unheard&, const Unheard&) = default;
};
using Wish = std::variant<Write, Announce, Ask, Withdraw, Settled, Refused, Lost, Heard, Unheard>;

// The engine runs the agent's program: it tells the conversation what the program says and what
// people say, and carries out its wishes after each call.
//
// Laws, over every protocol (tests/agent/conversation_laws_test.cpp):
// - how the bytes are cut does not matter;
// - a request of the agent is answered, refused or withdrawn exactly once, and one that is not
//   understood is refused at once;
// - no answer is ever made up, and none is given twice;
// - an answer that comes before, while or after its question is open is treated alike: it counts
//   once, for the asking that has its id;
// - the same words asked again are a question of their own;
// - a message that is said is heard or unheard, once, and what is unheard after it was written was
//   not taken by an agent that tells what it takes;
// - nothing is written after the end of the input;
// - memory is bounded, whatever the agent and the people say.
class Conversation {
 public:
  static constexpr std::size_t kMostEarly = 4096;  // answers before their questions
  static constexpr std::size_t kMostEarlyBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kMostWatched = 1024;  // of anything that an agent can repeat
  static constexpr std::size_t kMostSaid = 1024;     // messages that the agent has not taken yet
  static constexpr std::size_t kMostSaidBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kLongestSaid = std::size_t{2} << 20U;  // its echo must be read

  // `salt` is another for each conversation with an agent that keeps sessions: what is said in one
  // must not look like a repetition of what was said in another.
  Conversation(const AgentRow& agent, Request request, std::uint64_t salt = 0);
  ~Conversation();

  // ---- The agent's program. argv[0] of a launch is still to be looked up.
  [[nodiscard]] Launch begin();
  // With the answers that wait for the next start, or with these words. The error says why the
  // agent cannot be told.
  [[nodiscard]] Result<Launch> go_on();
  [[nodiscard]] Launch go_on_with(std::string_view text);
  void forget_session();  // the agent does not know it any more
  void started(const Launch& launch);
  void ended();
  void hear(std::string_view stdout_bytes);  // as they came, before anything is taken out
  // An event of its reader, before it is given a number. False: it only says again what was said.
  [[nodiscard]] bool admit(Event& event);
  void see(const Event& event);

  // ---- People.
  // To the agent at work. It is written when the agent is known to tell what it takes: only then is
  // known what it has not taken. Another agent is told with its next start, by the owner of the
  // message.
  void say(std::uint64_t message, std::string text);
  // The agent has ended a turn. False: something that was said is still on its way to it, and will
  // be a turn of its own. What could not be written by now is unheard.
  [[nodiscard]] bool has_heard_all();
  void answer(Reply reply);
  // Of this permission no more than the one call is to be allowed, whatever is answered.
  void allow_once_only(const std::string& id);
  // Of an earlier turn: what is asked under that id is another asking.
  void know_question(const std::string& id);
  // No question is open any more, and what is asked from here on is another one.
  [[nodiscard]] std::vector<Asked> withdraw_all();
  // The program is gone, and what it left open is asked now.
  void ask_rest();
  // The agent is to end its turn. False: it cannot be told in the conversation.
  [[nodiscard]] bool interrupt();
  void close();  // no more words for the program that runs

  // ---- What to do. Questions that came with one line are known together, so wishes are made when
  // the whole of it has been read.
  [[nodiscard]] std::vector<Wish> take_wishes();

  [[nodiscard]] bool is_open() const { return open_; }  // its stdin takes more
  // The program takes further messages, and tells so.
  [[nodiscard]] bool listens() const { return open_ && echoes_; }
  // The event is what people have said, as the agent has taken it.
  [[nodiscard]] bool is_message(const Event& event) const { return !wire_->mark_in(event).empty(); }
  [[nodiscard]] bool waits() const { return !due_.empty(); }
  [[nodiscard]] bool has_answers() const { return !answers_.empty(); }
  [[nodiscard]] const std::vector<Asked>& questions() const { return pending_.all(); }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] const std::string& session() const { return session_; }

 private:
  [[nodiscard]] std::string next_mark();
  void take_echo(std::string_view mark);
  void write_said();
  void give_back(bool written_too);
  [[nodiscard]] bool was_refused(const Event& event) const;
  [[nodiscard]] bool repeats(const Question& question, const Event& event);
  void see_question(const Question& question);
  void note_dropped(std::string_view request, QuestionState state);
  void drop_requests();
  void catch_up();
  void offer(const std::string& id);
  void try_early(const std::string& id);
  [[nodiscard]] bool try_answer(const Asked& asked, const Reply& reply);
  [[nodiscard]] bool narrow(const Asked& asked, Answer& answer) const;
  void settle(const std::string& id);
  void respond(const std::string& request);
  [[nodiscard]] bool is_due(const Asked& asked) const;

  struct Said {
    std::uint64_t message = 0;
    std::string text;
    std::string mark;  // empty: not written yet
  };

  std::unique_ptr<Wire> wire_;
  GoesOn goes_on_;
  Request request_;
  std::string session_;
  PendingQuestions pending_;
  std::vector<Wish> wishes_;
  std::vector<std::string> fresh_;  // ids that were opened or have changed
  std::vector<std::pair<std::string, QuestionState>> dropped_;  // requests without a question
  std::vector<std::string> offered_;                            // ids that people were asked since
  std::map<std::string, Asked, std::less<>> asked_;             // as people were asked
  std::vector<std::string> due_;  // those whose answer the agent waits for
  std::deque<Reply> early_;       // in the order in which they came
  std::size_t early_bytes_ = 0;
  std::set<std::string, std::less<>> settled_;        // questions that need no answer any more
  std::deque<std::string> settled_in_order_;          // the first of too many is forgotten
  std::set<std::string, std::less<>> once_only_;      // open permissions
  std::set<std::string, std::less<>> answered_here_;  // the agent has not said yet that it knows
  std::vector<Answered> parts_;                       // of requests that are not complete yet
  std::vector<Answered> answers_;                     // for the next start
  std::vector<Said> said_;                            // and neither heard nor unheard
  std::size_t said_bytes_ = 0;
  std::set<std::string, std::less<>> taken_;  // marks of messages whose event is still to come
  std::uint64_t salt_;
  std::uint64_t marks_ = 0;
  bool echoes_ = false;  // the program has told that it took something
  bool running_ = false;
  bool open_ = false;
  bool asks_rest_ = false;
};

}  // namespace dragoman::agent
