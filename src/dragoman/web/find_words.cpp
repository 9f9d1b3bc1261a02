// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/find_words.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman::web {

namespace {

// Where the colour sequence (ESC [ 1 ; 31 m) that begins at `from` ends; `from` where none does.
std::size_t behind_colour(std::string_view text, std::size_t from) {
  if (text[from] != '\x1b' || from + 1 >= text.size() || text[from + 1] != '[') return from;
  const std::size_t end = text.find_first_not_of("0123456789;:", from + 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : from;
}

// In place, for the letters of a long output are many.
void lower_without_colours(std::string& text) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t behind = behind_colour(text, at); behind > at) {
      at = behind;
    } else {
      text[to++] = ascii::lower(text[at++]);
    }
  }
  text.resize(to);
}

class Counting {
 public:
  explicit Counting(std::string_view words) : words_(words) {}

  void take_event(json::Cursor& cursor) {
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      if (key == "kind" && cursor.next_is(json::Kind::string)) {
        shown_ = shown_ && cursor.take().raw != R"("usage")";  // nobody says those figures
      } else if (key == "partial") {
        shown_ = shown_ && !cursor.take().is_true();
      } else if (key == "data" && cursor.next_is(json::Kind::object)) {
        take_data(cursor);
      } else {
        (void)cursor.skip();
      }
    }
  }
  [[nodiscard]] std::size_t times() const { return shown_ ? times_ : 0; }

 private:
  void take_data(json::Cursor& cursor) {
    bool command = false;
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      command = command || key == "command";
      // The input of a call with a command has that command once more.
      const bool hidden = key == "id" || key == "message_id" || (key == "input" && command);
      hidden ? (void)cursor.skip() : take(cursor);
    }
  }

  void take(json::Cursor& cursor) {
    switch (cursor.peek()) {
      case json::Kind::string:
        take_text(cursor.skip());
        return;
      case json::Kind::object: {
        std::string_view key;
        for (json::Members members(cursor); members.next(key);) take(cursor);
        return;
      }
      case json::Kind::array:
        for (json::Elements elements(cursor); elements.next();) take(cursor);
        return;
      case json::Kind::null_:
      case json::Kind::boolean:
      case json::Kind::number:
        (void)cursor.skip();
    }
  }

  void take_text(const json::Value& value) {
    if (!value.is(json::Kind::string)) return;
    text_.clear();
    json::decode_to(text_, value.text());
    lower_without_colours(text_);
    for (std::size_t at = text_.find(words_); at != std::string::npos;
         at = text_.find(words_, at + words_.size()))
      ++times_;
  }

  std::string_view words_;
  std::string text_;
  std::size_t times_ = 0;
  bool shown_ = true;
};

}  // namespace

std::size_t times_said(std::string_view event, std::string_view words) {
  if (words.empty()) return 0;
  json::Cursor cursor(event);
  Counting counting(words);
  counting.take_event(cursor);
  return counting.times();
}

}  // namespace dragoman::web
