// SPDX-License-Identifier: Apache-2.0
// Where a turn ends and the next one begins, and what people say in between.
#include <algorithm>
#include <csignal>
#include <utility>

#include "dragoman/engine/run.hpp"

namespace dragoman::engine {

void Run::go_on() {
  chronicle_.go_on(*plan_.past);
  stream_.go_on(plan_.past->position);
  plan_.past->events.clear();
  for (const AskedQuestion& asked : chronicle_.fold().summary().questions)
    conversation_.know_question(asked.id);
}

// What earlier turns have left open is not what this one is about.
void Run::leave_past_behind() {
  for (const std::string& note : plan_.past->notes)
    diagnose("recording_damaged", Level::warning, note);
  for (const AskedQuestion& question : chronicle_.fold().summary().questions) {
    if (!question.pending()) continue;
    KeptQuestion asked;
    asked.id = question.id;
    asked.kind = question.kind;
    asked.header = question.header;
    asked.text = question.text;
    with_payload(asked, QuestionState::withdrawn, {},
                 [this](const Question& withdrawn) { stream_.tell(withdrawn, with_.loop.wall()); });
  }
}

// Tasks in the background of the program that runs; those of one before ended with it.
bool Run::works_behind_the_result() const {
  return std::ranges::any_of(chronicle_.fold().in_flight(), [this](const std::string& task) {
    return std::ranges::find(start_.in_flight, task) == start_.in_flight.end();
  });
}

// The agent is asked nothing and has nothing in its background.
void Run::see_end_of_turn() {
  if (stop_.turn && conversation_.listens()) return rest();
  if (!conversation_.has_heard_all()) {
    // What is on its way to the agent is its next turn. One that was stopped must not begin it.
    if (stop_.signal != 0) return program_->kill();
    return program_->result_seen();
  }
  if (may_stay()) return rest();
  if (conversation_.is_open()) program_->close_stdin();
  conversation_.close();
  program_->result_seen();
}

// Whoever has left questions open goes on with their answers, by another start.
bool Run::may_stay() const {
  if (plan_.keep.count() <= 0 || stop_.signal != 0 || !conversation_.listens()) return false;
  return conversation_.questions().empty() && !is_limited();
}

void Run::rest() {
  waiting_->cancel();
  ticker_->cancel();
  end_ = {};
  if (std::exchange(stop_.turn, false)) end_.ended_by = EndedBy::cancel;
  program_->pause_limits();
  Ending ending = conclude();
  state_ = State::kept;
  owner_.rested(std::move(ending));
  stay();
}

// A message that is on its way already will be heard; else the agent is given some time.
void Run::stay() {
  if (state_ != State::kept || !conversation_.is_open()) return;
  if (!conversation_.has_heard_all()) return program_->begin_limits();
  keep_->after(plan_.keep, [this] { leave(); });
}

void Run::leave() {
  if (state_ != State::kept || !conversation_.has_heard_all()) return;
  depart();
}

// Its input ends, and with that the program.
void Run::depart() {
  keep_->cancel();
  if (!conversation_.is_open()) return;
  conversation_.close();
  program_->begin_limits();
  program_->close_stdin();
  program_->result_seen();
}

void Run::begin_turn() {
  keep_->cancel();
  state_ = State::running;
  end_ = {};
  timeout_.reset();
  start_.result_seen = false;
  with_.recording.turn_began();
  if (program_ != nullptr) program_->begin_limits();
  tick();
}

// Its program has gone while no turn went on: what that turn was, has been told.
void Run::program_left(const process::Outcome& outcome) {
  chronicle_.start_ended(process::exit_code_of(outcome.exit));
  with_.loop.post([this] {
    program_.reset();
    catch_up();
    record_exit(Turn::before_it);
    state_ = State::over;
    owner_.ended();
  });
}

void Run::say(Message message) {
  if (state_ == State::over || stop_.signal != 0) return owner_.unheard(message.number);
  const bool was_at_rest = state_ == State::kept && conversation_.has_heard_all();
  conversation_.say(message.number, std::move(message.text));
  if (was_at_rest && conversation_.is_open()) {
    keep_->cancel();
    program_->begin_limits();
  }
  catch_up();
  // It waits for answers that this message stands in for, and no program is there to hear it.
  const bool by_session = plan_.agent->goes_on == agent::GoesOn::by_session;
  if (state_ != State::resting || program_ != nullptr || !by_session) return;
  if (!conversation_.waits() || asks_afresh_) return;
  withdraw_questions();
  finish();
}

void Run::withdraw_questions() {
  withdraw_all();
  for (const KeptQuestion& asked : conversation_.withdraw_all()) {
    with_payload(asked, QuestionState::withdrawn, {},
                 [this](const Question& question) { stream_.tell(question, with_.loop.wall()); });
  }
}

void Run::interrupt_turn() {
  if (state_ == State::over) return;
  const bool is_coming = state_ == State::kept && !conversation_.has_heard_all();
  if (state_ == State::kept && !is_coming) return;
  if (is_coming) begin_turn();
  withdraw_questions();
  if (plan_.keep.count() <= 0 || state_ == State::resting || !conversation_.is_open())
    return interrupt(SIGINT);
  if (std::exchange(stop_.turn, true)) return program_->kill();
  (void)conversation_.interrupt();
  catch_up();
  end_in_grace();
}

// It was asked to end; after the grace it is ended.
void Run::end_in_grace() {
  waiting_->after(plan_.grace, [this] {
    if (state_ == State::running || state_ == State::kept) program_->kill();
  });
}

}  // namespace dragoman::engine
