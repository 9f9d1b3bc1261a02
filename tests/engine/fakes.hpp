// SPDX-License-Identifier: Apache-2.0
// A clock that is moved by hand, a program that says what the test lets it say, and people who
// answer when the test wants them to.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/engine/run.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::test {

class FakeLoop final : public engine::Loop {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] Timestamp wall() const override {
    return Timestamp(kBegin) +
           std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch());
  }
  void post(std::function<void()> call) override { posted_.push_back(std::move(call)); }
  [[nodiscard]] std::unique_ptr<engine::Timer> timer() override {
    return std::make_unique<FakeTimer>(*this);
  }

  // Does what is to be done now.
  void settle() {
    while (!posted_.empty()) {
      auto call = std::move(posted_.front());
      posted_.pop_front();
      call();
    }
  }
  // Lets time pass; what is due meanwhile happens at its time.
  void pass(std::chrono::milliseconds time) {
    settle();
    const Time end = now_ + time;
    while (!waiting_.empty() && waiting_.begin()->first <= end) {
      const auto next = waiting_.begin();
      now_ = next->first;
      auto [timer, call] = std::move(next->second);
      waiting_.erase(next);
      call();
      settle();
    }
    now_ = end;
  }
  [[nodiscard]] bool waits_for_nothing() const { return waiting_.empty() && posted_.empty(); }

  static constexpr std::chrono::seconds kBegin{1'800'000'000};

 private:
  class FakeTimer final : public engine::Timer {
   public:
    explicit FakeTimer(FakeLoop& loop) : loop_(loop) {}
    ~FakeTimer() override { FakeTimer::cancel(); }
    void after(std::chrono::milliseconds wait, std::function<void()> call) override {
      cancel();
      loop_.waiting_.emplace(loop_.now_ + wait, std::pair(this, std::move(call)));
    }
    void cancel() override {
      std::erase_if(loop_.waiting_, [this](const auto& one) { return one.second.first == this; });
    }

   private:
    FakeLoop& loop_;
  };

  Time now_{};
  std::deque<std::function<void()>> posted_;
  std::multimap<Time, std::pair<FakeTimer*, std::function<void()>>> waiting_;
};

// One start of a program.
struct FakeStart {
  process::Command command;
  process::Handlers handlers;
  std::string input;
  bool input_closed = false;
  bool reads = true;  // else what is written piles up
  bool stopped = false;
  bool killed = false;
  bool limits_paused = false;
  bool result_seen = false;
  int limits_begun = 0;
  bool over = false;
  std::vector<int> signals;

  void say(std::string_view bytes) { handlers.output(process::Stream::stdout_, bytes); }
  void complain(std::string_view bytes) { handlers.output(process::Stream::stderr_, bytes); }
  void exit(int code) {
    process::Outcome outcome;
    outcome.exit.how = process::Exit::How::exited;
    outcome.exit.code = code;
    end(outcome);
  }
  void die(int signal) {
    process::Outcome outcome;
    outcome.exit.how = process::Exit::How::signal;
    outcome.exit.code = signal;
    end(outcome);
  }
  void end(process::Outcome outcome) {
    over = true;
    outcome.stopped = stopped || killed;
    handlers.ended(outcome);
  }
  [[nodiscard]] std::string line(std::size_t number) const {  // from 0, of its input
    std::string_view rest = input;
    for (; number > 0 && !rest.empty(); --number) {
      rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    }
    return std::string(rest.substr(0, rest.find('\n')));
  }
};

class FakeSpawner final : public engine::Spawner {
 public:
  [[nodiscard]] Result<std::unique_ptr<engine::Program>> start(
      const process::Command& command, const process::Settings& /*settings*/,
      process::Handlers handlers) override {
    if (refuses) return *refuses;
    auto& start = starts.emplace_back(std::make_unique<FakeStart>());
    start->command = command;
    start->handlers = std::move(handlers);
    return std::unique_ptr<engine::Program>(std::make_unique<FakeProgram>(*start));
  }
  [[nodiscard]] FakeStart& last() { return *starts.back(); }

  std::vector<std::unique_ptr<FakeStart>> starts;
  std::optional<Error> refuses;

