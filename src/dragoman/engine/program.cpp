// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/program.hpp"

#include <utility>

namespace dragoman::engine {
namespace {

class Supervised final : public Program {
 public:
  explicit Supervised(std::unique_ptr<process::Supervisor> supervisor)
      : supervisor_(std::move(supervisor)) {}

  void write(std::string bytes) override { supervisor_->write(std::move(bytes)); }
  [[nodiscard]] std::size_t input_pending() const override { return supervisor_->input_pending(); }
  void close_stdin() override { supervisor_->close_stdin(); }
  void stop() override { supervisor_->stop(); }
  void kill() override { supervisor_->stop(std::chrono::milliseconds(0)); }
  void signal(int number) override { supervisor_->signal(number); }
  void result_seen() override { supervisor_->result_seen(); }
  void work_resumed() override { supervisor_->work_resumed(); }
  void pause_limits() override { supervisor_->pause_limits(); }
  void resume_limits() override { supervisor_->resume_limits(); }
  void begin_limits() override { supervisor_->begin_limits(); }
  [[nodiscard]] Result<process::KillSwitch> kill_switch() const override {
    return supervisor_->kill_switch();
  }

 private:
  std::unique_ptr<process::Supervisor> supervisor_;
};

}  // namespace

Result<std::unique_ptr<Program>> ProcessSpawner::start(const process::Command& command,
                                                       const process::Settings& settings,
                                                       process::Handlers handlers) {
  DRAGOMAN_TRY(auto supervisor,
               process::Supervisor::start(io_, command, settings, std::move(handlers)));
  return std::unique_ptr<Program>(std::make_unique<Supervised>(std::move(supervisor)));
}

}  // namespace dragoman::engine
