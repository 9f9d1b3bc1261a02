// SPDX-License-Identifier: Apache-2.0
// Events in, something for people out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::show {

enum class Format : std::uint8_t { terminal, html, markdown, github };
[[nodiscard]] std::string_view name(Format format);
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

// How many colours the sink has.
enum class ColorDepth : std::uint8_t { none, ansi16, ansi256, rgb24 };

enum class Detail : std::uint8_t { quiet, normal, verbose };

struct RenderOptions {
  std::size_t width = 80;  // columns; for formats that have them
  ColorDepth color = ColorDepth::none;
  Detail detail = Detail::normal;
  // Plain text of a program keeps its lines; a terminal wants them wrapped, a pipe does not.
  bool wrap_plain_text = true;
  // Somewhere else shows which tools are running, so that only their end has to be written.
  bool running_tools_shown_elsewhere = false;
  bool timeline = false;  // what the run spent its time on, instead of what it said
  std::string title;      // of a page
  // github: at least 16 random bytes that no agent has seen; the words that fence raw text are
  // made from them. Where there are none the renderer takes some from the system.
  std::string secret;
};

// Which of the runs that are shown together an event belongs to; counts from 0.
using RunIndex = std::size_t;

// Shows one or several runs, as one document.
//
// A renderer is total and pure: what it appends depends on its options and on the calls alone, not
// on a clock, the environment or where the output goes, and not on how neighbouring text was cut
// into events. It appends only what is final; nothing that was appended is taken back. Every event
// leaves a trace that a person can see, unless the options ask for less, and nothing of what an
// agent wrote is alive in the sink: no control character, no escape sequence, no markup of its own.
// Memory is bounded by what is open (tools, questions, an unfinished paragraph), not by the run,
// except where the format needs the whole before it can begin (a timeline).
class Renderer {
 public:
  virtual ~Renderer() = default;

  // A run begins. `label` names it where several are shown; empty where there is one.
  virtual void begin(RunIndex run, std::string_view label, std::string& out) = 0;

  // Between begin() and end() of that run; events of several runs may be interleaved.
  virtual void event(RunIndex run, const Event& event, std::string& out) = 0;

  // Nothing has come for a while: what only waits for more may be shown as it is.
  virtual void idle(std::string& /*out*/) {}

  virtual void end(RunIndex run, std::string& out) = 0;

  // After the last end(), once.
  virtual void finish(std::string& out) = 0;

  // After finish(): a second document that goes elsewhere, such as a job summary. Mostly none.
  [[nodiscard]] virtual std::string summary() { return {}; }
};

// Never null.
[[nodiscard]] std::unique_ptr<Renderer> make_renderer(Format format, const RenderOptions& options);

}  // namespace dragoman::show
