// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/turns_model.hpp"

#include <csignal>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tests/engine/says.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t number_in(std::string_view text) {  // "message 7"
  constexpr std::string_view kWord = "message ";
  return text.starts_with(kWord) ? std::stoull(std::string(text.substr(kWord.size()))) : 0;
}

std::shared_ptr<const redact::Rules> model_rules() {
  static const auto rules = redact::make_rules();
  return rules;
}

}  // namespace

TurnsModel::TurnsModel(std::string_view agent, std::uint64_t seed)
    : random_(seed), agent_(agent), echoes_(!random_.one_in(5)), keeps_(random_.one_in(2)) {
  tell(fmt::format("{} keeps {} echoes {}", agent, keeps_, echoes_));
  begin();
}

void TurnsModel::begin() {
  const std::uint64_t message = next_waiting();
  if (run_ != nullptr && message == 0) return;
  tell(fmt::format("begin {}", message));
  run_.reset();
  spawner_ = std::make_unique<FakeSpawner>();
  desk_ = std::make_unique<FakeDesk>();
  audience_ = std::make_unique<FakeAudience>();
  recording_ = record::Recording::discard({.rules = model_rules()});
  engine::Plan plan;
  plan.agent = agent::find_agent(agent_);
  plan.request.prompt = message == 0 ? "go" : fmt::format("message {}", message);
  plan.request.cwd = "/tmp";
  plan.locate = [](std::string_view name) -> Result<std::string> { return std::string(name); };
  if (keeps_) plan.keep = 10s;
  if (message != 0) {
    plan.request.resume = says::kSession;
    plan.message = engine::Message{message, plan.request.prompt};
    plan.past.emplace().events = events_;
    plan.past->position.seq = events_.size();
    messages_[message] = Fate::said;
    unfinished_ = true;
  }
  engine::Owner owner;
  owner.rested = [this](const engine::Ending& ending) { rested(ending); };
  owner.ended = [this] { ++ends_; };
  owner.heard = [this](std::uint64_t number) {
    if (messages_[number] != Fate::said) complain("heard and not in hands", number);
    messages_[number] = Fate::heard;
  };
  owner.unheard = [this](std::uint64_t number) {
    if (messages_[number] != Fate::said) complain("unheard and not in hands", number);
    messages_[number] = Fate::waiting;
  };
  ends_ = rests_ = 0;
  read_ = 0;
  told_.clear();
  permission_.clear();
  working_ = interrupted_ = cancelled_ = false;
  exit_.reset();
  lives_ = true;
  run_ = std::make_unique<engine::Run>(
      engine::Services{loop_, *spawner_, *recording_, *audience_, desk_.get()}, std::move(plan),
      std::move(owner));
  if (!run_->start()) complain("not started");
  loop_.settle();
}

std::uint64_t TurnsModel::next_waiting() const {
  for (const auto& [number, fate] : messages_) {
    if (fate == Fate::waiting) return number;
  }
  return 0;
}

// ---- The owner

void TurnsModel::step() {
  const std::size_t what = random_.below(40);
  if (ends_ > 0) {
    if (random_.one_in(3)) send();
    begin();
  } else if (what < 4) {
    send();
    say_waiting();
  } else if (what < 6) {
    interrupt_turn();
  } else if (what == 6) {
    run_->leave();
  } else if (what < 9) {
    loop_.pass(std::chrono::milliseconds(random_.below(9000)));
  } else if (what == 9 && random_.one_in(3) && !calm_) {
    kill_owner();
  } else if (what < 13) {
    answer();
  } else {
    work();
  }
  loop_.settle();
  check();
}

void TurnsModel::send() {
  messages_[++sent_] = Fate::waiting;
  tell(fmt::format("send {}", sent_));
}

void TurnsModel::say_waiting() {
  for (auto& [number, fate] : messages_) {
    if (fate != Fate::waiting) continue;
    fate = Fate::said;
    run_->say({number, fmt::format("message {}", number)});
    if (ends_ > 0) return;
  }
}

