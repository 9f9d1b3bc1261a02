// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "dragoman/process/supervisor.hpp"
#include "dragoman/task/run_handle.hpp"

namespace dragoman::task {
namespace {

class RunProcess final : public RunHandle {
 public:
  [[nodiscard]] Result<void> start(boost::asio::io_context& io, const std::string& program,
                                   RunOrder order, RunCalls calls) {
    process::Command command;
    command.program = program;
    command.arguments = std::move(order.words);
    command.environment = std::move(order.environment);
    command.directory = std::move(order.directory);
    command.ours = true;
    const bool has_input = order.talks || !order.input.empty();
    command.stdin_from = has_input ? process::Stdin::pipe : process::Stdin::null;
    process::Settings settings;
    settings.limits = {std::chrono::milliseconds(0), std::chrono::milliseconds(0),
                       std::chrono::milliseconds(0), std::chrono::milliseconds(0)};
    settings.grace = order.grace;
    process::Handlers handlers;
    handlers.output = std::move(calls.output);
    handlers.ended = [ended = std::move(calls.ended)](const process::Outcome& outcome) {
      ended({process::exit_code_of(outcome.exit), process::describe(outcome.exit)});
    };
    DRAGOMAN_TRY(supervisor_,
                 process::Supervisor::start(io, command, settings, std::move(handlers)));
    if (!order.input.empty()) supervisor_->write(std::move(order.input));
    if (has_input && !order.talks) supervisor_->close_stdin();
    return {};
  }

  void write(std::string bytes) override { supervisor_->write(std::move(bytes)); }
  void close_input() override { supervisor_->close_stdin(); }
  void stop() override { supervisor_->stop(); }
  void kill() override { supervisor_->stop(std::chrono::milliseconds(0)); }
  Result<std::function<void()>> kill_switch() override {
    DRAGOMAN_TRY(auto ends, supervisor_->kill_switch());
    return std::function<void()>(
        [one = std::make_shared<process::KillSwitch>(std::move(ends))] { one->pull(); });
  }
  pid_t pid() const override { return supervisor_->pid(); }

 private:
  std::unique_ptr<process::Supervisor> supervisor_;
};

}  // namespace

StartRun run_as_process(std::string program) {
  return [program = std::move(program)](boost::asio::io_context& io, RunOrder order,
                                        RunCalls calls) -> Result<std::unique_ptr<RunHandle>> {
    auto run = std::make_unique<RunProcess>();
    DRAGOMAN_CHECK(run->start(io, program, std::move(order), std::move(calls)));
    return std::unique_ptr<RunHandle>(std::move(run));
  };
}

}  // namespace dragoman::task
