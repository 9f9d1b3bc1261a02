// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/conversation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dragoman::agent {
namespace {

std::size_t size_of(const Reply& reply) {
  return reply.id.size() + reply.typed.value_or("").size() + reply.text.value_or("").size() +
         sizeof(std::size_t) * (reply.options ? reply.options->size() : 0);
}

}  // namespace

Result<Answer> read_reply(const Asked& asked, const Reply& reply) {
  if (reply.options) return chosen_answer(asked, *reply.options, reply.text.value_or(""));
  if (reply.text) return literal_answer(asked, *reply.text);
  return read_answer(asked, reply.typed.value_or(""));
}

std::unique_ptr<Wire> make_wire(const AgentRow& agent) {
  switch (agent.protocol) {
    case Protocol::claude:
      return make_claude_wire(agent.program);
    case Protocol::codex_exec:
      return make_codex_exec_wire(agent.program);
    case Protocol::executor:
      return make_executor_wire();
    case Protocol::command:
      return make_command_wire();
  }
  return make_command_wire();
}

Conversation::Conversation(const AgentRow& agent, Request request, std::uint64_t salt)
    : wire_(make_wire(agent)),
      goes_on_(agent.goes_on),
      request_(std::move(request)),
      session_(request_.resume),
      salt_(salt) {}

Conversation::~Conversation() = default;

Launch Conversation::begin() {
  return wire_->start(request_, {request_.resume, request_.prompt, {}, next_mark()});
}

Result<Launch> Conversation::go_on() {
  if (goes_on_ == GoesOn::never)
    return Error{ErrorCode::unsupported, "the program cannot be answered", "unanswerable"};
  if (goes_on_ == GoesOn::by_session && session_.empty()) {
    return Error{ErrorCode::unsupported,
                 "the answer cannot be given: the agent named no session to resume", "no_session"};
  }
  return wire_->start(request_, {session_, {}, std::exchange(answers_, {}), next_mark()});
}

Launch Conversation::go_on_with(std::string_view text) {
  if (session_.empty() || goes_on_ != GoesOn::by_session) return begin();
  return wire_->start(request_, {session_, text, {}, next_mark()});
}

void Conversation::forget_session() {
  request_.resume.clear();
  session_.clear();
}

void Conversation::started(const Launch& launch) {
  running_ = true;
  open_ = launch.stdin_then == Launch::Stdin::conversation;
  asks_rest_ = false;
  wire_->restarted();
  parts_.clear();
  answered_here_.clear();
  echoes_ = false;
}

void Conversation::ended() {
  running_ = false;
  open_ = false;
  pending_.conversation_is_over();
  once_only_.clear();
  due_.clear();
  give_back(true);
  for (const auto& [id, asked] : std::exchange(asked_, {}))
    wishes_.emplace_back(Withdraw{id, Withdrawn::for_now});
}

void Conversation::close() {
  open_ = false;
  give_back(false);
}

// As a UUID, which is what agents want: the salt, and a number of its own.
std::string Conversation::next_mark() {
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", salt_ >> 32U,
                     (salt_ >> 16U) & 0xffffU, (salt_ >> 4U) & 0xfffU, salt_ & 0xfU, ++marks_);
}

void Conversation::say(std::uint64_t message, std::string text) {
  const bool fits = said_.size() < kMostSaid && text.size() <= kLongestSaid &&
                    text.size() <= kMostSaidBytes - said_bytes_;
  if (!open_ || !fits || wire_->message({}, {}).empty()) {
    wishes_.emplace_back(Unheard{message});
    return;
  }
  said_bytes_ += text.size();
  said_.push_back({message, std::move(text), {}});
  if (echoes_) write_said();
}

void Conversation::write_said() {
  for (Said& said : said_) {
    if (!said.mark.empty()) continue;
    said.mark = next_mark();
    wishes_.emplace_back(Write{wire_->message(said.text, said.mark)});
  }
}

void Conversation::take_echo(std::string_view mark) {
  const auto said = std::ranges::find(said_, mark, &Said::mark);
  if (said != said_.end()) {
    wishes_.emplace_back(Heard{said->message});
    taken_.insert(std::move(said->mark));
    said_bytes_ -= said->text.size();
    said_.erase(said);
  }
  echoes_ = true;
  if (open_) write_said();
}

void Conversation::give_back(bool written_too) {
  std::vector<Said> kept;
  for (Said& said : said_) {
    if (!written_too && !said.mark.empty()) {
      kept.push_back(std::move(said));
      continue;
    }
    said_bytes_ -= said.text.size();
    wishes_.emplace_back(Unheard{said.message});
  }
  said_ = std::move(kept);
}

bool Conversation::has_heard_all() {
  give_back(false);
  return said_.empty();
}

