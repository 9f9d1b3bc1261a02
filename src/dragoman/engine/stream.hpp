// SPDX-License-Identifier: Apache-2.0
// From the bytes of one or several starts of an agent to the numbered events of one run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/redact/filter.hpp"

namespace dragoman::engine {

// An event's canonical line, written when the first asks for it, and once. Valid with the event.
class EventLine {
 public:
  EventLine(const Event& event, std::string& buffer) : event_(event), buffer_(buffer) {}
  [[nodiscard]] std::string_view json();

 private:
  const Event& event_;
  std::string& buffer_;
  bool written_ = false;
};

// Is told what happens in a run.
class Audience {
 public:
  virtual ~Audience() = default;
  // As soon as it is read: text in whatever pieces it comes, without a number.
  virtual void live(const Event& /*event*/) {}
  // Numbered and with its time, text by the line.
  virtual void event(const Event& /*event*/, EventLine& /*line*/) {}
  virtual void pause() {}  // that is all for the moment
  virtual void idle() {}   // nothing has come for a while
};

// Reads stdout in the agent's dialect and stderr as lines of text. Offsets and line numbers count
// over all starts, as the recording does.
class EventStream {
 public:
  // `admits`: may correct an event of the agent. Where it refuses one, such as one that only says
  // again what was said, that gets no number and is not given out. `rules`: by which secrets are
  // taken out of every event, before anything else sees it. Absent: as it is.
  EventStream(std::function<void(const Event&)> live, std::function<void(const Event&)> numbered,
              std::function<bool(Event&)> admits = {},
              std::function<std::shared_ptr<const redact::Rules>()> rules = {});
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Where the events of earlier turns ended: these stand behind them.
  struct Position {
    std::uint64_t seq = 0;
    std::uint64_t stdout_bytes = 0;
    std::uint64_t stdout_lines = 0;
    std::uint64_t stderr_bytes = 0;
    std::uint64_t stderr_lines = 0;
  };
  void go_on(const Position& from);  // before the first begin()

  // `dialect` absent: found out. `stderr_blocks`: a [BLOCKED] line on stderr counts, as the
  // executor's protocol has it; no other marker there does.
  void begin(std::optional<Dialect> dialect, const ReaderOptions& options, bool stderr_blocks);
  void push_stdout(std::string_view bytes, Timestamp now);
  void push_stderr(std::string_view bytes, Timestamp now);
  void idle();
  // The first lines of a stream wait until it is known whose they are. Who watches does not: called
  // now and then, it gives them out as the text that they most likely are.
  void show_beginning();
  void finish(Timestamp now);

  // An event of our own.
  void tell(const Payload& payload, Timestamp now, std::span<const Extra> extra = {},
            Channel channel = Channel::control);

  [[nodiscard]] Dialect dialect() const;

 private:
  class Shift;
  class Numbers;

  void stderr_line(std::string_view line);
  // The one place that every event passes, before anything else sees it. `spoken`: in the stream of
  // what the agent says; else beside it, on stderr or by us.
  enum class From : std::uint8_t { spoken, beside };
  void pass(const Event& event, From from);
  void give_out(const Event& event, From from);

  std::function<void(const Event&)> live_;
  std::function<void(const Event&)> numbered_;
  std::function<bool(Event&)> admits_;
  std::function<std::shared_ptr<const redact::Rules>()> rules_;
  std::unique_ptr<Numbers> numbers_;
  std::unique_ptr<TextLines> lines_;
  std::unique_ptr<Shift> shift_;
  std::unique_ptr<Reader> reader_;
  Timestamp now_{};
  std::uint64_t stdout_bytes_ = 0;
  std::uint64_t stderr_bytes_ = 0;
  std::uint64_t stderr_lines_ = 0;
  std::string stderr_pending_;
  bool stderr_blocks_ = false;
  bool detects_ = false;
};

}  // namespace dragoman::engine
