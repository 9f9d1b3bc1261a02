// SPDX-License-Identifier: Apache-2.0
// Writes the fields of a payload, with json::Writer or whatever else has its functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "dragoman/event/names.hpp"
#include "dragoman/event/payloads.hpp"

namespace dragoman {

template <typename T>
concept EnumField = std::is_enum_v<T>;
template <typename T>
concept PlainField = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T, typename Visitor>
concept ObjectField = requires(const T& object, Visitor& visitor) {
  T::fields(object, visitor);
};

inline bool field_is_present(std::string_view s) { return s.data() != nullptr; }
inline bool field_is_present(const json::Text& t) { return !t.absent(); }
inline bool field_is_present(const Raw& r) { return !r.absent(); }
template <typename T>
bool field_is_present(const std::optional<T>& o) {
  return o.has_value();
}
template <typename T>
bool field_is_present(std::span<const T> items) {
  return !items.empty();
}
template <PlainField T>
bool field_is_present(T /*value*/) {
  return true;
}

// Writes each field that is there.
template <typename Writer>
class FieldWriter {
 public:
  explicit FieldWriter(Writer& writer) : w_(writer) {}

  template <std::size_t N, typename T>
  void operator()(const char (&key)[N], const T& value) {
    if (!field_is_present(value)) return;
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

  Writer& w_;
};

}  // namespace dragoman
