// SPDX-License-Identifier: Apache-2.0
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <exception>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/mutex.hpp"
#include "dragoman/engine/run_handle.hpp"

namespace dragoman::engine {
namespace {

// Ends a run's agent from any thread, whether it has been started yet or not.
class Leash {
 public:
  void tie(process::KillSwitch agent);
  void untie();
  void pull();
  [[nodiscard]] bool pulled();

 private:
  Mutex mutex_;
  std::optional<process::KillSwitch> agent_ DRAGOMAN_GUARDED_BY(mutex_);
  bool pulled_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

void Leash::tie(process::KillSwitch agent) {
  const Lock lock(mutex_);
  agent_.emplace(std::move(agent));
  if (pulled_) agent_->pull();
}

void Leash::untie() {
  const Lock lock(mutex_);
  agent_.reset();
}

void Leash::pull() {
  const Lock lock(mutex_);
  pulled_ = true;
  if (agent_) agent_->pull();
}

bool Leash::pulled() {
  const Lock lock(mutex_);
  return pulled_;
}

// From the run to the owner's loop, until the owner is gone. Lives in the owner's thread, but for
// post().
class Mail : public std::enable_shared_from_this<Mail> {
 public:
  Mail(boost::asio::io_context& owner, RunCalls calls) : owner_(owner), calls_(std::move(calls)) {}

  template <typename Use>
  void post(Use use) {
    boost::asio::post(owner_, [self = shared_from_this(), use = std::move(use)]() mutable {
      if (!self->closed_) use(*self);
    });
  }
  void close() { closed_ = true; }

  [[nodiscard]] const RunCalls& calls() const { return calls_; }
  void said(std::uint64_t message) { said_.insert(message); }
  void heard(std::uint64_t message) {
    if (said_.erase(message) > 0) calls_.heard(message);
  }
  void unheard(std::uint64_t message) {
    if (said_.erase(message) > 0) calls_.unheard(message);
  }
  void give_up_messages() {
    for (const std::uint64_t message : std::exchange(said_, {})) calls_.unheard(message);
  }
  void ended() {
    give_up_messages();
    // It may destroy the thread that posted this.
    const auto ended = std::exchange(calls_.ended, nullptr);
    if (ended) ended();
  }

 private:
  boost::asio::io_context& owner_;
  RunCalls calls_;
  std::set<std::uint64_t> said_;  // messages of which neither heard nor unheard is known yet
  bool closed_ = false;
};

// What the thread does. Everything of it lives and dies in that thread, except what is posted.
class Body final : public Desk {
 public:
  Body(PrepareRun prepare, RunOrder order, Audience& audience, Mail& mail, Leash& leash)
      : prepare_(std::move(prepare)),
        order_(std::move(order)),
        audience_(audience),
        mail_(mail),
        leash_(leash) {}

  void go() {
    try {
      if (auto begun = run(); !begun) not_started(std::move(begun).error());
    } catch (const std::exception& fault) {  // out of memory, or a fault of ours: one run's end
      not_started(Error{ErrorCode::internal, fault.what()});
    }
    run_.reset();
    job_.reset();
    leash_.untie();
    mail_.post([](Mail& mail) { mail.ended(); });
  }

  template <typename Use>
  void post(Use use) {
    boost::asio::post(io_, [this, use = std::move(use)]() mutable {
      if (run_ != nullptr) use(*run_);
    });
  }
  void stop() {
    post([this](Run& run) {
      run.interrupt(SIGTERM);
      patience_->after(order_.grace, [this] { leash_.pull(); });
    });
  }
  void abandon() { io_.stop(); }

  void ask(const agent::Asked& asked, bool /*due*/) override {
    mail_.post([asked](Mail& mail) { mail.calls().ask(asked); });
  }
  void answered(const agent::Answered& /*answered*/) override {}
  void withdraw(std::string_view id, agent::Withdrawn how) override {
    if (how == agent::Withdrawn::for_now) return;
    mail_.post([id = std::string(id)](Mail& mail) { mail.calls().withdrawn(id); });
  }

