// SPDX-License-Identifier: Apache-2.0
// A session's questions: asked one by one, none lost, each answer carried back the way the agent
// expects it.
#include <algorithm>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/agent/session.hpp"
#include "dragoman/agent/wall_clock.hpp"
#include "dragoman/base/ascii.hpp"

namespace dragoman::agent {
namespace {

constexpr std::string_view kFreshStart = "fresh-start";

}  // namespace

void Session::take_request(ControlRequest request) {
  if (!conversing_) return;  // it is being ended
  if (request.subtype != "can_use_tool") return refuse_request(request, "unsupported");
  const std::string id = request.id;
  if (const auto refused = requests_.keep(std::move(request))) {
    return refuse_request(*refused, "too many requests wait for an answer");
  }
  judge_request(*requests_.find(id));
}

void Session::refuse_request(const ControlRequest& request, std::string_view why) {
  const std::string response = error_response(request, why);
  write(response, response);
}

// The request had its answer before its question could be read.
bool Session::was_refused(const Event& event) const {
  const auto* const question = event.as<Question>();
  if (question == nullptr || question->state != QuestionState::open) return false;
  const std::string_view request = request_id_in(event.extra);
  return requests_.refused_some() && !request.empty() && requests_.find(request) == nullptr;
}

void Session::keep_question_of(const Event& event) {
  const auto* const question = event.as<Question>();
  const Asked* const known = question != nullptr ? pending_.find(question->id) : nullptr;
  const std::string request = known != nullptr ? known->request_id : std::string();
  pending_.see(event);
  if (question == nullptr) return;
  // Settled without us: nobody waits for a response to it.
  const bool settled = question->state != QuestionState::open && !event.partial;
  if (settled && !request.empty() && !pending_.waits_for(request)) (void)requests_.take(request);
  see_question(*question);
}

// Whoever reads it may repeat it: trimmed, as shells and people do.
void Session::keep_secret(std::string_view answer) {
  if (!ascii::is_blank(answer)) recording_.keep_secret(ascii::trimmed(answer));
}

void Session::see_question(const Question& question) {
  if (question.state != QuestionState::open && question.id == asking_) {
    // Who has passed it over may be given the answer when it has ended.
    stop_asking(question.state == QuestionState::unanswered ? Withdrawn::for_now
                                                            : Withdrawn::for_good);
    ask_soon();
  }
  if (running_ && pending_.first_in_conversation() != nullptr) ask_soon();
}

bool Session::admit(Event& event) {
  auto* const question = std::get_if<Question>(&event.payload);
  if (question == nullptr || event.partial) return true;
  question->id = pending_.id_of(*question);
  return !repeats_question(*question, event);
}

// Claude tells of a question twice, in the call and in the request for its answer, and of the
// answer when it has it. Whoever looks on was told of both when they were new.
bool Session::repeats_question(const Question& question, const Event& event) {
  if (question.state == QuestionState::answered) {
    const auto known = answered_here_.find(question.id);
    if (known == answered_here_.end() || pending_.find(question.id) != nullptr) return false;
    answered_here_.erase(known);
    return true;
  }
  const Asked* const known = pending_.find(question.id);
  if (question.state != QuestionState::open || known == nullptr) return false;
  Asked again = keep_question(question, event.extra);
  again.request_id = known->request_id;
  if (again != *known) return false;
  pending_.see(event);
  see_question(question);
  return true;
}

// Not from within the reading of a line: the other questions of the set are in it.
void Session::ask_left_open() {
  for (const Asked& asked : plan_.left_open) {
    with_payload(asked, QuestionState::open, {},
                 [this](const Question& question) { stream_.tell(question, wall_clock()); });
  }
  ask_next();
}

void Session::ask_soon() {
  boost::asio::post(io_, [this] { ask_next(); });
}

void Session::ask_next() {
  if (!asking_.empty() || finished_ || interrupted_ != 0) return;
  const Asked* const next = running_ ? pending_.first_in_conversation() : pending_.first();
  if (next == nullptr) {
    if (running_) {
      supervisor_->resume_limits();
      if (result_seen_) see_result();
    } else {
      go_on_with_answers();
    }
    return;
  }
  if (refuse_at_once(*next)) return;
  if (asker_ == nullptr || nobody_answers_) {
    give_up_on_questions();
    return;
  }
  asking_ = next->id;
  if (running_) supervisor_->pause_limits();
  asker_->ask(*next, [this, id = next->id](std::optional<Answer> answer) {
    take_answer(id, std::move(answer));
  });
}

void Session::take_answer(const std::string& id, std::optional<Answer> answer) {
  asking_.clear();
  if (finished_) return;
  if (id == kFreshStart) {
    const bool afresh = answer.has_value() && answer->options == std::vector<std::size_t>{1};
    if (!afresh) {
      finish();
      return;
    }
    plan_.request.resume.clear();
    session_id_.clear();
    restart(agent_.start(plan_.request, plan_.locate));
    return;
  }
  if (!answer.has_value()) {
    give_up_on_questions();
    return;
  }
  auto asked = pending_.take(id);
  if (!asked.has_value()) {  // the agent has withdrawn it in the meantime
    ask_next();
    return;
  }
  const Answered answered{*std::move(asked), *std::move(answer)};
  // A label stands in the question, where everybody has read it.
  if (answered.asked.secret) keep_secret(answered.answer.text);
  with_payload(answered.asked, QuestionState::answered,
               recording_.redacted(answer_words(answered.asked, answered.answer)),
               [this](const Question& question) { stream_.tell(question, wall_clock()); });
  before_allowing(answered);
  const std::string request = answered.asked.request_id;
  if (!request.empty() && answered_here_.size() < kMostWatched) {
    answered_here_.insert(answered.asked.id);
  }
  (request.empty() ? answers_ : conversation_answers_).push_back(answered);
  if (!request.empty() && !pending_.waits_for(request)) respond(request);
  ask_next();
}

void Session::respond(const std::string& request_id) {
  const auto request = requests_.take(request_id);
  std::vector<Answered> mine;
  std::vector<Answered> others;
  for (Answered& answered : conversation_answers_) {
    const bool belongs = answered.asked.request_id == request_id;
    (belongs ? mine : others).push_back(std::move(answered));
  }
  conversation_answers_ = std::move(others);
  if (!request.has_value() || !running_) {
    diagnose("answer_lost", Level::error, "the request that was answered is not known any more");
    return;
  }
  const std::string response = control_response(*request, mine);
  write(response, any_secret(mine) ? kHiddenLine : std::string_view(response));
}

// Nobody answers: that is the verdict. An agent that waits for the answer is ended.
void Session::give_up_on_questions() {
  nobody_answers_ = true;
  if (running_) {
    supervisor_->stop();
  } else {
    finish();
  }
}

void Session::go_on_with_answers() {
  if (answers_.empty()) {
    finish();
    return;
  }
  if (agent_.goes_on == GoesOn::by_session && session_id_.empty()) {
    diagnose("no_session", Level::error,
             "the answer cannot be given: the agent named no session to resume");
    finish();
    return;
  }
  auto launch = agent_.go_on(plan_.request, session_id_, answers_, plan_.locate);
  if (launch && agent_.goes_on == GoesOn::by_invocation) {
    // The next answer comes behind this one.
    std::copy(launch->argv.begin() + 1, launch->argv.end(), plan_.request.words.begin() + 1);
    for (const Answered& one : answers_) {
      if (one.asked.secret) plan_.request.secrets.push_back(answer_words(one.asked, one.answer));
    }
  }
  answers_.clear();
  restart(std::move(launch));
}

void Session::offer_fresh_start() {
  fresh_start_offered_ = true;
  Asked offer;
  offer.id = kFreshStart;
  offer.kind = QuestionKind::approval;
  offer.source = QuestionSource::permission;
  offer.header = "Session";
  offer.text = fmt::format("Session {} is not known any more. Start a new one with the same task?",
                           plan_.request.resume);
  if (plan_.fresh_start) {
    take_answer(offer.id, Answer{{1}, {}});
    return;
  }
  offer.options = {{"Start afresh", "a new session that knows nothing of the old one"},
                   {"Stop", "end the run"}};
  if (asker_ == nullptr || !plan_.offers_fresh_start) {
    finish();
    return;
  }
  asking_ = offer.id;
  asker_->ask(offer, [this](std::optional<Answer> answer) {
    take_answer(std::string(kFreshStart), std::move(answer));
  });
}

}  // namespace dragoman::agent
