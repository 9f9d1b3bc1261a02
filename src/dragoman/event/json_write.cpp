// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <type_traits>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

template <typename T>
concept EnumField = std::is_enum_v<T>;
template <typename T>
concept PlainField = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T, typename Visitor>
concept ObjectField = requires(const T& object, Visitor& visitor) {
  T::fields(object, visitor);
};

// Writes each field that is there.
class FieldWriter {
 public:
  explicit FieldWriter(json::Writer& writer) : w_(writer) {}

  template <typename T>
  void operator()(std::string_view key, const T& value) {
    if (!present(value)) return;
    w_.key(key);
    put(value);
  }
  // Lists that are written also when they are empty.
  template <typename T>
  void required(std::string_view key, std::span<const T> items) {
    w_.key(key);
    put(items);
  }
  void map(std::string_view key, std::span<const Field> items) {
    if (items.empty()) return;
    w_.key(key).begin_object();
    for (const Field& field : items) w_.key(field.key).string(field.value);
    w_.end_object();
  }

 private:
  static bool present(std::string_view s) { return s.data() != nullptr; }
  static bool present(const json::Text& t) { return !t.absent(); }
  static bool present(const Raw& r) { return !r.absent(); }
  template <typename T>
  static bool present(const std::optional<T>& o) {
    return o.has_value();
  }
  template <typename T>
  static bool present(std::span<const T> items) {
    return !items.empty();
  }
  template <PlainField T>
  static bool present(T /*value*/) {
    return true;
  }

  void put(std::string_view s) { w_.string(s); }
  void put(const json::Text& t) { w_.text(t); }
  void put(const Raw& r) { w_.raw(r); }
  void put(bool b) { w_.boolean(b); }
  void put(std::int64_t n) { w_.integer(n); }
  void put(std::uint64_t n) { w_.count(n); }
  void put(double d) { w_.real(d); }
  void put(const Number& n) { w_.number(n); }
  void put(Recoverable r) {
    if (r == Recoverable::unknown) {
      w_.string("unknown");
    } else {
      w_.boolean(r == Recoverable::true_);
    }
  }
  template <EnumField T>
  void put(T value) {
    w_.string(name(value));
  }
  template <typename T>
  void put(const std::optional<T>& o) {
    put(*o);
  }
  template <typename T>
  void put(std::span<const T> items) {
    w_.begin_array();
    for (const T& item : items) put(item);
    w_.end_array();
  }
  template <ObjectField<FieldWriter> T>
  void put(const T& object) {
    w_.begin_object();
    T::fields(object, *this);
    w_.end_object();
  }

  json::Writer& w_;
};

void put_data(json::Writer& w, const Event& event) {
  w.begin_object();
  FieldWriter fields(w);
  std::visit([&fields](const auto& payload) { payload.fields(payload, fields); }, event.payload);
  if (event.partial) w.key("partial").boolean(true);
  for (const Extra& extra : event.extra) w.key(extra.key).raw(extra.value);
  w.end_object();
}

void put_origin(json::Writer& w, const Origin& origin) {
  w.begin_object();
  w.key("dialect").string(name(origin.dialect));
  if (origin.via.has_value()) w.key("via").string(name(*origin.via));
  w.key("stream").string(name(origin.stream));
  w.key("offset").count(origin.offset);
  w.key("length").count(origin.length);
  if (origin.at.has_value()) w.key("at").count(*origin.at);
  w.key("line").count(origin.line);
  w.key("channel").string(name(origin.channel));
  if (origin.parent.data() != nullptr) w.key("parent").string(origin.parent);
  w.end_object();
}

}  // namespace

void append_timestamp(std::string& out, Timestamp ts) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ts);
  fmt::format_to(std::back_inserter(out), "{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                 fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                 (ts - seconds).count());
}

void append_data(std::string& out, const Event& event) {
  json::Writer w(out);
  put_data(w, event);
}

void append_json(std::string& out, const Event& event) {
  json::Writer w(out);
  w.begin_object();
  if (event.seq != 0) w.key("seq").count(event.seq);
  if (event.ts.has_value()) {
    std::string ts;
    append_timestamp(ts, *event.ts);
    w.key("ts").string(ts);
  }
  w.key("kind").string(name(event.kind()));
  w.key("data");
  put_data(w, event);
  w.key("origin");
  put_origin(w, event.origin);
  w.end_object();
}

std::string to_json(const Event& event) {
  std::string out;
  append_json(out, event);
  return out;
}

}  // namespace dragoman
