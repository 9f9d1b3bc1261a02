// SPDX-License-Identifier: Apache-2.0
// Events of every kind with every field set or not, made through `fields`, so that a new field is
// tested without anybody thinking of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/empty_payload.hpp"
#include "dragoman/event/event.hpp"
#include "tests/support/json_documents.hpp"

namespace dragoman::test {

class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : documents_(seed), random_(documents_.random()) {}

  // Everything in it lives in `arena`.
  Event make(Kind kind, Arena& arena) {
    arena_ = &arena;
    Event event;
    event.payload = empty_payload(kind);
    std::visit([this](auto& payload) { payload.fields(payload, *this); }, event.payload);
    event.seq = random_.one_in(3) ? 0 : random_.next();
    if (random_.one_in(2))
      event.ts = Timestamp(std::chrono::milliseconds(random_.below(1ULL << 47U)));
    event.partial = random_.one_in(8);
    set(event.origin.offset);
    set(event.origin.length);
    set(event.origin.at);
    set(event.origin.line);
    set(event.origin.parent);
    event.origin.dialect = static_cast<Dialect>(random_.below(7));
    if (random_.one_in(2)) event.origin.via = static_cast<Dialect>(random_.below(7));
    event.origin.stream = static_cast<Stream>(random_.below(2));
    event.origin.channel = static_cast<Channel>(random_.below(14));
    event.extra = extra();
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
  void map(std::string_view /*key*/, std::span<const Field>& items) {
    set(items);
    auto* const fields = const_cast<Field*>(items.data());
    for (std::size_t i = 0; i < items.size(); ++i) {
      fields[i].key = arena_->copy(std::to_string(i) + word());  // a map has each key once
      if (fields[i].value.data() == nullptr) fields[i].value = "";
    }
  }

 private:
  std::string word() {
    constexpr std::array<std::string_view, 12> kPieces = {
        "plain words", "\"",   "\\",       "\n",   "} -->", "é",
        "😀",           "\xFF", "\xF0\x9F", "\x01", "/",     "\xE2\x80\xA8"};
    std::string out;
    while (!random_.one_in(3)) out += random_.pick(kPieces);
    if (random_.one_in(5)) out.push_back('\0');
    return out;
  }

  std::span<const Extra> extra() {
    std::vector<Extra> made;
    while (random_.one_in(2)) {
      const std::string key = "x" + std::to_string(made.size()) + word();
      made.push_back({arena_->copy(key), raw()});
    }
    return arena_->copy(std::span<const Extra>(made));
  }
  Raw raw() { return Raw{arena_->copy(documents_.value())}; }

  void set(std::string_view& s) {
    s = random_.one_in(3) ? std::string_view() : arena_->copy(word());
  }
  void set(json::Text& t) {
    if (random_.one_in(3)) return;
    if (random_.one_in(2)) {
      t = json::Text(arena_->copy(word()));
      return;
    }
    std::string text;
    while (text.empty() || text[0] != '"') text = documents_.value();
    t = json::Text(arena_->copy(std::string_view(text).substr(1, text.size() - 2)), true);
  }
  void set(Raw& r) {
    if (!random_.one_in(3)) r = raw();
  }
  void set(bool& b) { b = random_.one_in(2); }
  void set(std::int64_t& n) { n = static_cast<std::int64_t>(random_.next() >> random_.below(64)); }
  void set(std::uint64_t& n) { n = random_.next() >> random_.below(64); }
  void set(double& d) { d = static_cast<double>(random_.next()) / 1e6 - 1e12; }
  void set(Number& n) {
    if (random_.one_in(2)) {
      n = Number::of(static_cast<std::int64_t>(random_.next()));
    } else {
      double d = 0;
      set(d);
      n = Number::of(d);
    }
  }
  void set(Outcome& e) { e = static_cast<Outcome>(random_.below(4)); }
  void set(QuestionKind& e) { e = static_cast<QuestionKind>(random_.below(3)); }
  void set(QuestionSource& e) { e = static_cast<QuestionSource>(random_.below(5)); }
  void set(QuestionState& e) { e = static_cast<QuestionState>(random_.below(4)); }
  void set(Grant& e) { e = static_cast<Grant>(random_.below(4)); }
  void set(FileAction& e) { e = static_cast<FileAction>(random_.below(5)); }
  void set(Recoverable& e) { e = static_cast<Recoverable>(random_.below(3)); }
  void set(UsageScope& e) { e = static_cast<UsageScope>(random_.below(4)); }
  void set(Level& e) { e = static_cast<Level>(random_.below(3)); }
  template <typename T>
  void set(std::optional<T>& o) {
    if (random_.one_in(3)) return;
    T value{};
    set(value);
    o = value;
  }
  template <typename T>
  void set(std::span<const T>& items) {
    std::vector<T> made(random_.below(4));
    for (T& item : made) {
      set(item);
      // A list has no place for an absent string.
      if constexpr (std::is_same_v<T, std::string_view>) {
        if (item.data() == nullptr) item = "";
      }
    }
    items = arena_->copy(std::span<const T>(made));
  }
  template <typename T>
  requires requires(T& object, RandomEvents& visitor) { T::fields(object, visitor); }
  void set(T& object) { T::fields(object, *this); }

  JsonDocuments documents_;
  Random& random_;
  Arena* arena_ = nullptr;
};

}  // namespace dragoman::test
