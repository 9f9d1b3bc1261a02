// SPDX-License-Identifier: Apache-2.0
// A `dragoman run` in the registry: seen, answered and cancelled from elsewhere while it goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/cli/console.hpp"
#include "dragoman/cli/run_setup.hpp"
#include "dragoman/engine/desk.hpp"
#include "dragoman/engine/job.hpp"
#include "dragoman/task/live_run.hpp"

namespace dragoman::cli {

// Lives in the thread of the io_context. As a desk it puts each question before the people here and
// everywhere else at the same time. What is said here counts when the registry has taken it: the
// first valid answer wins.
class RunEntry final : public engine::Desk {
 public:
  struct Calls {
    std::function<void(Reply)> answer;  // for the run
    std::function<void()> end_answers;  // nobody can answer any more
    std::function<void()> cancel;
    std::function<void(engine::Message)> say;  // for the agent, from here or from elsewhere
    std::function<void()> interrupt_turn;
    std::function<void(const std::string& why)> refused;  // what was said here
  };
  RunEntry(boost::asio::io_context& io, const RunSetup& setup, const engine::Job& job,
           Console& console, Calls calls);
  ~RunEntry() override;
  RunEntry(const RunEntry&) = delete;
  RunEntry& operator=(const RunEntry&) = delete;

  [[nodiscard]] const std::string& id() const { return live_->id(); }
  void event(const Event& event, engine::EventLine& line) { live_->event(event, line); }
  // A turn has ended, and the agent stays.
  void rest(const engine::Ending& ending);
  // The run ends here: with its turn, or at rest.
  void end(const engine::Ending& ending);
  void end();
  // After the end: a message waits for a turn, which is a runner's.
  [[nodiscard]] bool left_queued() const { return live_->left_queued(); }
  void not_started(const Error& error);

  // Who asks here besides; null: only elsewhere is asked.
  void ask_here(engine::Desk* here) { here_ = here; }
  // What was said here, and that nothing more will be.
  void say(Reply reply);
  void end_saying();
  // A message that was typed here.
  void tell(std::string text);
  void heard(std::uint64_t message) { live_->heard(message); }
  void unheard(std::uint64_t message) { live_->unheard(message); }

  void ask(const KeptQuestion& asked, bool due) override;
  void answered(const agent::Answered& answered) override;
  void withdraw(std::string_view id, agent::Withdrawn how) override;

 private:
  struct Open {
    KeptQuestion asked;
    std::optional<Answer> mine;  // said here, and the registry has not decided yet
    bool decided = false;
  };

  [[nodiscard]] std::string key_of(std::string_view question) const;
  void lost(const std::string& why);
  void say_message(const engine::Message& message);
  void refuse(const std::string& why) { calls_.refused(why); }
  void cancelled(const std::string& reason);
  void settled(const ask::QuestionRecord& question);
  [[nodiscard]] bool is_undecided() const;
  [[nodiscard]] RunFacts facts_of(const engine::Ending& ending);

  boost::asio::io_context& io_;
  Console& console_;
  Calls calls_;
  engine::Desk* here_ = nullptr;
  std::map<std::string, Open, std::less<>> open_;  // by the question's id
  bool lost_ = false;
  bool rests_ = false;
  bool said_all_ = false;
  std::chrono::steady_clock::time_point started_;
  std::unique_ptr<task::LiveRun> live_;
};

}  // namespace dragoman::cli
