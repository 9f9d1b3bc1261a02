// SPDX-License-Identifier: Apache-2.0
// Bytes in, events out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/event.hpp"

namespace dragoman {

// How much is forgiven.
enum class Mode : std::uint8_t {
  standard,  // "default": what docs/dialects says
  strict,    // the letter of the specifications: findings about form make a marker malformed
  compat,    // what the parsers printed in the source documents do, without their plain bugs
};
[[nodiscard]] std::string_view name(Mode mode);  // default, strict, compat
[[nodiscard]] std::optional<Mode> mode_named(std::string_view name);

struct ReaderOptions {
  Mode mode = Mode::standard;
  Stream stream = Stream::stdout_;
  std::size_t line_cap = std::size_t{16} << 20U;  // longer lines become `oversize`; at most 1 GiB
  bool partial = false;                           // report fragments of unfinished messages too
  std::vector<std::string> marker_names;  // bracket markers to know besides the documented ones
  std::string
      prompt;  // supervised plain-text runs: lines the agent only echoes are not its own words
  // idle() gives out no block of lines that may still grow: each is one event, however slowly its
  // lines come. For those that act on events; a view wants to show what there is.
  bool whole_blocks = false;
  bool every_remark = false;  // also what the mode takes without a word: for check
  std::string cwd;  // where the agent runs, for streams that do not say it; paths are shown from it
};

// Turns one agent's output into events.
//
// A reader is total: what it cannot make sense of becomes an event that says so. It never throws,
// never stops, and never depends on how the bytes were chunked: pushing "ab" equals pushing "a",
// then "b", once neighbouring text is joined. Every byte lies in exactly one record by the time
// finish() returns, and no more is held back than may still become part of a marker or line, which
// is bounded by the line cap.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual void push(std::string_view chunk, EventSink& out) = 0;

  // Nothing has come for a while: blocks that only wait for a possible next line are given out.
  // Lines that belong to them after all come as an update with the same id; what there is to say
  // about them is said when they are over.
  virtual void idle(EventSink& /*out*/) {}

  // The stream is over. Call it once; nothing may be pushed afterwards.
  virtual void finish(EventSink& out) = 0;

  // What the stream has turned out to be (a reader that detects starts as text).
  [[nodiscard]] virtual Dialect dialect() const = 0;

  // Lines read so far; an unfinished last line counts once finish() was called.
  [[nodiscard]] virtual std::uint64_t lines() const = 0;
};

// A reader for one dialect; wxcode, question, markers and text are names for the same plain-text
// reader.
[[nodiscard]] std::unique_ptr<Reader> make_reader(Dialect dialect, ReaderOptions options = {});

// A reader that finds out by itself, from the first lines.
[[nodiscard]] std::unique_ptr<Reader> make_detecting_reader(ReaderOptions options = {});

}  // namespace dragoman