void Conversation::hear(std::string_view stdout_bytes) {
  Wire::Heard heard = wire_->hear(stdout_bytes);
  for (const std::string& mark : heard.echoes) take_echo(mark);
  if (!open_) {
    for (const OpenRequest& request : heard.requests) wire_->forget(request.id);
    return;
  }
  for (std::string& reply : heard.replies) wishes_.emplace_back(Write{std::move(reply)});
  for (OpenRequest& request : heard.requests) wishes_.emplace_back(Announce{std::move(request)});
}

// The request had its answer before its question could be read.
bool Conversation::was_refused(const Event& event) const {
  const auto* const question = event.as<Question>();
  if (question == nullptr || question->state != QuestionState::open) return false;
  const std::string_view request = request_id_in(event.extra);
  return wire_->refused_some() && !request.empty() && wire_->command_of(request) == nullptr;
}

bool Conversation::admit(Event& event) {
  if (wire_->is_receipt(event)) return false;
  // Of what the agent repeats only a message is news: the prompt was known before its start.
  if (const auto mark = wire_->mark_in(event); !mark.empty()) {
    const auto message = taken_.find(mark);
    if (message == taken_.end()) return false;
    taken_.erase(message);
    return true;
  }
  auto* const question = std::get_if<Question>(&event.payload);
  if (question == nullptr || event.partial) return true;
  question->id = pending_.id_of(*question);
  return !repeats(*question, event);
}

// Claude tells of a question twice, in the call and in the request for its answer, and of the
// answer when it has it. Those who look on were told of both when they were new.
bool Conversation::repeats(const Question& question, const Event& event) {
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
  if (was_refused(event)) return true;
  const std::string before = known->request_id;
  pending_.see(event);
  note_dropped(before, question.state);
  see_question(question);
  return true;
}

void Conversation::see(const Event& event) {
  if (const auto* const started = event.as<SessionStarted>(); started != nullptr) {
    if (!started->session_id.empty()) session_ = started->session_id;
  }
  if (was_refused(event)) return;
  const auto* const question = event.as<Question>();
  const Asked* const known = question != nullptr ? pending_.find(question->id) : nullptr;
  const std::string request = known != nullptr ? known->request_id : std::string();
  pending_.see(event);
  if (question == nullptr || event.partial) return;
  note_dropped(request, question->state);
  note_dropped(request_id_in(event.extra), question->state);
  see_question(*question);
}

void Conversation::allow_once_only(const std::string& id) {
  if (pending_.find(id) != nullptr) once_only_.insert(id);
}

void Conversation::see_question(const Question& question) {
  std::string id(question.id);
  if (question.state == QuestionState::open) {
    fresh_.push_back(std::move(id));
    return;
  }
  std::erase(due_, id);
  // One that the agent has passed over may be answered when its program has ended.
  const bool for_now = question.state == QuestionState::unanswered;
  if (!for_now) settle(id);
  if (asked_.erase(id) == 0) return;
  wishes_.emplace_back(Withdraw{id, for_now ? Withdrawn::for_now : Withdrawn::for_good});
}

void Conversation::settle(const std::string& id) {
  once_only_.erase(id);
  if (id.size() > AskedIds::kLongest || !settled_.insert(id).second) return;
  settled_in_order_.push_back(id);
  if (settled_in_order_.size() <= kMostEarly) return;
  settled_.erase(settled_in_order_.front());
  settled_in_order_.pop_front();
}

bool Conversation::is_due(const Asked& asked) const {
  return running_ ? open_ && wire_->command_of(asked.request_id) != nullptr : asks_rest_;
}

void Conversation::ask_rest() {
  asks_rest_ = true;
  for (const Asked& asked : pending_.all()) fresh_.push_back(asked.id);
}

void Conversation::know_question(const std::string& id) {
  settle(id);
  pending_.know(id);
}

std::vector<Asked> Conversation::withdraw_all() {
  const std::vector<Asked> open = pending_.all();
  for (const Asked& asked : open) {
    settle(asked.id);
    (void)pending_.take(asked.id);
    note_dropped(asked.request_id, QuestionState::open);
  }
  due_.clear();
  asked_.clear();
  return open;
}

void Conversation::note_dropped(std::string_view request, QuestionState state) {
  if (!request.empty() && !pending_.waits_for(request)) dropped_.emplace_back(request, state);
}

// A request whose last question has gone, or found no place: the agent has settled it itself and
// waits for no response, or it gets none and is told so. Not before everything that came with it
// has been read: the request may have been made again behind that.
void Conversation::drop_requests() {
  for (const auto& [request, state] : std::exchange(dropped_, {})) {
    if (pending_.waits_for(request)) continue;
    std::erase_if(parts_, [&](const Answered& part) { return part.asked.request_id == request; });
    if (state != QuestionState::open) {
      wire_->forget(request);
    } else if (std::string refusal = wire_->refuse(request, "it is not asked any more");
               open_ && !refusal.empty()) {
      wishes_.emplace_back(Write{std::move(refusal)});
    }
  }
}

