// SPDX-License-Identifier: Apache-2.0
// One run of an agent from its start to its verdict: its program is started as often as the
// conversation needs it, and everything it says ends up in one stream of events.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/agent/conversation.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/engine/chronicle.hpp"
#include "dragoman/engine/claims.hpp"
#include "dragoman/engine/desk.hpp"
#include "dragoman/engine/loop.hpp"
#include "dragoman/engine/message.hpp"
#include "dragoman/engine/past.hpp"
#include "dragoman/engine/program.hpp"
#include "dragoman/engine/risks.hpp"
#include "dragoman/engine/stream.hpp"
#include "dragoman/record/recording.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::engine {

// Everything that is decided before the start.
struct Plan {
  const agent::AgentRow* agent = nullptr;
  agent::Request request;
  agent::Locate locate;
  std::vector<std::string> environment;
  process::Limits limits;
  std::chrono::milliseconds grace{std::chrono::seconds(5)};
  std::optional<Past> past;           // of a run that goes on
  std::chrono::milliseconds keep{0};  // the agent stays for so long after a turn
  std::optional<Message> message;     // the prompt; the agent has heard it when it was started
  bool wait_for_limit = false;
  std::optional<process::TerminalSize> terminal;  // a terminal of its own instead of pipes
  record::CommandRecord command;   // what the recording says was started; kept up to date
  bool fresh_start = false;        // an expired session is followed by a new one without asking
  bool offers_fresh_start = true;  // people are there who can be asked about it
  // Questions that an earlier run left open: they are asked before the first start.
  std::vector<agent::Asked> left_open;
  JudgeCommand judge;
  // Called before a risky command that people allowed; says what it did.
  std::function<std::string(const std::string& what)> before_risk;
  // What the run has changed in its directory. Asked once, at the end. Absent, or nothing returned:
  // not known.
  std::function<std::optional<GitChanges>()> changes;
  // Gets the switch that ends the agent from another thread, at each start. Absent: none is needed.
  std::function<void(process::KillSwitch)> launched;
};

struct Ending {
  Verdict verdict;
  RunSummary run;
  ProcessEnd end;
  int exit_code = 0;  // of the program that reports it
  std::optional<process::Alarm> timeout;
  std::vector<Claim> claims;             // of files that are only claimed
  std::vector<agent::Asked> pending;     // what is not answered
  std::string last_output;               // timeouts: the last 64 KiB
  std::vector<std::string> last_events;  // timeouts: as JSON lines
  bool session_expired = false;
  std::vector<std::string> words;    // behind "--", with the answers so far: executor
  std::vector<std::string> secrets;  // those of them that must not be kept
  std::vector<Error> faults;         // what could not be written down
};

// What the owner of a run is told, in the run's thread. Of each message that was said, and of the
// plan's, `heard` or `unheard` comes once, before `ended`.
struct Owner {
  std::function<void(Ending)> rested;  // a turn has ended
  std::function<void()> ended;         // once, and the last call: no process of the agent is left
  std::function<void(std::uint64_t message)> heard = [](std::uint64_t) {};
  std::function<void(std::uint64_t message)> unheard = [](std::uint64_t) {};
};

// What a run works with. All of it must outlive the run.
struct Services {
  Loop& loop;
  Spawner& spawner;
  record::Recording& recording;
  Audience& audience;
  Desk* desk = nullptr;  // null: nothing can be asked
};

// A run has turns. One that is to be kept rests after a turn with its program alive, when that
// listens, and the next message begins the next turn there; any other run has one turn here, which
// ends with its last program.
//
// Law: each turn that began ends with one event `finished` and one call of `rested`. `ended` is
// called once, when no process of the agent is left. No answer is ever made up: what is not
// answered stays pending and decides the verdict. Lives in one thread, that of the loop.
class Run {
 public:
  Run(const Services& services, Plan plan, Owner owner);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // The error says why the program could not be started; the owner is then told nothing.
  [[nodiscard]] Result<void> start();

  // What a person or a program says to a question, at any time: see agent::Conversation.
  void answer(agent::Reply reply);
  // No more answers will come: those that are here count, and what is then still open decides.
  void end_answers();

  // To the agent, wherever it stands; see Owner for what becomes of it.
  void say(Message message);
  // Ends the turn and withdraws what it has asked. A kept agent stays, any other is ended with it.
  void interrupt_turn();
  void leave();  // a kept agent is to go now; nothing where a turn goes on
  // A turn has ended, and the agent is kept. Known when the owner is told of its end.
  [[nodiscard]] bool is_kept() const { return state_ == State::kept; }