 private:
  // The error says why nothing was started.
  Result<void> run() {
    DRAGOMAN_TRY(job_, prepare_(std::move(order_.spec)));
    job_->plan().launched = [this](process::KillSwitch agent) { leash_.tie(std::move(agent)); };
    Owner owner;
    owner.rested = [this](Ending ending) { rested(std::move(ending)); };
    owner.ended = [this] { io_.stop(); };
    owner.heard = [this](std::uint64_t message) {
      mail_.post([message](Mail& mail) { mail.heard(message); });
    };
    owner.unheard = [this](std::uint64_t message) {
      mail_.post([message](Mail& mail) { mail.unheard(message); });
    };
    run_ = job_->begin(loop_, spawner_, audience_, order_.asks ? this : nullptr, std::move(owner));
    if (leash_.pulled()) return Error{ErrorCode::tool_error, "ended before it began"};
    DRAGOMAN_CHECK(run_->start());
    if (order_.asks) run_->diagnose("run_started", Level::info, job_->spec().id);
    // A question may wait for its answer while no program runs, and nothing else does then.
    const auto waiting = boost::asio::make_work_guard(io_);
    io_.run();
    return {};
  }
  void not_started(Error why) {
    RunEnd end;
    end.not_started = std::move(why);
    mail_.post([end = std::move(end)](Mail& mail) {
      mail.give_up_messages();
      mail.calls().rested(end);
    });
  }
  void rested(Ending ending) {
    if (auto kept = job_->remember(*run_, ending); !kept) ending.faults.push_back(kept.error());
    if (const auto fault = job_->recording().fault()) ending.faults.push_back(*fault);
    RunEnd end;
    end.ending = std::move(ending);
    mail_.post([end = std::move(end)](Mail& mail) { mail.calls().rested(end); });
  }

  PrepareRun prepare_;
  RunOrder order_;
  Audience& audience_;
  Mail& mail_;
  Leash& leash_;
  boost::asio::io_context io_{1};
  AsioLoop loop_{io_};
  ProcessSpawner spawner_{io_};
  std::unique_ptr<Timer> patience_ = loop_.timer();
  std::unique_ptr<Job> job_;
  std::unique_ptr<Run> run_;
};

std::shared_ptr<Mail> make_mail(boost::asio::io_context& owner, const RunOrder& order,
                                RunCalls calls) {
  auto mail = std::make_shared<Mail>(owner, std::move(calls));
  if (order.spec.message) mail->said(order.spec.message->number);
  return mail;
}

class RunThread final : public RunHandle {
 public:
  RunThread(PrepareRun prepare, boost::asio::io_context& owner, RunOrder order, Audience& audience,
            RunCalls calls)
      : mail_(make_mail(owner, order, std::move(calls))),
        leash_(std::make_shared<Leash>()),
        body_(std::move(prepare), std::move(order), audience, *mail_, *leash_),
        thread_([this] { body_.go(); }) {}

  ~RunThread() override {
    mail_->close();
    leash_->pull();
    body_.abandon();
    thread_.join();
  }
  RunThread(const RunThread&) = delete;
  RunThread& operator=(const RunThread&) = delete;

  void answer(agent::Reply reply) override {
    body_.post([reply = std::move(reply)](Run& run) mutable { run.answer(std::move(reply)); });
  }
  void say(Message message) override {
    mail_->said(message.number);  // unheard where the run has ended by then
    body_.post([message = std::move(message)](Run& run) mutable { run.say(std::move(message)); });
  }
  void interrupt_turn() override {
    body_.post([](Run& run) { run.interrupt_turn(); });
  }
  void rest() override {
    body_.post([](Run& run) { run.leave(); });
  }
  void end_answers() override {
    body_.post([](Run& run) { run.end_answers(); });
  }
  void stop() override { body_.stop(); }
  void kill() override {
    leash_->pull();
    body_.post([](Run& run) { run.interrupt(SIGTERM); });  // so that no other start follows
  }
  [[nodiscard]] std::function<void()> kill_switch() override {
    return [leash = leash_] { leash->pull(); };
  }

 private:
  std::shared_ptr<Mail> mail_;
  std::shared_ptr<Leash> leash_;
  Body body_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace

StartRun run_as_thread(PrepareRun prepare) {
  return [prepare = std::move(prepare)](boost::asio::io_context& owner, RunOrder order,
                                        Audience& audience,
                                        RunCalls calls) -> Result<std::unique_ptr<RunHandle>> {
    try {
      return std::unique_ptr<RunHandle>(std::make_unique<RunThread>(
          prepare, owner, std::move(order), audience, std::move(calls)));
    } catch (const std::exception& fault) {  // no thread, no descriptors
      return Error{ErrorCode::internal, fmt::format("start a run: {}", fault.what())};
    }
  };
}

}  // namespace dragoman::engine
