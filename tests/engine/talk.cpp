// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/talk.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dragoman/event/json.hpp"
#include "tests/engine/says.hpp"

namespace dragoman::test {
namespace {

constexpr Timestamp kThen{std::chrono::seconds(1'800'000'000)};

agent::Request request_of(const agent::AgentRow& agent, const Talk& talk) {
  agent::Request request;
  request.prompt = talk.prompt;
  request.cwd = "/tmp";
  constexpr std::string_view kWords[] = {"program", "id", "task"};
  for (std::size_t i = 0; i < agent.words.least; ++i) request.words.emplace_back(kWords[i % 3]);
  return request;
}

}  // namespace

Player::Player(const agent::AgentRow& agent, const Talk& talk, IsCut is_cut)
    : conversation(agent, request_of(agent, talk)),
      agent_(agent),
      is_cut_(std::move(is_cut)),
      stream_([](const Event&) {},
              [this](const Event& event) {
                if (!event.partial) events += to_json(event) + '\n';
                conversation.see(event);
              },
              [this](Event& event) { return conversation.admit(event); }) {
  begin(conversation.begin());
}

void Player::play(const std::vector<Step>& steps) {
  for (const Step& step : steps) take(step);
}

void Player::take(const Step& step) {
  std::visit(
      Overloaded{
          [this](const Says& s) { say(s.bytes); },
          [this](const Answers& a) {
            agent::Reply reply;
            reply.id = !a.id.empty() ? a.id : a.question < ids.size() ? ids[a.question] : "?";
            reply.typed = a.typed;
            answer(std::move(reply));
          },
          [this](const Sends& s) {
            conversation.say(s.number, s.text);
            settle();
          },
          [this](const Echoes&) { echo(); },
          [this](const Interrupts&) {
            (void)conversation.interrupt();
            settle();
          },
          [this](const Closes&) { close(); },
          [this](const Ends&) { end(); },
      },
      step);
}

void Player::begin(agent::Launch launch) {
  starts.push_back(fmt::format("{} < {}", fmt::join(launch.argv, " "), launch.input));
  ReaderOptions options;
  options.cwd = "/tmp";
  options.whole_blocks = true;
  stream_.begin(agent_.dialect, options, false);
  running_ = true;
  closed_ = launch.stdin_then != agent::Launch::Stdin::conversation;
  waiting_.clear();
  line_.clear();
  taking_ = {launch.input};
  conversation.started(launch);
  settle();
}

void Player::say(std::string_view bytes) {
  if (!running_) return;
  const auto push = [this](std::string_view piece) {
    const std::string own(piece);  // gone when it has been read
    conversation.hear(own);
    stream_.push_stdout(own, kThen);
    line_ += own;
    for (std::size_t end = line_.find('\n'); end != line_.npos; end = line_.find('\n')) {
      hear_line(line_.substr(0, end));
      line_.erase(0, end + 1);
    }
    settle();
  };
  std::size_t from = 0;
  for (std::size_t at = 1; is_cut_ && at < bytes.size(); ++at) {
    if (!is_cut_(said_ + at)) continue;
    push(bytes.substr(from, at - from));
    from = at;
  }
  said_ += bytes.size();
  push(bytes.substr(from));
}

void Player::echo() {
  for (const std::string& line : std::exchange(taking_, {})) {
    if (line.find("\"uuid\"") != line.npos) say(says::echo(line));
  }
}

void Player::became(std::vector<std::uint64_t>& of, std::uint64_t message) {
  if (std::ranges::count(heard, message) + std::ranges::count(unheard, message) > 0)
    complain("heard or unheard twice", std::to_string(message));
  of.push_back(message);
}

void Player::answer(agent::Reply reply) {
  conversation.answer(std::move(reply));
  settle();
}

void Player::close() {
  conversation.close();
  closed_ = true;
  settle();
}

void Player::end() {
  if (!std::exchange(running_, false)) return;
  stream_.finish(kThen);
  conversation.ended();
  closed_ = true;
  waiting_.clear();
  settle();
  for (const auto& [id, due] : desk) {
    if (due) complain("still before people when its program has ended", id);
  }
  if (conversation.questions().empty() || !agent_.can_be_answered()) return;
  conversation.ask_rest();
  settle();
}

void Player::settle() {
  for (auto wishes = conversation.take_wishes(); !wishes.empty();
       wishes = conversation.take_wishes()) {
    for (const agent::Wish& wish : wishes) carry_out(wish);
  }
  check_requests();
  look();
}

void Player::look() {
  if (running_ || conversation.waits() || !conversation.has_answers()) return;
  auto launch = conversation.go_on();
  if (launch) begin(*std::move(launch));
}

void Player::carry_out(const agent::Wish& wish) {
  std::visit(Overloaded{
                 [this](const agent::Write& w) { wrote(w); },
                 [this](const agent::Announce& a) { announced.push_back(a.request.id); },
                 [this](const agent::Ask& a) { put(a); },
                 [this](const agent::Withdraw& w) {
                   if (desk.erase(w.id) == 0) complain("withdrawn and not asked", w.id);
                   withdrawn_.insert(asked_for_[w.id]);
                 },
                 [this](const agent::Settled& s) {
                   const agent::Asked& asked = s.answered.asked;
                   const std::string words = agent::answer_words(asked, s.answered.answer);
                   settled.push_back(asked.id + " " + words);
                   if (!settled_ids_.insert(asked.id).second) complain("settled twice", asked.id);
                   if (desk.erase(asked.id) == 0) complain("settled and not asked", asked.id);
                   agent::with_payload(asked, QuestionState::answered, words,
                                       [this](const Question& q) { stream_.tell(q, kThen); });
                 },
                 [this](const agent::Refused& r) { refused.push_back(r.why); },
                 [this](const agent::Lost& l) {
                   lost.push_back(l.why);
                   if (!closed_) complain("an answer is lost", l.why);
                 },
                 [this](const agent::Heard& h) { became(heard, h.message); },
                 [this](const agent::Unheard& u) { became(unheard, u.message); },
             },
             wish);
}

void Player::wrote(const agent::Write& write) {
  if (closed_) complain("written behind the end", write.bytes);
  if (!write.bytes.ends_with('\n') || write.bytes.find('\n') != write.bytes.size() - 1)
    complain("not one line", write.bytes);
  written.push_back(write.bytes.substr(0, write.bytes.size() - 1));
  const auto line = nlohmann::json::parse(write.bytes, nullptr, false);
  if (!line.is_object()) return complain("not JSON", write.bytes);
  if (line.value("type", "") == "user") taking_.push_back(write.bytes);
  if (line.value("type", "") != "control_response") return;
  const std::string id = line["response"]["request_id"].dump();
  ++responses[id];
  const auto waits = waiting_.find(id);
  if (waits == waiting_.end()) {
    if (unreadable_-- <= 0) complain("a response that no request waits for", id);
    return;
  }
  if (--waits->second == 0) waiting_.erase(waits);
}

void Player::put(const agent::Ask& ask) {
  const std::string& id = ask.asked.id;
  if (settled_ids_.contains(id)) complain("asked again under its id", id);
  const auto request = nlohmann::json::parse(ask.asked.request_id, nullptr, false);
  asked_for_[id] = request.is_discarded() ? std::string() : request.dump();
  desk.insert_or_assign(id, ask.due);
  const bool first = ask.due && std::ranges::find(ids, id) == ids.end();
  if (first) ids.push_back(id);
}

// By another parser than that of the conversation.
void Player::hear_line(std::string_view line) {
  if (closed_ || line.find("\"control_request\"") == line.npos) return;
  const auto said = nlohmann::json::parse(line, nullptr, false);
  if (said.is_discarded()) ++unreadable_;  // to this parser
  if (!said.is_object() || !said.contains("request_id")) return;
  if (said.value("type", nlohmann::json()) != "control_request") return;
  ++waiting_[said["request_id"].dump()];
}

// Each is refused at once or lies before people.
void Player::check_requests() {
  if (!line_.empty()) return;
  for (const auto& [request, times] : std::exchange(waiting_, {})) {
    bool asked = closed_ || responses.contains(request);  // an id again that has its response
    for (const auto& [id, due] : desk) asked = asked || (due && asked_for_[id] == request);
    if (asked) {
      waiting_.emplace(request, times);
    } else if (!withdrawn_.contains(request)) {
      complain("a request is neither answered nor asked", request);
    }
  }
}

void Player::complain(std::string_view what, std::string_view about) {
  if (broken_.size() < 4096) broken_ += fmt::format("{}: {:.300}\n", what, about);
}

std::string Player::outcome() const {
  std::string out;
  for (const auto* list : {&starts, &written, &announced, &settled, &refused, &lost, &ids})
    out += fmt::format("{}\n--\n", fmt::join(*list, "\n"));
  for (const auto& [id, due] : desk) out += fmt::format("{} {}\n", id, due);
  for (const agent::Asked& asked : conversation.questions()) out += asked.id + " pending\n";
  return out + events;
}

}  // namespace dragoman::test
