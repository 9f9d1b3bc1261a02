// SPDX-License-Identifier: Apache-2.0
// Runs whose agents a test plays: what the engine would have told, and what it was told.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/engine/run_handle.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman::test {

class TalkingRun;

// Every start of an agent, in their order, and the words that agents have heard.
struct TalkingAgents {
  std::vector<engine::RunSpec> starts;
  std::map<std::string, TalkingRun*> living;                 // by run
  std::map<std::string, std::vector<std::uint64_t>> heard;   // by run: numbers of messages
  std::function<bool(const engine::RunSpec&)> refuses = {};  // whether a start fails
  bool listens = true;  // at work; else a message is for the next turn

  engine::StartRun start();
  TalkingRun* of(const std::string& id) {
    const auto found = living.find(id);
    return found == living.end() ? nullptr : found->second;
  }
};

class TalkingRun final : public engine::RunHandle {
 public:
  TalkingRun(boost::asio::io_context& io, TalkingAgents& agents, engine::RunOrder order,
             engine::Audience& audience, engine::RunCalls calls)
      : io_(io),
        agents_(agents),
        id_(order.spec.id),
        keep_(order.spec.keep.count() > 0),
        audience_(audience),
        calls_(std::make_shared<engine::RunCalls>(std::move(calls))) {
    agents_.starts.push_back(order.spec);
    agents_.living[id_] = this;
    const auto message = order.spec.message;
    if (agents_.refuses && agents_.refuses(order.spec)) {
      at_work_ = false;
      tell([message](engine::RunCalls& to) {
        if (message) to.unheard(message->number);
        engine::RunEnd end;
        end.not_started = Error{ErrorCode::tool_error, "start 'agent': no such file"};
        to.rested(end);
      });
      over();
      return;
    }
    tell([this, message](engine::RunCalls& to) {
      Event begun;
      SessionStarted session;
      session.session_id = "s-1";
      begun.payload = session;
      std::string buffer;
      engine::EventLine line(begun, buffer);
      audience_.event(begun, line);
      if (!message) return;
      agents_.heard[id_].push_back(message->number);
      to.heard(message->number);
    });
  }
  ~TalkingRun() override {
    if (agents_.of(id_) == this) agents_.living.erase(id_);
    calls_.reset();
  }

  void answer(Reply reply) override { answers.push_back(std::move(reply)); }
  void say(engine::Message message) override {
    const bool hears = !ended_ && (at_work_ ? agents_.listens : keep_);
    if (hears) at_work_ = true;
    if (hears) agents_.heard[id_].push_back(message.number);
    in_doubt_->insert(message.number);
    tell([hears, number = message.number, in_doubt = in_doubt_](engine::RunCalls& to) {
      if (in_doubt->erase(number) == 0) return;
      hears ? to.heard(number) : to.unheard(number);
    });
  }
  void interrupt_turn() override {
    ++interrupts;
    end_turn(VerdictKind::cancelled);
  }
  void rest() override {
    if (!at_work_) leave();
  }
  void end_answers() override { end_turn(VerdictKind::question); }
  void stop() override { die(); }
  void kill() override { die(); }
  std::function<void()> kill_switch() override {
    return [] {};
  }

  // What the agent does.
  void ask(std::string id) {
    KeptQuestion asked;
    asked.id = std::move(id);
    asked.text = "Which?";
    asked.options = {{"A", ""}, {"B", ""}};
    tell([asked](engine::RunCalls& to) { to.ask(asked); });
  }
  void end_turn(VerdictKind kind = VerdictKind::completed) {
    if (!std::exchange(at_work_, false)) return;
    tell([kind](engine::RunCalls& to) {
      engine::RunEnd end;
      end.ending.verdict.kind = kind;
      end.ending.end.exit_code = 0;
      to.rested(end);
    });
    if (!keep_) over();
  }
  void leave() {  // a kept one
    if (!at_work_) over();
  }
  void die() {
    keep_ = false;
    if (at_work_) return end_turn(VerdictKind::failed);
    over();
  }
  [[nodiscard]] bool at_work() const { return at_work_; }

  std::vector<Reply> answers;
  int interrupts = 0;

 private:
  void tell(std::function<void(engine::RunCalls&)> what) {
    boost::asio::post(io_, [calls = std::weak_ptr(calls_), what = std::move(what)] {
      if (const auto there = calls.lock()) what(*there);
    });
  }
  void over() {
    if (std::exchange(ended_, true)) return;
    tell([in_doubt = in_doubt_](engine::RunCalls& to) {
      for (const std::uint64_t number : std::exchange(*in_doubt, {})) to.unheard(number);
      const auto ended = std::exchange(to.ended, nullptr);
      if (ended) ended();
    });
  }

  boost::asio::io_context& io_;
  TalkingAgents& agents_;
  std::string id_;
  bool keep_;
  bool at_work_ = true;
  bool ended_ = false;
  engine::Audience& audience_;
  std::shared_ptr<engine::RunCalls> calls_;
  // Messages of which the owner has not been told yet whether the agent has them.
  std::shared_ptr<std::set<std::uint64_t>> in_doubt_ = std::make_shared<std::set<std::uint64_t>>();
};

inline engine::StartRun TalkingAgents::start() {
  return [this](boost::asio::io_context& io, engine::RunOrder order, engine::Audience& audience,
                engine::RunCalls calls) -> Result<std::unique_ptr<engine::RunHandle>> {
    return std::unique_ptr<engine::RunHandle>(
        std::make_unique<TalkingRun>(io, *this, std::move(order), audience, std::move(calls)));
  };
}

}  // namespace dragoman::test
