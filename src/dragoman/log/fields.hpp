// SPDX-License-Identifier: Apache-2.0
// Values of records as flat JSON objects: a struct names its members once, in
//   template <typename Self, typename V> static void fields(Self& s, V&& v) { v("name", s.name); …
//   }
// and is written and read by that. Defaults are left out; unknown members are skipped, so that an
// older program reads what a newer one wrote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

// A member that holds JSON of its own.
struct JsonText {
  std::string json;
  friend bool operator==(const JsonText&, const JsonText&) = default;
};

class RecordWriter {
 public:
  explicit RecordWriter(std::string& out) : w_(out) { w_.begin_object(); }
  void close() { w_.end_object(); }

  void operator()(std::string_view name, const std::string& text) {
    if (!text.empty()) w_.key(name).string(text);
  }
  void operator()(std::string_view name, std::int64_t number) {
    if (number != 0) w_.key(name).integer(number);
  }
  void operator()(std::string_view name, std::uint64_t number) {
    (*this)(name, static_cast<std::int64_t>(number));
  }
  void operator()(std::string_view name, const std::optional<std::int64_t>& number) {
    if (number) w_.key(name).integer(*number);
  }
  void operator()(std::string_view name, bool truth) {
    if (truth) w_.key(name).boolean(true);
  }
  void operator()(std::string_view name, const JsonText& text) {
    if (!text.json.empty()) w_.key(name).raw({text.json});
  }
  void operator()(std::string_view name, const KeptWants& wants) {
    if (!wants.empty()) w_.key(name).raw({wants.write()});
  }
  void operator()(std::string_view name, const std::vector<std::string>& list) {
    if (list.empty()) return;
    w_.key(name).begin_array();
    for (const auto& item : list) w_.string(item);
    w_.end_array();
  }
  void operator()(std::string_view name, const std::vector<std::size_t>& list) {
    if (list.empty()) return;
    w_.key(name).begin_array();
    for (const auto item : list) w_.count(item);
    w_.end_array();
  }

 private:
  json::Writer w_;
};

// Offered each member of the object in turn; takes the one that has the name.
class RecordReader {
 public:
  RecordReader(json::Cursor& cursor, std::string_view key) : cursor_(cursor), key_(key) {}
  [[nodiscard]] bool taken() const { return taken_; }

  void operator()(std::string_view name, std::string& text) {
    if (!is(name)) return;
    const json::Value value = cursor_.take();
    if (value.is(json::Kind::string)) text = value.text().str();
  }
  void operator()(std::string_view name, std::int64_t& number) {
    if (is(name)) number = integer().value_or(number);
  }
  void operator()(std::string_view name, std::uint64_t& number) {
    if (is(name)) number = static_cast<std::uint64_t>(integer().value_or(0));
  }
  void operator()(std::string_view name, std::optional<std::int64_t>& number) {
    if (is(name)) number = integer();
  }
  void operator()(std::string_view name, bool& truth) {
    if (is(name)) truth = cursor_.take().is_true();
  }
  void operator()(std::string_view name, JsonText& text) {
    if (is(name)) text.json = std::string(cursor_.take().raw);
  }
  void operator()(std::string_view name, KeptWants& wants) {
    if (is(name)) wants = KeptWants::read(cursor_.take().raw);
  }
  void operator()(std::string_view name, std::vector<std::string>& list) {
    if (!is(name)) return;
    for (json::Elements items(cursor_); items.next();) {
      const json::Value value = cursor_.take();
      if (value.is(json::Kind::string)) list.push_back(value.text().str());
    }
  }
  void operator()(std::string_view name, std::vector<std::size_t>& list) {
    if (!is(name)) return;
    for (json::Elements items(cursor_); items.next();)
      list.push_back(static_cast<std::size_t>(std::max<std::int64_t>(integer().value_or(0), 0)));
  }

 private:
  bool is(std::string_view name) {
    if (taken_ || name != key_) return false;
    taken_ = true;
    return true;
  }
  std::optional<std::int64_t> integer() {
    const json::Value value = cursor_.take();
    if (!value.is(json::Kind::number)) return std::nullopt;
    return json::parse_number(value.raw).value.whole();
  }

  json::Cursor& cursor_;
  std::string_view key_;
  bool taken_ = false;
};

template <typename T>
[[nodiscard]] std::string write_fields(const T& value) {
  std::string out;
  RecordWriter writer(out);
  T::fields(value, writer);
  writer.close();
  return out;
}

template <typename T>
[[nodiscard]] Result<T> read_fields(std::string_view json) {
  T value;
  json::Cursor cursor(json);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    RecordReader reader(cursor, key);
    T::fields(value, reader);
    if (!reader.taken()) (void)cursor.skip();
  }
  if (!cursor.finish()) return Error{ErrorCode::internal, "a record of the log is not readable"};
  return value;
}

}  // namespace dragoman
