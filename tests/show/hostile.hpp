// SPDX-License-Identifier: Apache-2.0
// Hostile strings, and events that carry one in every text field they have.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/empty_payload.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/json/writer.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {

// The escapes of tests/data/hostile_strings.txt.
inline std::string unescape(std::string_view line) {
  std::string out;
  const auto number = [&line](std::size_t from, std::size_t length, int base) {
    std::uint32_t value = 0;
    std::from_chars(line.data() + from, line.data() + from + length, value, base);
    return value;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      out.push_back(line[i]);
      continue;
    }
    const char c = line[++i];
    if (c == 'n') out.push_back('\n');
    if (c == 'r') out.push_back('\r');
    if (c == 't') out.push_back('\t');
    if (c == 'x') out.push_back(static_cast<char>(number(i + 1, 2, 16)));
    if (c == 'u') utf8::append(out, number(i + 1, 4, 16));
    if (c == 'U') utf8::append(out, number(i + 1, 8, 16));
    if (c == 'R') {
      const std::size_t close = line.find('}', i);
      const std::size_t end = line.find('}', close + 1);
      const std::string text = unescape(line.substr(close + 2, end - close - 2));
      const std::size_t most = 40'000 / step_with_sanitizers(40);
      const std::size_t times = std::min<std::size_t>(number(i + 2, close - i - 2, 10), most);
      for (std::size_t n = 0; n < times; ++n) out += text;
      i = end;
      continue;
    }
    if (std::string_view("nrtxuUR").find(c) == std::string_view::npos) out.push_back(c);
    i += c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  }
  return out;
}

inline std::vector<std::string> hostile_strings() {
  const std::string file = read_file(source_dir() / "tests/data/hostile_strings.txt");
  std::vector<std::string> list;
  for (std::size_t at = file.find("\n\n") + 2; at < file.size();) {
    const std::size_t end = std::min(file.find('\n', at), file.size());
    list.push_back(unescape(std::string_view(file).substr(at, end - at)));
    at = end + 1;
  }
  return list;
}

// Sets every text of an event to the same bytes, through `fields`, so that a new field is tried
// without anybody thinking of it.
class FilledEvents {
 public:
  FilledEvents(std::string_view text, Arena& arena) : text_(arena.copy(text)), arena_(arena) {
    json::append_string(json_, text_);
    raw_ = arena_.copy(json_);
  }

  Event make(Kind kind) {
    Event event;
    event.payload = empty_payload(kind);
    std::visit([this](auto& payload) { payload.fields(payload, *this); }, event.payload);
    return event;
  }

  template <typename T>
  void operator()(std::string_view /*key*/, T& field) {
    set(field);
  }
  template <typename T>
  void required(std::string_view /*key*/, std::span<const T>& items) {
    set(items);
  }
  void map(std::string_view /*key*/, std::span<const Field>& items) { set(items); }

 private:
  void set(std::string_view& s) { s = text_; }
  void set(json::Text& t) { t = json::Text(text_); }
  void set(Raw& r) { r = Raw{raw_}; }
  void set(bool& /*b*/) {}
  void set(double& d) { d = 0.5; }
  void set(json::Number& n) { n = json::Number::of(std::int64_t{50}); }
  template <typename T>
  void set(std::optional<T>& value) {
    value.emplace();
    set(*value);
  }
  template <typename T>
  void set(std::span<const T>& items) {
    std::vector<T> made(2);
    for (T& item : made) set(item);
    items = arena_.copy(std::span<const T>(made));
  }
  template <typename T>
  void set(T& value) {
    if constexpr (std::is_class_v<T>) value.fields(value, *this);
    if constexpr (std::is_integral_v<T>) value = 3;
  }

  std::string_view text_;
  Arena& arena_;
  std::string json_;
  std::string_view raw_;
};

// One event of each kind and the variants that look different, as a run would have them.
inline std::vector<Event> hostile_run(std::string_view text, Arena& arena) {
  FilledEvents filled(text, arena);
  std::vector<Event> events;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (static_cast<Kind>(kind) == Kind::finished) continue;
    events.push_back(filled.make(static_cast<Kind>(kind)));
    if (auto* const tool = std::get_if<ToolFinished>(&events.back().payload)) {
      Event failed = events.back();
      std::get<ToolFinished>(failed.payload).outcome = Outcome::failed;
      tool->error = {};
      events.push_back(filled.make(Kind::tool_started));
      events.push_back(failed);
    }
    if (std::holds_alternative<Question>(events.back().payload)) {
      Event answered = events.back();
      std::get<Question>(answered.payload).state = QuestionState::answered;
      events.push_back(answered);
    }
    if (std::holds_alternative<TurnFinished>(events.back().payload)) {
      Event good = events.back();
      std::get<TurnFinished>(good.payload).ok = true;
      events.push_back(good);
    }
  }
  // A tool of a subagent, words on stderr, and a tool nobody saw the end of.
  Event inside = filled.make(Kind::tool_started);
  std::get<ToolStarted>(inside.payload).id = "child";
  inside.origin.parent = arena.copy(text);
  events.push_back(filled.make(Kind::tool_started));
  events.push_back(inside);
  Event noise = filled.make(Kind::text);
  noise.origin.channel = Channel::noise;
  events.push_back(noise);
  Event fragment = filled.make(Kind::text);
  fragment.partial = true;
  events.push_back(fragment);
  events.push_back(filled.make(Kind::finished));
  return events;
}

}  // namespace dragoman::test
