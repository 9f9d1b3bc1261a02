// SPDX-License-Identifier: Apache-2.0
// What all readers of JSON lines do alike: every line is one record; what is no JSON is noise, what
// is broken JSON is malformed, what is too long is oversize.
#pragma once

#include <string_view>

#include "dragoman/dialect/line_events.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/framing/line_splitter.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {

class JsonLines {
 public:
  JsonLines(Dialect dialect, const ReaderOptions& options)
      : splitter_(options.line_cap),
        cap_(options.line_cap),
        dialect_(dialect),
        stream_(options.stream),
        strict_(options.mode == Mode::strict) {}

  // Calls read(line, events) for each line that looks like a JSON object or array.
  template <typename Read>
  void push(std::string_view chunk, EventSink& out, Read&& read) {
    splitter_.feed(chunk);
    while (const Line* line = splitter_.next()) take(*line, out, read);
  }
  // The same for readers that take a line apart before they know where it ends, which saves looking
  // for the newline first. reader.read_known(text) reads the line at the start of the text if it is
  // like an earlier one, and returns its length without the newline, else 0. Then
  // reader.extract(cursor) reads the object at the cursor and says whether it is good;
  // reader.learn(text) is told of a line that was. After either reader.give_out(line, text, cursor,
  // events) is called; for all others reader.read(line, events) as above.
  template <typename R>
  void push_ahead(std::string_view chunk, EventSink& out, R& reader) {
    const auto give = [&](std::size_t length, const json::Cursor& cursor) {
      const Line& line = *splitter_.take(length);
      out.on_record({line.offset, line.length});
      LineEvents events(out, dialect_, stream_, line, form_level());
      reader.give_out(line, line.content, cursor, events);
    };
    const auto read = [&reader](const Line& line, LineEvents& events) {
      reader.read(line, events);
    };
    splitter_.feed(chunk);
    for (;;) {
      const std::string_view rest = splitter_.rest();
      if (!rest.empty() && rest[0] == '{') {
        const std::string_view longest = rest.substr(0, cap_ + 1);
        const auto ends_at = [&](std::size_t length) {
          return length <= cap_ && length < rest.size() && rest[length] == '\n';
        };
        if (const std::size_t length = reader.read_known(longest); length != 0 && ends_at(length)) {
          give(length, json::Cursor(longest.substr(0, length)));
          continue;
        }
        json::Cursor cursor(longest, scalars(), json::Cursor::Extent::first_line);
        if (reader.extract(cursor) && ends_at(cursor.position())) {
          reader.learn(longest.substr(0, cursor.position()));
          give(cursor.position(), cursor);
          continue;
        }
      }
      const Line* const line = splitter_.next();
      if (line == nullptr) return;
      take(*line, out, read);
    }
  }
  template <typename Read>
  void finish(EventSink& out, Read&& read) {
    if (const Line* line = splitter_.finish()) take(*line, out, read);
  }

  // How the lines of this stream are to be passed over: in every mode alike, because an agent's
  // line is never refused for its form.
  [[nodiscard]] static json::Cursor::Scalars scalars() {
    return json::Cursor::Scalars::lax_when_skipped;
  }

  // For events that nobody wrote, when the stream is over.
  [[nodiscard]] LineEvents behind_the_end(EventSink& out) const;

  // Reports a line that the cursor could not read.
  static void report_fault(const Line& line, const json::Cursor& cursor, LineEvents& events,
                           Arena& arena);
  // A whole value that no rule explains. Nothing of it was looked at closely before, so that is
  // done here: what is passed on as raw JSON is always well formed.
  static void report_unknown(const Line& line, std::string_view json, std::string_view type,
                             LineEvents& events, Arena& arena);

  [[nodiscard]] std::uint64_t lines() const { return splitter_.lines(); }

 private:
  template <typename Read>
  void take(const Line& line, EventSink& out, Read& read) {
    out.on_record({line.offset, line.length});
    LineEvents events(out, dialect_, stream_, line, form_level());
    if (line.bom) events.form_finding("bom", "the stream begins with a byte order mark");
    if (is_json(line, events)) read(line, events);
  }

  [[nodiscard]] static bool is_json(const Line& line, LineEvents& events);
  [[nodiscard]] Level form_level() const { return strict_ ? Level::error : Level::warning; }

  LineSplitter splitter_;
  std::size_t cap_;
  Dialect dialect_;
  Stream stream_;
  bool strict_;
};

}  // namespace dragoman
