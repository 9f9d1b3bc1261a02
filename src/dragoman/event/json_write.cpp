// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "dragoman/event/field_writer.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/event/origin_writer.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

// Finds out whether a kind has a field of some name.
class FieldFinder {
 public:
  explicit FieldFinder(std::string_view wanted) : wanted_(wanted) {}

  template <typename T>
  void operator()(std::string_view key, const T& /*value*/) {
    found_ = found_ || key == wanted_;
  }
  template <typename T>
  void required(std::string_view key, std::span<const T> /*items*/) {
    found_ = found_ || key == wanted_;
  }
  void map(std::string_view key, std::span<const Field> items) { (*this)(key, items); }

  [[nodiscard]] bool found() const { return found_; }

 private:
  std::string_view wanted_;
  bool found_ = false;
};

bool is_ours(const Event& event, std::string_view key) {
  FieldFinder finder(key);
  std::visit([&finder](const auto& payload) { payload.fields(payload, finder); }, event.payload);
  return finder.found() || key == "partial";
}

// An agent's own field keeps its name unless it is that of a field of ours, also of one that is
// absent: nobody could tell who says it, and it need not be of the type that is promised.
void put_extra(json::Writer& w, const Event& event, const Extra& extra) {
  if (!is_ours(event, extra.key)) {
    w.key(extra.key).raw(extra.value);
    return;
  }
  std::string key(extra.key);
  const auto is_other = [&key](const Extra& other) { return other.key == key; };
  do {
    key.insert(key.begin(), '_');
  } while (is_ours(event, key) || std::any_of(event.extra.begin(), event.extra.end(), is_other));
  w.key(key).raw(extra.value);
}

void put_data(json::Writer& w, const Event& event) {
  w.begin_object();
  FieldWriter<json::Writer> fields(w);
  std::visit([&fields](const auto& payload) { payload.fields(payload, fields); }, event.payload);
  if (event.partial) w.name("partial").boolean(true);
  for (const Extra& extra : event.extra) put_extra(w, event, extra);
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
  put_origin(frame, origin);
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

void append_wants(std::string& out, const Wants& wants) {
  json::Writer w(out);
  w.begin_object();
  FieldWriter<json::Writer> fields(w);
  Wants::fields(wants, fields);
  w.end_object();
}

std::string to_json(const Event& event) {
  std::string out;
  append_json(out, event);
  return out;
}

}  // namespace dragoman
