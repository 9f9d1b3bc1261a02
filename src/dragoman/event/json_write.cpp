// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cstring>
#include <type_traits>

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

  template <std::size_t N, typename T>
  void operator()(const char (&key)[N], const T& value) {
    if (!present(value)) return;
    w_.name(key);
    put(value);
  }
  // Lists that are written also when they are empty.
  template <std::size_t N, typename T>
  void required(const char (&key)[N], std::span<const T> items) {
    w_.name(key);
    put(items);
  }
  template <std::size_t N>
  void map(const char (&key)[N], std::span<const Field> items) {
    if (items.empty()) return;
    w_.name(key).begin_object();
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
      w_.word("unknown");
    } else {
      w_.boolean(r == Recoverable::true_);
    }
  }
  template <EnumField T>
  void put(T value) {
    w_.word(name(value));
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
  if (event.partial) w.name("partial").boolean(true);
  for (const Extra& extra : event.extra) w.key(extra.key).raw(extra.value);
  w.end_object();
}

// Our own words and numbers, gathered and then appended at once: growing a string in small steps
// costs more than what is written.
class Framework {
 public:
  template <std::size_t N>
  Framework& operator<<(const char (&literal)[N]) {
    std::memcpy(end_, literal, N - 1);
    end_ += N - 1;
    return *this;
  }
  Framework& operator<<(std::string_view word) {
    std::memcpy(end_, word.data(), word.size());
    end_ += word.size();
    return *this;
  }
  Framework& operator<<(std::uint64_t number) {
    end_ = std::to_chars(end_, bytes_.data() + bytes_.size(), number).ptr;
    return *this;
  }
  void append_to(std::string& out) const {
    out.append(bytes_.data(), static_cast<std::size_t>(end_ - bytes_.data()));
  }

 private:
  std::array<char, 512> bytes_;  // every key and word there is, and five numbers: below 300
  char* end_ = bytes_.data();
};

void append_origin(std::string& out, const Origin& origin) {
  Framework frame;
  frame << R"(,"origin":{"dialect":")" << name(origin.dialect);
  if (origin.via.has_value()) frame << R"(","via":")" << name(*origin.via);
  frame << R"(","stream":")" << name(origin.stream) << R"(","offset":)" << origin.offset
        << R"(,"length":)" << origin.length;
  if (origin.at.has_value()) frame << R"(,"at":)" << *origin.at;
  frame << R"(,"line":)" << origin.line << R"(,"channel":")" << name(origin.channel) << "\"";
  frame.append_to(out);
  if (origin.parent.data() != nullptr) {
    out.append(R"(,"parent":)");
    json::append_string(out, origin.parent);
  }
  out.push_back('}');
}

}  // namespace

void append_data(std::string& out, const Event& event) {
  json::Writer w(out);
  put_data(w, event);
}

void append_json(std::string& out, const Event& event) {
  Framework head;
  head << "{";
  if (event.seq != 0) head << R"("seq":)" << event.seq << ",";
  if (event.ts.has_value()) {
    std::string ts;
    append_timestamp(ts, *event.ts);
    head << R"("ts":")" << std::string_view(ts) << R"(",)";
  }
  head << R"("kind":")" << name(event.kind()) << R"(","data":)";
  head.append_to(out);
  append_data(out, event);
  append_origin(out, event.origin);
  out.push_back('}');
}

std::string to_json(const Event& event) {
  std::string out;
  append_json(out, event);
  return out;
}

}  // namespace dragoman
