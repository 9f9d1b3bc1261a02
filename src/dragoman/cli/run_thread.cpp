// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_thread.hpp"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "dragoman/cli/arguments.hpp"
#include "dragoman/cli/ask_jsonl.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/run_job.hpp"
#include "dragoman/cli/run_mail.hpp"

namespace dragoman::cli {
namespace {

const CommandSpec& spec_of_run() {
  static const CommandSpec kSpec = run_command();
  return kSpec;
}

// What the thread does. Everything of it lives and dies in that thread, except what stop() and
// abandon() post.
class Run {
 public:
  Run(task::RunOrder order, RunMail& mail, Leash& leash)
      : order_(std::move(order)), mail_(mail), leash_(leash), lines_(mail), patience_(io_) {}

  // From other threads.
  void stop() {
    boost::asio::post(io_, [this] {
      interrupt();
      patience_.expires_after(order_.grace);
      patience_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) leash_.pull();
      });
    });
  }
  void interrupt_soon() {
    boost::asio::post(io_, [this] { interrupt(); });
  }
  void abandon() { io_.stop(); }
  // Whole lines.
  void write(std::string lines) {
    boost::asio::post(io_, [this, lines = std::move(lines)] { hear(lines); });
  }
  void close_input() {
    boost::asio::post(io_, [this] {
      if (asker_ != nullptr) asker_->end();
    });
  }

  task::RunEnd go() {
    try {
      const task::RunEnd end = run();
      session_.reset();
      asker_.reset();
      leash_.untie();
      lines_.flush();
      return end;
    } catch (const std::exception& fault) {  // out of memory, or a fault of ours: one run's end
      return refused(125, fault.what());
    }
  }

 private:
  task::RunEnd run() {
    auto parsed = parse_arguments(spec_of_run(), {order_.words.begin() + 1, order_.words.end()});
    if (const auto* const wrong = std::get_if<UsageError>(&parsed))
      return refused(kUsage, wrong->message);
    RunSurroundings surroundings{std::move(order_.environment), order_.directory, order_.input};
    auto setup = run_setup(std::get<Invocation>(parsed), surroundings);
    if (!setup) return refused(kUsage, setup.error().message);
    job_ = std::make_unique<RunJob>(*std::move(setup));
    if (auto prepared = job_->prepare(); !prepared) return not_started(prepared.error());
    job_->plan().launched = [this](process::KillSwitch agent) { leash_.tie(std::move(agent)); };
    if (job_->setup().jsonl) make_asker();
    session_ = job_->session(io_, {lines_, asker_.get()},
                             [this](const agent::Ending& ending) { end(ending); });
    if (leash_.pulled()) return refused(128 + SIGKILL, "ended before it began");
    if (auto started = session_->start(); !started) return not_started(started.error());
    if (job_->setup().jsonl) session_->diagnose("run_started", Level::info, job_->setup().run_id);
    // A question may wait for its answer while no program runs, and nothing else does then.
    const auto waiting = boost::asio::make_work_guard(io_);
    io_.run();
    return {exit_code_, fmt::format("exit code {}", exit_code_)};
  }

  task::RunEnd refused(int exit_code, std::string_view why) {
    mail_.send(process::Stream::stderr_, fmt::format("run: {}\n", printable(why)));
    return {exit_code, std::string(why)};
  }
  task::RunEnd not_started(const Error& error) {
    const int code = process::exit_code_of(error);
    mail_.send(process::Stream::stdout_, unstarted_line(error, code));
    return refused(code, error.message);
  }

  void make_asker() {
    asker_ = std::make_unique<JsonlAsker>(
        io_, JsonlAsker::Calls{[this](const std::string& why) {
                                 session_->diagnose("answer_refused", Level::warning, why);
                               },
                               [this] { interrupt(); }});
    write(job_->setup().begun_stdin);
    if (!order_.talks) close_input();
  }
  void hear(std::string_view lines) {
    while (asker_ != nullptr && !lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      asker_->hear(std::string(lines.substr(0, end)));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  void interrupt() {
    if (session_ != nullptr) session_->interrupt(SIGTERM);
  }

  void end(const agent::Ending& ending) {
    exit_code_ = ending.exit_code;
    const auto say = [this](const Error& error) {
      mail_.send(process::Stream::stderr_, printable(error.message) + "\n");
    };
    if (auto kept = job_->remember(*session_, ending); !kept) say(kept.error());
    if (const auto fault = job_->recording().fault()) say(*fault);
    io_.stop();
  }

  task::RunOrder order_;
  RunMail& mail_;
  Leash& leash_;
  boost::asio::io_context io_{1};
  EventLines lines_;
  boost::asio::steady_timer patience_;
  std::unique_ptr<RunJob> job_;
  std::unique_ptr<JsonlAsker> asker_;
  std::unique_ptr<agent::Session> session_;
  int exit_code_ = 125;
};

class RunThread final : public task::RunHandle {
 public:
  RunThread(boost::asio::io_context& io, task::RunOrder order, task::RunCalls calls)
      : mail_(std::make_shared<RunMail>(io, std::move(calls))),
        leash_(std::make_shared<Leash>()),
        run_(std::move(order), *mail_, *leash_),
        thread_([this] { mail_->end(run_.go()); }) {}

  ~RunThread() override {
    mail_->close();
    leash_->pull();
    run_.abandon();
    thread_.join();
  }
  RunThread(const RunThread&) = delete;
  RunThread& operator=(const RunThread&) = delete;

  void write(std::string bytes) override { run_.write(std::move(bytes)); }
  void close_input() override { run_.close_input(); }
  void stop() override { run_.stop(); }
  void kill() override {
    leash_->pull();
    run_.interrupt_soon();  // so that it does not go on with another start
  }
  Result<std::function<void()>> kill_switch() override {
    return std::function<void()>([leash = leash_] { leash->pull(); });
  }
  pid_t pid() const override { return 0; }

 private:
  std::shared_ptr<RunMail> mail_;
  std::shared_ptr<Leash> leash_;
  Run run_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace

task::StartRun run_as_thread() {
  return [](boost::asio::io_context& io, task::RunOrder order,
            task::RunCalls calls) -> Result<std::unique_ptr<task::RunHandle>> {
    try {
      return std::unique_ptr<task::RunHandle>(
          std::make_unique<RunThread>(io, std::move(order), std::move(calls)));
    } catch (const std::exception& fault) {  // no thread, no descriptors
      return Error{ErrorCode::internal, fmt::format("start a run: {}", fault.what())};
    }
  };
}

}  // namespace dragoman::cli
