// SPDX-License-Identifier: Apache-2.0
// Runs while they happen: what is said scrolls by and stays, what is going on stands below it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/palette.hpp"
#include "dragoman/show/terminal_renderer.hpp"

namespace dragoman::show {

// Takes events and ticks, and writes to a descriptor. It reads no clock, starts no thread and
// installs no signal handler: its owner tells it the time, a change of size, and when the program
// is about to stop. Between close() or suspend() and the next tick the terminal is as it was found:
// cursor shown, no status area.
//
// On a terminal at most kRepaints repaints are made in a second, however many events come. Without
// a status area (a pipe, a dumb terminal) it writes lines and not a single escape sequence but
// colours, if those were asked for.
class LiveView {
 public:
  using Clock = std::chrono::steady_clock;
  // False: nothing more can be written.
  using Write = std::function<bool(std::string_view)>;

  static constexpr int kRepaints = 30;

  enum class StatusArea : std::uint8_t { no, yes };

  LiveView(const RenderOptions& options, StatusArea area, Write write, Clock::time_point now);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // `begun`: when the run was started, where that is known.
  void begin(RunIndex run, std::string_view label, std::optional<Timestamp> begun = std::nullopt);
  void expect(RunIndex run, Dialect dialect) { renderer_.expect(run, dialect); }
  void event(RunIndex run, const Event& event);
  void idle();  // nothing has come for a while
  void end(RunIndex run);

  // Paints if it is time to. Call it after events, and when until_next() has passed.
  void tick(Clock::time_point now);
  // How long the picture may stay as it is; none: until something happens.
  [[nodiscard]] std::optional<std::chrono::milliseconds> until_next(Clock::time_point now) const;

  void resize(std::size_t width);
  // Gives the terminal back; the next tick takes it again.
  void suspend();
  // All runs are over. Nothing may follow.
  void close();

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::uint64_t repaints() const { return repaints_; }

 private:
  struct Shown {
    RunIndex index = 0;
    std::string label;
    bool open = true;
    std::uint64_t tool = 0;  // the number of the call that was started last
    Clock::time_point tool_since;
    Clock::time_point since;
  };

  void paint(Clock::time_point now);
  void append_erase(std::string& out);
  [[nodiscard]] std::vector<std::string> area_lines(Clock::time_point now);
  [[nodiscard]] bool any_open() const;
  void put(std::string_view bytes);

  RenderOptions options_;
  StatusArea area_;
  Write write_;
  Palette palette_;
  TerminalRenderer renderer_;
  Clock::time_point now_;
  std::vector<Shown> runs_;
  std::string text_;                  // rendered, not written yet
  std::string frame_;                 // reused
  std::vector<std::string> painted_;  // the status area that is on the screen
  bool cursor_hidden_ = false;
  bool failed_ = false;
  bool closed_ = false;
  std::optional<Clock::time_point> last_paint_;
  std::uint64_t repaints_ = 0;
};

}  // namespace dragoman::show
