// SPDX-License-Identifier: Apache-2.0
// One run of an agent from its start to its verdict: its program is started as often as its
// questions need it, and everything it says ends up in one stream of events.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/asker.hpp"
#include "dragoman/agent/claims.hpp"
#include "dragoman/agent/control.hpp"
#include "dragoman/agent/open_requests.hpp"
#include "dragoman/agent/pending.hpp"
#include "dragoman/agent/stream.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/record/recording.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::agent {

// Everything that is decided before the start.
struct Plan {
  Request request;
  Locate locate;
  std::vector<std::string> environment;
  process::Limits limits;
  std::chrono::milliseconds grace{std::chrono::seconds(5)};
  bool wait_for_limit = false;
  std::optional<process::TerminalSize> terminal;  // a terminal of its own instead of pipes
  record::CommandRecord command;   // what the recording says was started; kept up to date
  bool fresh_start = false;        // an expired session is followed by a new one without asking
  bool offers_fresh_start = true;  // somebody is there who can be asked about it
  // Questions that an earlier run left open: they are asked before the first start.
  std::vector<Asked> left_open;
  // Judges a command line of the agent. Absent: none is dangerous.
  std::function<CommandRisk(std::string_view command)> judge;
  // Called before a risky command that somebody allowed; says what it did.
  std::function<std::string(const std::string& what)> before_risk;
  // What the run has changed in its directory. Asked once, at the end. Absent, or nothing returned:
  // not known.
  std::function<std::optional<GitChanges>()> changes;
  // Whoever may have to end the agent from another thread. Called at each start. Absent: nobody.
  std::function<void(process::KillSwitch)> launched;
};

struct Ending {
  Verdict verdict;
  RunSummary run;
  ProcessEnd end;
  int exit_code = 0;  // of the program that reports it
  std::optional<process::Alarm> timeout;
  std::vector<Claim> claims;             // of files that are only claimed
  std::vector<Asked> pending;            // what nobody answered
  std::string last_output;               // timeouts: the last 64 KiB
  std::vector<std::string> last_events;  // timeouts: as JSON lines
  bool session_expired = false;
  std::vector<std::string> words;    // behind "--", with the answers so far: executor
  std::vector<std::string> secrets;  // those of them that must not be kept
};

// Whom a session is for.
struct Company {
  Audience& audience;
  Asker* asker = nullptr;  // null: nobody can be asked
};

// Law: `done` is called once, when no process of the agent is left. No answer is ever made up: what
// the asker does not answer stays pending and decides the verdict. Lives in one thread, that of the
// io_context.
class Session {
 public:
  // All references must outlive the Session.
  Session(boost::asio::io_context& io, const AgentRow& agent, Plan plan,
          record::Recording& recording, Company company, std::function<void(Ending)> done);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The error says why the program could not be started; `done` is then not called.
  [[nodiscard]] Result<void> start();

  // Asks the agent to stop; when that takes longer than the grace, or when asked a second time, its
  // processes are ended.
  void interrupt(int signal);

  [[nodiscard]] const std::string& session_id() const { return session_id_; }

  // Something that whoever runs the session has to say in it.
  void diagnose(std::string_view rule, Level level, std::string_view message,
                std::span<const Extra> extra = {});

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::string_view kHiddenLine = "[hidden]\n";  // instead of a secret input
  static constexpr std::size_t kMostWatched = 1024;  // of anything that an agent can repeat

  // session.cpp: starting, reading, ending
  [[nodiscard]] Result<void> launch(const Launch& launch);
  void output(process::Stream stream, std::string_view bytes);
  void handle(const Event& event);
  void see_session(const SessionStarted& started);
  void see_result();
  void see_limit(const RateLimited& limit);
  void watch_stderr(const Event& event);
  void alarm(const process::Alarm& alarm);
  void ended(const process::Outcome& outcome);
  void tick();
  void write(std::string bytes, std::string_view recorded_as);
  void end_for_unread_input();
  void note_launch();
  void write_starts();
  [[nodiscard]] std::chrono::microseconds since_start() const;
  void finish();
  [[nodiscard]] std::optional<GitChanges> changes_without_secrets() const;
  void record_verdict(const Ending& ending, const std::optional<GitChanges>& changes);

  // session_questions.cpp
  void ask_left_open();
  void ask_soon();
  void ask_next();
  void stop_asking(Withdrawn how);
  void take_request(ControlRequest request);
  void refuse_request(const ControlRequest& request, std::string_view why);
  [[nodiscard]] bool was_refused(const Event& event) const;
  void keep_question_of(const Event& event);
  void keep_secret(std::string_view answer);
  void see_question(const Question& question);
  [[nodiscard]] bool admit(Event& event);
  [[nodiscard]] bool repeats_question(const Question& question, const Event& event);
  void take_answer(const std::string& id, std::optional<Answer> answer);
  void respond(const std::string& request_id);
  void give_up_on_questions();
  void go_on_with_answers();
  void offer_fresh_start();

  // session_risks.cpp
  void judge_request(const ControlRequest& request);
  [[nodiscard]] const CommandRisk* risk_of(const Asked& asked) const;
  [[nodiscard]] bool refuse_at_once(const Asked& asked);
  void before_allowing(const Answered& answered);
  void see_tool(const ToolStarted& tool);
  void see_tool(const ToolFinished& tool);
  void warn_of(const std::string& what);

  // session_end.cpp
  void after_end();
  [[nodiscard]] bool wait_for_limit();
  void restart(Result<Launch> launch);

  boost::asio::io_context& io_;
  const AgentRow& agent_;
  Plan plan_;
  record::Recording& recording_;
  Audience& audience_;
  Asker* asker_;
  std::function<void(Ending)> done_;

  RunFold fold_;
  LastEvents last_;
  PendingQuestions pending_;
  EventStream stream_;
  ControlWatch control_;
  OpenRequests requests_;
  std::vector<Answered> conversation_answers_;        // of requests that are not complete yet
  std::vector<Answered> answers_;                     // for the next start
  std::set<std::string, std::less<>> answered_here_;  // the agent has not said yet that it knows
  std::map<std::string, std::string, std::less<>> unasked_;  // dangerous tools by id: what they do
  std::set<std::string, std::less<>> asked_tools_;           // dangerous ones that we are asked for

  std::unique_ptr<process::Supervisor> supervisor_;
  boost::asio::steady_timer ticker_;
  boost::asio::steady_timer waiting_;
  Clock::time_point started_;
  bool running_ = false;
  bool conversing_ = false;  // stdin is open for more
  bool spoke_ = false;       // output since the last tick
  bool idle_told_ = false;
  int silent_ticks_ = 0;
  std::string asking_;  // the question that is before somebody
  bool nobody_answers_ = false;
  bool input_unread_ = false;    // it was ended because it does not read what it is answered
  std::size_t first_input_ = 0;  // bytes of what the program is started with
  bool result_seen_ = false;
  bool expired_ = false;
  bool fresh_start_offered_ = false;
  bool finished_ = false;
  int interrupted_ = 0;
  unsigned limit_waits_ = 0;
  std::uint64_t recorded_text_ = 0;
  unsigned ended_starts_ = 0;
  std::string starts_;  // lines of starts.jsonl that are not written yet
  record::File starts_file_;
  std::string json_;
  std::string session_id_;
  ProcessEnd end_;
  process::Outcome outcome_;
  std::optional<process::Alarm> timeout_;
};

}  // namespace dragoman::agent