// A turn goes on where the agent works, or is about to.
void TurnsModel::interrupt_turn() {
  const bool kept = rests_ > 0 && !unfinished_;
  const bool coming =
      std::ranges::any_of(messages_, [](const auto& one) { return one.second == Fate::said; });
  if (ends_ > 0 || (kept && !coming)) return run_->interrupt_turn();
  tell("interrupt");
  cancelled_ = unfinished_ = true;
  run_->interrupt_turn();
}

void TurnsModel::kill_owner() {
  tell("the owner is killed");
  run_.reset();
  lives_ = false;
  ends_ = 1;
  for (const std::string& line : audience_->lines) events_.push_back(line);
  audience_->lines.clear();
  for (auto& [number, fate] : messages_) {
    if (fate == Fate::said) fate = Fate::undelivered;
  }
  send();
  begin();
}

void TurnsModel::answer() {
  if (desk_->open.empty()) return;
  Reply reply;
  reply.id = desk_->open.begin()->first;
  reply.typed = random_.one_in(2) ? "1" : "2";
  run_->answer(std::move(reply));
}

void TurnsModel::rested(const engine::Ending& ending) {
  ++rests_;
  ++all_rests_;
  std::string expected = "completed";
  if (cancelled_) {
    expected = "cancelled";
  } else if ((exit_ && !*exit_) || result_ == false) {
    expected = "failed";
  } else if (!result_ || unfinished_) {
    expected = "incomplete";
  }
  if (name(ending.verdict.kind) != expected)
    complain(fmt::format("the verdict is {}, not {}", name(ending.verdict.kind), expected));
  if (!desk_->open.empty()) complain("a question is open at rest");
  cancelled_ = unfinished_ = false;
}

// ---- The agent

void TurnsModel::says(const std::string& bytes) {
  FakeStart& program = spawner_->last();
  if (random_.one_in(4)) {
    const std::size_t cut = random_.below(bytes.size());
    program.say(std::string_view(bytes).substr(0, cut));
    loop_.settle();
    if (!program.over) program.say(std::string_view(bytes).substr(cut));
  } else {
    program.say(bytes);
  }
  loop_.settle();
}

void TurnsModel::read_input() {
  const std::string& input = spawner_->last().input;
  if (!is_claude()) {
    if (read_ == 0) told_.push_back(input);
    read_ = 1;
    return;
  }
  for (std::size_t end = input.find('\n', read_); end != input.npos;
       end = input.find('\n', read_)) {
    const std::string line = input.substr(read_, end - read_);
    read_ = end + 1;
    const auto said = nlohmann::json::parse(line);
    if (said["type"] == "user") told_.push_back(line);
    if (said["type"] == "control_request") interrupted_ = true;
    if (said["type"] == "control_response" && said["response"]["request_id"] == permission_)
      permission_.clear();
  }
}

void TurnsModel::work() {
  if (!lives_) return;
  FakeStart& program = spawner_->last();
  if (program.input.find("[written behind the end]") != std::string::npos)
    complain("written behind the end");
  if (program.killed || program.stopped) return die(true);
  if (!calm_ && random_.one_in(25)) return die(random_.one_in(2));
  read_input();
  if (!program.signals.empty()) return die(true);
  if (std::exchange(interrupted_, false) && working_) {
    permission_.clear();
    return finish_turn(false);
  }
  if (!working_ && !told_.empty()) {
    working_ = true;
    if (is_claude()) says(says::init());
    if (is_claude() || !lives_) return take(told_.front());
    says(says::thread());
    return take(told_.front());
  }
  if (!working_) {
    if (program.input_closed || !is_claude()) die(false);
    return;
  }
  if (!permission_.empty()) return;
  switch (random_.below(6)) {
    case 0:
      return finish_turn(!random_.one_in(4));
    case 1:
      if (!told_.empty()) take(told_.front());
      return;
    case 2:
      if (is_claude()) ask();
      return;
    default:
      unfinished_ = true;
      return says(is_claude() ? says::text("so") : says::message("so"));
  }
}