  // Asks the agent to stop; when that takes longer than the grace, or when asked a second time, its
  // processes are ended.
  void interrupt(int signal);

  [[nodiscard]] const std::string& session_id() const { return conversation_.session(); }

  // Something that the owner of the run has to say in it.
  void diagnose(std::string_view rule, Level level, std::string_view message,
                std::span<const Extra> extra = {});

 private:
  // run.cpp: starting, reading, ending
  [[nodiscard]] Result<void> launch(agent::Launch launch);
  [[nodiscard]] process::Handlers handlers();
  void output(process::Stream stream, std::string_view bytes);
  void handle(const Event& event);
  void watch_turn(const Event& event);
  void see_session(const SessionStarted& started);
  void see_result();
  void see_end_of_turn();
  void watch_stderr(const Event& event);
  void alarm(const process::Alarm& alarm);
  void ended(const process::Outcome& outcome);
  void tick();
  void write(std::string bytes, std::string_view recorded_as);
  void end_for_unread_input();
  void later(std::function<void()> call) { deferred_.push_back(std::move(call)); }
  // Does what the conversation wants, and what had to wait until a line was read as a whole.
  void catch_up();

  // run_turns.cpp
  void go_on();
  void leave_past_behind();
  [[nodiscard]] bool may_stay() const;
  void rest();
  void begin_turn();
  void tell_message();
  void stay();
  void depart();
  void withdraw_questions();
  void program_left(const process::Outcome& outcome);
  void end_in_grace();
  [[nodiscard]] bool works_behind_the_result() const;

  // run_wishes.cpp
  void carry_out(agent::Wish& wish);
  void ask(const agent::Ask& ask);
  void settled(const agent::Settled& what);
  void tell_open(const agent::Asked& asked);
  void keep_secret(std::string_view answer);
  void withdraw_all();
  void warn_of(const std::string& what);
  void look_for_answers();
  void give_up();
  void offer_fresh_start();
  void decide_fresh_start(bool afresh);

  // run_end.cpp
  void see_limit(const RateLimited& limit);
  void tell_waiting(const std::string& message, const std::string& resets_at);
  void after_end();
  [[nodiscard]] bool is_limited() const;
  [[nodiscard]] bool wait_for_limit();
  void restart(agent::Launch launch);
  void finish();
  [[nodiscard]] Ending conclude();
  [[nodiscard]] std::optional<GitChanges> changes_without_secrets() const;
  void record_verdict(const Ending& ending, const std::optional<GitChanges>& changes);
  enum class Turn : std::uint8_t { with_the_program, before_it };  // ended
  void record_exit(Turn turn);

  // kept: its program is there, and no turn goes on. resting: no program is there.
  enum class State : std::uint8_t { starting, running, kept, resting, over };

  // What has been seen of the start that runs, or of the last one.
  struct Start {
    std::size_t first_input = 0;  // bytes of what the program was started with
    bool result_seen = false;
    bool expired = false;                // its session is not known any more
    bool limits_pause = false;           // while people are asked
    std::vector<std::string> in_flight;  // tasks of programs before it, of which nothing will come
    process::Outcome outcome;
  };
  // Why the run is to end.
  struct Stop {
    int signal = 0;             // the user interrupted it with that
    bool no_answers = false;    // none will come any more
    bool given_up = false;      // and one is wanted
    bool input_unread = false;  // the agent does not read what it is answered
    bool turn = false;          // the turn alone was interrupted
    bool told_more = false;     // a message waits for the next start
  };
  // Output that comes, and does not come for a while.
  struct Silence {
    bool spoke = false;  // since the last tick
    bool idle_told = false;
    int ticks = 0;
  };

  Services with_;
  Plan plan_;
  Owner owner_;
  agent::Conversation conversation_;
  Chronicle chronicle_;
  EventStream stream_;
  Risks risks_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Timer> ticker_;
  std::unique_ptr<Timer> waiting_;
  std::unique_ptr<Timer> keep_;
  State state_ = State::starting;
  Start start_;
  Stop stop_;
  Silence silence_;
  bool asks_afresh_ = false;  // whether to begin a new session: before people now
  bool fresh_start_offered_ = false;
  unsigned limit_waits_ = 0;
  std::vector<std::function<void()>> deferred_;
  bool catching_up_ = false;
  std::string line_;
  ProcessEnd end_;
  std::optional<process::Alarm> timeout_;
};

}  // namespace dragoman::engine