 private:
  class FakeProgram final : public engine::Program {
   public:
    explicit FakeProgram(FakeStart& start) : start_(start) {}
    void write(std::string bytes) override {
      if (start_.input_closed) start_.input += "[written behind the end]";
      start_.input += bytes;
    }
    [[nodiscard]] std::size_t input_pending() const override {
      return start_.reads ? 0 : start_.input.size();
    }
    void close_stdin() override { start_.input_closed = true; }
    void stop() override { start_.stopped = true; }
    void kill() override { start_.killed = true; }
    void signal(int number) override { start_.signals.push_back(number); }
    void result_seen() override { start_.result_seen = true; }
    void work_resumed() override { start_.result_seen = false; }
    void pause_limits() override { start_.limits_paused = true; }
    void resume_limits() override { start_.limits_paused = false; }
    void begin_limits() override {
      start_.limits_paused = start_.result_seen = false;
      ++start_.limits_begun;
    }
    [[nodiscard]] Result<process::KillSwitch> kill_switch() const override {
      return Error{ErrorCode::unsupported, "a fake has no process"};
    }

   private:
    FakeStart& start_;
  };
};

class FakeDesk final : public engine::Desk {
 public:
  void ask(const agent::Asked& asked, bool due) override {
    said.push_back((due ? "ask " : "mention ") + asked.id);
    known.insert_or_assign(asked.id, asked);
    if (due) open.insert_or_assign(asked.id, asked);
  }
  void answered(const agent::Answered& answered) override {
    said.push_back("answered " + answered.asked.id + " " +
                   agent::answer_words(answered.asked, answered.answer));
    open.erase(answered.asked.id);
  }
  void withdraw(std::string_view id, agent::Withdrawn how) override {
    said.push_back((how == agent::Withdrawn::for_now ? "put aside " : "withdraw ") +
                   std::string(id));
    open.erase(std::string(id));
  }

  std::vector<std::string> said;
  std::map<std::string, agent::Asked> open;
  std::map<std::string, agent::Asked> known;
};

// Keeps the events as canonical lines.
class FakeAudience final : public engine::Audience {
 public:
  void event(const Event& event, engine::EventLine& line) override {
    if (event.partial) return;
    lines.emplace_back(line.json());
    if (const auto* const found = event.as<Diagnostic>()) rules.emplace_back(found->rule);
    if (const auto* const status = event.as<Status>()) {
      if (status->activity == "waiting_limit") rules.emplace_back("waiting_limit");
    }
  }
  [[nodiscard]] bool has_rule(std::string_view rule) const {
    return std::ranges::find(rules, rule) != rules.end();
  }

  std::vector<std::string> lines;
  std::vector<std::string> rules;
};

// A run of the agent, with everything around it played.
class FakeRun {
 public:
  explicit FakeRun(std::string_view agent_name, bool asks = true)
      : recording_(record::Recording::discard({.rules = rules()})), asks_(asks) {
    plan.agent = agent::find_agent(agent_name);
    plan.request.prompt = "go";
    plan.request.cwd = "/tmp";
    plan.locate = [](std::string_view name) -> Result<std::string> { return std::string(name); };
  }

  // The first start; more may be said in `plan` before.
  void begin() {
    engine::Owner owner;
    owner.rested = [this](engine::Ending end) {
      ++rests;
      ending = std::move(end);
    };
    owner.ended = [this] { ++ends; };
    owner.heard = [this](std::uint64_t message) { heard.push_back(message); };
    owner.unheard = [this](std::uint64_t message) { unheard.push_back(message); };
    run = std::make_unique<engine::Run>(
        engine::Services{loop, spawner, *recording_, audience, asks_ ? &desk : nullptr},
        std::move(plan), std::move(owner));
    if (const auto started = run->start(); !started) not_started = started.error();
    loop.settle();
  }
  FakeStart& agent() { return spawner.last(); }
  void say(std::string_view bytes) {
    agent().say(bytes);
    loop.settle();
  }
  void exit(int code) {
    agent().exit(code);
    loop.settle();
  }
  void send(std::uint64_t number, std::string text) {
    run->say({number, std::move(text)});
    loop.settle();
  }
  void type(std::string id, std::string words) {
    agent::Reply reply;
    reply.id = std::move(id);
    reply.typed = std::move(words);
    run->answer(std::move(reply));
    loop.settle();
  }
  [[nodiscard]] std::string verdict() const {
    return rests == 0 ? "goes on" : std::string(name(ending.verdict.kind));
  }

  FakeLoop loop;
  FakeSpawner spawner;
  FakeDesk desk;
  FakeAudience audience;
  engine::Plan plan;
  engine::Ending ending;
  int rests = 0;  // turns that have ended
  std::vector<std::uint64_t> heard;
  std::vector<std::uint64_t> unheard;
  int ends = 0;
  std::optional<Error> not_started;
  std::unique_ptr<engine::Run> run;  // last but for what it uses

 private:
  // Making them takes as long as a run.
  static std::shared_ptr<const redact::Rules> rules() {
    static const auto rules = redact::make_rules();
    return rules;
  }

  std::unique_ptr<record::Recording> recording_;
  bool asks_;
};

}  // namespace dragoman::test
