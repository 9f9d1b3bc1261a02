// SPDX-License-Identifier: Apache-2.0
// A run as `dragoman show` shows it, while it goes on.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "dragoman/cli/run_views.hpp"
#include "dragoman/show/live_view.hpp"
#include "dragoman/show/terminal_echo.hpp"

namespace dragoman::cli {

// With an io_context it keeps the picture moving and follows the terminal's size; without one it
// moves with the events.
class RunScreen final : public RunWatcher {
 public:
  RunScreen(const RunViewOptions& options, Console& console);
  ~RunScreen() override;
  RunScreen(const RunScreen&) = delete;
  RunScreen& operator=(const RunScreen&) = delete;

  void event(const Event& event, engine::EventLine& line) override;
  void idle() override;
  void give_way() override;
  void go_on() override { asked_ = false; }
  [[nodiscard]] bool just_showed(const KeptQuestion& asked) const override {
    return asked.kind == QuestionKind::blocked && blocked_ == asked.text;
  }

 private:
  void paint();
  void wait_for_next();
  void wait_for_resize();
  void handle_stops();
  void wait_for_stop();

  Console& console_;
  bool asks_;
  bool asked_ = false;                  // somebody is typing an answer
  bool way_given_ = false;              // nothing has been shown since
  std::optional<std::string> blocked_;  // what the card says that was shown last
  show::LiveView view_;
  show::TerminalEcho echo_;
  std::optional<boost::asio::steady_timer> timer_;
  std::optional<boost::asio::signal_set> resized_;
  std::optional<boost::asio::signal_set> stopped_;
};

}  // namespace dragoman::cli
