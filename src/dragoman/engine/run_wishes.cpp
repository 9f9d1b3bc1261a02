// SPDX-License-Identifier: Apache-2.0
// A run's questions: put before people, none lost, each answer carried back by the conversation.
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/engine/run.hpp"

namespace dragoman::engine {
namespace {

constexpr std::string_view kFreshStart = "fresh-start";

agent::Asked fresh_start(std::string_view session) {
  agent::Asked offer;
  offer.id = kFreshStart;
  offer.kind = QuestionKind::approval;
  offer.source = QuestionSource::permission;
  offer.header = "Session";
  offer.text =
      fmt::format("Session {} is not known any more. Start a new one with the same task?", session);
  offer.options = {
      {"Start afresh", "a new session that knows nothing of the old one", Grant::allow_once},
      {"Stop", "end the run", Grant::deny}};
  return offer;
}

}  // namespace

void Run::carry_out(agent::Wish& wish) {
  const auto write_to_agent = [this](agent::Write& write_this) {
    if (state_ != State::running && state_ != State::kept) return;
    const std::string shown = write_this.secret ? "[hidden]\n" : write_this.bytes;
    write(std::move(write_this.bytes), shown);
  };
  std::visit(
      Overloaded{
          [&](agent::Write& w) { write_to_agent(w); },
          [this](const agent::Announce& a) { risks_.see(a.request); },
          [this](const agent::Ask& a) { ask(a); },
          [this](const agent::Withdraw& w) {
            risks_.settled(w.id);
            if (with_.desk != nullptr) with_.desk->withdraw(w.id, w.how);
          },
          [this](const agent::Settled& s) { settled(s); },
          [this](const agent::Refused& r) { diagnose("answer_refused", Level::warning, r.why); },
          [this](const agent::Lost& l) { diagnose("answer_lost", Level::error, l.why); },
          [this](const agent::Heard& h) { owner_.heard(h.message); },
          [this](const agent::Unheard& u) {
            stop_.told_more = true;
            owner_.unheard(u.message);
          },
      },
      wish);
}

// People are not asked about what may not be done at all.
void Run::ask(const agent::Ask& ask) {
  const CommandRisk* const risk = risks_.judge(ask);
  if (risk != nullptr && risk->level == CommandRisk::Level::refuse) {
    diagnose("git_blocked", Level::warning, fmt::format("refused: {}", risk->what));
    agent::Reply denial{.id = ask.asked.id};
    denial.text = fmt::format("Denied: this destroys work ({}).", risk->what);
    conversation_.answer(std::move(denial));
    return;
  }
  // What can destroy work is allowed for the one call that the user has seen.
  if (risk != nullptr) conversation_.allow_once_only(ask.asked.id);
  if (with_.desk != nullptr && stop_.signal == 0) {
    with_.desk->ask(ask.asked, ask.due);
  }
}

void Run::settled(const agent::Settled& what) {
  const agent::Answered& answered = what.answered;
  const auto decision = agent::decision_of(answered.asked, answered.answer);
  // A label stands in the question, where everybody has read it.
  if (answered.asked.secret) keep_secret(answered.answer.text);
  const std::string words =
      with_.recording.redacted(agent::answer_words(answered.asked, answered.answer));
  agent::with_payload(
      answered.asked, QuestionState::answered, words,
      [this](const Question& question) { stream_.tell(question, with_.loop.wall()); }, decision);
  if (with_.desk != nullptr) with_.desk->answered(answered);
  const CommandRisk* const risk = risks_.of(answered.asked.id);
  if (risk != nullptr && what.narrowed) {
    diagnose("git_allowed_once", Level::warning,
             fmt::format("allowed for this call alone: it can destroy work ({})", risk->what));
  }
  if (risk != nullptr && plan_.before_risk && decision && *decision != Grant::deny) {
    const std::string done = plan_.before_risk(risk->what);
    if (!done.empty()) diagnose("git_checkpoint", Level::info, done);
  }
  risks_.settled(answered.asked.id);
}

void Run::tell_open(const agent::Asked& asked) {
  agent::with_payload(asked, QuestionState::open, {}, [this](const Question& question) {
    stream_.tell(question, with_.loop.wall());
  });
}

// The agent that reads it may repeat it: trimmed, as shells and people do.
void Run::keep_secret(std::string_view answer) {
  if (!ascii::is_blank(answer)) with_.recording.keep_secret(ascii::trimmed(answer));
}

void Run::withdraw_all() {
  if (with_.desk == nullptr) return;
  for (const agent::Asked& asked : conversation_.questions())
    with_.desk->withdraw(asked.id, agent::Withdrawn::for_good);
  if (std::exchange(asks_afresh_, false))
    with_.desk->withdraw(kFreshStart, agent::Withdrawn::for_good);
}

void Run::warn_of(const std::string& what) {
  diagnose("git_unasked", Level::warning,
           fmt::format("ran without asking: a git operation that can lose work ({})", what));
}

void Run::answer(agent::Reply reply) {
  if (state_ == State::over || stop_.signal != 0) return;
  if (asks_afresh_ && (reply.id == kFreshStart || reply.id.empty())) {
    const agent::Asked offer = fresh_start(conversation_.request().resume);
    const auto answer = agent::read_reply(offer, reply);
    if (!answer) {
      return diagnose("answer_refused", Level::warning,
                      fmt::format("{}: {}", kFreshStart, answer.error().message));
    }
    return decide_fresh_start(agent::decision_of(offer, *answer) == Grant::allow_once);
  }
  conversation_.answer(std::move(reply));
  catch_up();
}

void Run::end_answers() {
  stop_.no_answers = true;
  if (asks_afresh_) return decide_fresh_start(false);
  catch_up();
}

// What the answers that are here change about what comes next.
void Run::look_for_answers() {
  if (state_ == State::over || stop_.signal != 0) return;
  const bool waits = conversation_.waits();
  if (waits && (with_.desk == nullptr || stop_.no_answers)) return give_up();
  if (state_ == State::running) {
    if (waits != start_.limits_pause) {
      start_.limits_pause = waits;
      if (waits) {
        program_->pause_limits();
      } else {
        program_->resume_limits();
        if (start_.result_seen) see_result();
        if (!deferred_.empty()) catch_up();
      }
    }
    return;
  }
  if (state_ == State::kept && waits) return begin_turn();
  if (waits || program_ != nullptr || !conversation_.has_answers()) return;
  auto launch = conversation_.go_on();
  if (!launch) {
    diagnose(launch.error().reason, Level::error, launch.error().message);
    return finish();
  }
  restart(*std::move(launch));
}

// That no answer comes is the verdict. An agent that waits for one is ended.
void Run::give_up() {
  if (std::exchange(stop_.given_up, true)) return;
  if (state_ == State::running) {
    program_->stop();
  } else {
    finish();
  }
}

void Run::offer_fresh_start() {
  fresh_start_offered_ = true;
  if (plan_.fresh_start) return decide_fresh_start(true);
  if (with_.desk == nullptr || stop_.no_answers || !plan_.offers_fresh_start) return finish();
  asks_afresh_ = true;
  with_.desk->ask(fresh_start(conversation_.request().resume), true);
}

void Run::decide_fresh_start(bool afresh) {
  if (std::exchange(asks_afresh_, false) && with_.desk != nullptr)
    with_.desk->withdraw(kFreshStart, agent::Withdrawn::for_good);
  if (!afresh) return finish();
  conversation_.forget_session();
  restart(conversation_.begin());
}

}  // namespace dragoman::engine