void TurnsModel::take(const std::string& line) {
  const std::string own = line;
  told_.pop_front();
  const std::string text =
      is_claude() ? nlohmann::json::parse(own)["message"]["content"][0]["text"].get<std::string>()
                  : own;
  tell("takes " + text);
  if (const std::uint64_t number = number_in(text); number > 0 && ++taken_[number] > 1)
    complain("the agent has a message twice", number);
  unfinished_ = true;
  if (is_claude() && echoes_) {
    says(says::echo(own));
  } else {
    says(is_claude() ? says::text("so") : says::message("so"));
  }
}

void TurnsModel::ask() {
  permission_ = fmt::format("r{}", ++named_);
  tell("asks " + permission_);
  says(says::asks_leave(permission_, fmt::format("t{}", named_)));
}

void TurnsModel::finish_turn(bool ok) {
  tell(ok ? "result" : "error");
  working_ = unfinished_ = false;
  result_ = ok;
  says(is_claude() ? says::result(ok) : says::turn(ok));
}

void TurnsModel::die(bool crash) {
  tell(crash ? "crashes" : "exits");
  crash = crash || !permission_.empty();
  lives_ = working_ = false;
  exit_ = !crash;
  if (crash) {
    spawner_->last().die(SIGKILL);
  } else {
    spawner_->last().exit(0);
  }
  loop_.settle();
}

// ---- Comparing

void TurnsModel::bring_to_its_end() {
  calm_ = true;
  for (int i = 0; i < 20'000 && broken_.empty(); ++i) {
    if (ends_ > 0 && next_waiting() == 0) break;
    if (ends_ > 0) {
      begin();
    } else {
      if (!permission_.empty()) answer();
      if (random_.one_in(10)) run_->leave();
      if (random_.one_in(20)) loop_.pass(6s);  // who asks behind an interrupt is ended
      work();
      loop_.settle();
    }
    check();
  }
  if (ends_ == 0) complain("does not end");
  if (!loop_.waits_for_nothing()) complain("something still waits for its time");
  for (const auto& [number, fate] : messages_) {
    if (fate != Fate::heard && fate != Fate::undelivered) complain("not settled", number);
    if (fate == Fate::heard && !taken_.contains(number) && lives_) complain("not taken", number);
  }
}

void TurnsModel::check() {
  if (ends_ > 1) complain("ends twice");
  if (!lives_ && ends_ == 0) complain("goes on without a program");
  if (lives_ && ends_ > 0) complain("ends before its program");
  if (ends_ > 0) {
    for (const std::string& line : audience_->lines) events_.push_back(line);
    audience_->lines.clear();
    int finished = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (!events_[i].starts_with(fmt::format("{{\"seq\":{},", i + 1))) complain("a gap", i + 1);
      finished += static_cast<int>(events_[i].find("\"kind\":\"finished\"") != std::string::npos);
    }
    if (finished != all_rests_) complain("another number of ends of turns");
    for (const auto& [number, fate] : messages_) {
      if (fate == Fate::said) complain("neither heard nor unheard", number);
      if (fate == Fate::waiting && taken_.contains(number)) complain("taken and unheard", number);
    }
  }
}

void TurnsModel::complain(std::string_view what, std::uint64_t about) {
  if (!broken_.empty()) return;
  broken_ = fmt::format("{} {}", what, about);
  story_ +=
      fmt::format("--\n{}\n{}\n", fmt::join(events_, "\n"), fmt::join(audience_->lines, "\n"));
}

void TurnsModel::tell(std::string_view what) { story_ += fmt::format("{}\n", what); }

}  // namespace dragoman::test
