// SPDX-License-Identifier: Apache-2.0
// Giving out the events that one line makes.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/framing/line_splitter.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {

// Fields that an event's kind has no name for, gathered on the stack. Absent values and null are
// left out.
class Extras {
 public:
  Extras& add(std::string_view key, const json::Value& value) {
    if (value.absent() || value.kind == json::Kind::null_) return *this;
    return add_raw(key, value.raw);
  }
  Extras& add_raw(std::string_view key, std::string_view json) {
    if (count_ < kMost) new (room_.data() + count_++ * sizeof(Extra)) Extra{key, Raw{json}};
    return *this;
  }
  operator std::span<const Extra>() const {  // NOLINT(google-explicit-constructor)
    return {std::launder(reinterpret_cast<const Extra*>(room_.data())), count_};
  }

 private:
  static_assert(std::is_trivially_destructible_v<Extra>);
  static constexpr std::size_t kMost = 16;
  // Most events have none, so nothing is written here before there is one.
  alignas(Extra) std::array<std::byte, kMost * sizeof(Extra)> room_;
  std::size_t count_ = 0;
};

class LineEvents {
 public:
  LineEvents(EventSink& out, const Origin& origin, Level form_level)
      : out_(out), origin_(origin), form_level_(form_level) {}
  // The same without a copy of an origin that was just made, which would have to wait until its
  // parts have reached memory.
  LineEvents(EventSink& out, Dialect dialect, Stream stream, const Line& line, Level form_level)
      : out_(out), form_level_(form_level) {
    origin_.dialect = dialect;
    origin_.stream = stream;
    origin_.offset = line.offset;
    origin_.length = line.length;
    origin_.line = line.number;
    origin_.channel = Channel::system;
  }

  [[nodiscard]] EventSink& sink() { return out_; }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] Origin origin_in(Channel channel) const {
    Origin origin = origin_;
    origin.channel = channel;
    return origin;
  }
  void set_parent(std::string_view parent) { origin_.parent = parent; }

  template <typename P>
  void emit(const P& payload, Channel channel, std::span<const Extra> extra = {}) {
    emit_at(payload, origin_in(channel), extra);
  }
  // An event to fill in where it lies, for the same reason; give() is called when that is done.
  [[nodiscard]] Event draft(Channel channel) const {
    Event event;
    event.origin = origin_;
    event.origin.channel = channel;
    return event;
  }
  void give(const Event& event) { out_.on_event(event); }

  template <typename P>
  void emit_partial(const P& payload, Channel channel) {
    Event event{Payload(std::in_place_type<P>, payload), origin_in(channel), 0, {}, true, {}};
    out_.on_event(event);
  }
  template <typename P>
  void emit_at(const P& payload, const Origin& origin, std::span<const Extra> extra = {}) {
    Event event{Payload(std::in_place_type<P>, payload), origin, 0, {}, false, extra};
    out_.on_event(event);
  }

  void finding(std::string_view rule, Level level, std::string_view message,
               Channel channel = Channel::system) {
    emit(Diagnostic{rule, level, message}, channel);
  }
  // About how something is written: an error where the letter counts.
  void form_finding(std::string_view rule, std::string_view message) {
    finding(rule, form_level_, message);
  }
  // What the cursor met while it passed over the line.
  void string_findings(const json::Cursor& cursor) {
    if (cursor.saw_lone_surrogate()) {
      form_finding("lone_surrogate", "half a surrogate pair is read as U+FFFD");
    }
    if (cursor.saw_invalid_utf8()) {
      form_finding("invalid_utf8", "bytes that are not UTF-8 are read as U+FFFD");
    }
  }

  // Events that nobody wrote stand just behind the line, and have no length.
  [[nodiscard]] Origin origin_behind(Channel channel) const {
    Origin origin = origin_in(channel);
    origin.offset += origin.length;
    origin.length = 0;
    return origin;
  }
  // Those that tell of what must have happened before stand just in front of it.
  [[nodiscard]] Origin origin_before(Channel channel) const {
    Origin origin = origin_in(channel);
    origin.length = 0;
    return origin;
  }

 private:
  EventSink& out_;
  Origin origin_;
  Level form_level_;
};

// The string a value is, decoded; absent for everything else.
[[nodiscard]] inline std::string_view string_of(const json::Value& value, Arena& arena) {
  if (!value.is(json::Kind::string)) return {};
  return value.escaped ? json::decode(value.text(), arena) : value.text().bytes;
}
// The same without decoding.
[[nodiscard]] inline json::Text text_of(const json::Value& value) {
  return value.is(json::Kind::string) ? value.text() : json::Text{};
}

// Numbers of a line that a machine number cannot hold: their text is kept in a warning.
class NumberReader {
 public:
  explicit NumberReader(LineEvents& events) : events_(events) {}

  [[nodiscard]] std::optional<Number> number(const json::Value& value);
  [[nodiscard]] std::optional<std::int64_t> integer(const json::Value& value);
  [[nodiscard]] std::optional<double> real(const json::Value& value);
  // Of what cannot be less than nothing.
  [[nodiscard]] std::optional<std::int64_t> count(const json::Value& value);
  [[nodiscard]] std::optional<Number> amount(const json::Value& value);

 private:
  [[nodiscard]] bool is_negative(double number, const json::Value& value);

  LineEvents& events_;
};

}  // namespace dragoman