// Answers that came early count when the question has been put: the engine has then refused what
// may not be done at all.
void Conversation::catch_up() {
  drop_requests();
  for (const std::string& id : std::exchange(offered_, {})) try_early(id);
  for (const std::string& id : std::exchange(fresh_, {})) offer(id);
}

void Conversation::offer(const std::string& id) {
  const Asked* const asked = pending_.find(id);
  if (asked == nullptr) return;
  const bool due = is_due(*asked);
  const bool was_due = std::ranges::find(due_, id) != due_.end();
  const auto known = asked_.find(id);
  if (known != asked_.end() && known->second == *asked && due == was_due) return;
  asked_.insert_or_assign(id, *asked);
  if (due && !was_due) due_.push_back(id);
  const std::string* const command = wire_->command_of(asked->request_id);
  wishes_.emplace_back(Ask{*asked, due, command == nullptr ? std::string() : *command});
  if (due) offered_.push_back(id);
}

// The first valid one counts. What was meant for this question and does not fit is told and gone.
void Conversation::try_early(const std::string& id) {
  const auto fits = [&](const Reply& reply) { return reply.id == id || reply.id.empty(); };
  for (;;) {
    if (std::ranges::find(due_, id) == due_.end()) return;
    const auto next = std::ranges::find_if(early_, fits);
    if (next == early_.end()) return;
    const Reply reply = std::move(*next);
    early_.erase(next);
    early_bytes_ -= size_of(reply);
    const Asked* const asked = pending_.find(id);
    if (asked == nullptr || try_answer(*asked, reply)) return;
  }
}

void Conversation::answer(Reply reply) {
  const auto meant = reply.id.empty() ? due_.begin() : std::ranges::find(due_, reply.id);
  if (meant != due_.end()) {
    if (const Asked* const asked = pending_.find(*meant)) (void)try_answer(*asked, reply);
  } else if (settled_.contains(reply.id)) {
    wishes_.emplace_back(Refused{fmt::format("{}: it needs no answer any more", reply.id)});
  } else if (early_.size() == kMostEarly || size_of(reply) > kMostEarlyBytes - early_bytes_) {
    wishes_.emplace_back(
        Refused{fmt::format("{}: too many answers came before their questions", reply.id)});
  } else {
    early_bytes_ += size_of(reply);
    early_.push_back(std::move(reply));
  }
}

// Whether that made it less than it was.
bool Conversation::narrow(const Asked& asked, Answer& answer) const {
  const auto decision = decision_of(asked, answer);
  const bool lasts = decision == Grant::allow_session || decision == Grant::allow_always;
  const auto once =
      std::ranges::find(asked.options, std::optional(Grant::allow_once), &Choice::grants);
  if (!lasts || !once_only_.contains(asked.id) || once == asked.options.end()) return false;
  answer.options = {static_cast<std::size_t>(once - asked.options.begin()) + 1};
  return true;
}

bool Conversation::try_answer(const Asked& asked, const Reply& reply) {
  auto answer = read_reply(asked, reply);
  if (!answer) {
    wishes_.emplace_back(Refused{fmt::format("{}: {}", asked.id, answer.error().message)});
    return false;
  }
  const bool narrowed = narrow(asked, *answer);
  const std::string id = asked.id;
  std::erase(due_, id);
  asked_.erase(id);
  settle(id);
  Answered answered{*pending_.take(id), *std::move(answer)};
  wishes_.emplace_back(Settled{answered, narrowed});
  const std::string request = answered.asked.request_id;
  const bool watched = answered_here_.size() < kMostWatched && id.size() <= AskedIds::kLongest;
  if (!request.empty() && watched) answered_here_.insert(id);
  (request.empty() ? answers_ : parts_).push_back(std::move(answered));
  if (!request.empty() && !pending_.waits_for(request)) respond(request);
  return true;
}

void Conversation::respond(const std::string& request) {
  std::vector<Answered> mine;
  std::vector<Answered> others;
  for (Answered& answered : parts_) {
    const bool belongs = answered.asked.request_id == request;
    (belongs ? mine : others).push_back(std::move(answered));
  }
  parts_ = std::move(others);
  std::string response = open_ ? wire_->respond(request, mine) : std::string();
  if (response.empty()) {
    wishes_.emplace_back(Lost{"the request that was answered is not known any more"});
    return;
  }
  wishes_.emplace_back(Write{std::move(response), any_secret(mine)});
}

bool Conversation::interrupt() {
  if (!open_) return false;
  std::string bytes = wire_->interrupt();
  if (bytes.empty()) return false;
  wishes_.emplace_back(Write{std::move(bytes)});
  return true;
}

std::vector<Wish> Conversation::take_wishes() {
  catch_up();
  return std::exchange(wishes_, {});
}

}  // namespace dragoman::agent
