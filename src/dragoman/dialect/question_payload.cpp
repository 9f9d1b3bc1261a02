// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_payload.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {
namespace {

using json::Cursor;
using json::Value;

std::string_view text_of(const Value& value, Arena& arena) {
  return value.is(json::Kind::string) ? json::decode(value.text(), arena) : std::string_view{};
}

// A bool, or absent when the value is something else.
std::optional<bool> flag(const Value& value) {
  if (!value.is(json::Kind::boolean)) return std::nullopt;
  return value.is_true();
}

// null counts as absent.
bool has_other_kind(const Value& value, json::Kind kind) {
  return !value.absent() && !value.is(kind) && !value.is(json::Kind::null_);
}

constexpr std::size_t kMostExtras = 64;  // fields of one question that we have no name for

// Fields of a Question that are ours to fill, whatever the payload says about them.
bool is_ours(std::string_view key) {
  constexpr std::array<std::string_view, 7> kOurs = {"kind",     "source", "state", "context",
                                                     "blocking", "secret", "answer"};
  return std::find(kOurs.begin(), kOurs.end(), key) != kOurs.end();
}

struct RawQuestion {
  Value id, question, header, options, free_text, type, is_other, multi_select, is_blocking,
      is_secret;
  std::vector<Extra> rest;
};

RawQuestion members_of(Cursor& cursor, Arena& arena) {
  RawQuestion raw;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    Value* field = nullptr;
    if (key == "id") field = &raw.id;
    if (key == "question" || key == "text" || key == "prompt") field = &raw.question;
    if (key == "header") field = &raw.header;
    if (key == "options") field = &raw.options;
    if (key == "freeText" || key == "free_text") field = &raw.free_text;
    if (key == "type") field = &raw.type;
    if (key == "isOther") field = &raw.is_other;
    if (key == "multiSelect" || key == "multi_select") field = &raw.multi_select;
    if (key == "isBlocking") field = &raw.is_blocking;
    if (key == "isSecret") field = &raw.is_secret;
    if (field != nullptr) {
      *field = cursor.skip();
    } else if (raw.rest.size() < kMostExtras && !is_ours(key)) {
      const std::string_view name = arena.copy(key);  // the key is gone once its value is passed
      raw.rest.push_back({name, json::Raw{cursor.take().raw}});
    } else {
      cursor.skip();
    }
  }
  return raw;
}

// {"label":…,"description":…} or a plain string. Without a label there is nothing to choose.
std::optional<Option> read_option(Cursor& cursor, Arena& arena) {
  Option option;
  if (cursor.next_is(json::Kind::string)) {
    option.label = json::decode(cursor.take().text(), arena);
  } else if (cursor.next_is(json::Kind::object)) {
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const bool label = key == "label";
      const bool description = key == "description";
      const std::string_view text = text_of(cursor.skip(), arena);
      if (label) option.label = text;
      if (description) option.description = text;
    }
  } else {
    cursor.skip();
  }
  if (option.label.empty()) return std::nullopt;
  return option;
}

std::span<const Option> read_options(const Value& list, Arena& arena, bool& dropped) {
  if (!list.is(json::Kind::array)) return {};
  std::vector<Option> options;
  Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    if (const auto option = read_option(cursor, arena); option.has_value()) {
      options.push_back(*option);
    } else {
      dropped = true;
    }
  }
  return arena.copy(std::span<const Option>(options));
}

void read_question(Cursor& cursor, QuestionSource source, Arena& arena, QuestionPayload& out) {
  if (!cursor.next_is(json::Kind::object)) {
    cursor.skip();
    out.dropped_entry = true;
    return;
  }
  const RawQuestion raw = members_of(cursor, arena);
  Question question;
  question.source = source;
  question.text = text_of(raw.question, arena);
  if (question.text.data() == nullptr) {  // nothing was asked
    out.dropped_entry = true;
    return;
  }
  out.mistyped |= has_other_kind(raw.header, json::Kind::string) ||
                  has_other_kind(raw.options, json::Kind::array) ||
                  has_other_kind(raw.multi_select, json::Kind::boolean);
  question.header = question_header(text_of(raw.header, arena), question.text);
  question.options = read_options(raw.options, arena, out.dropped_option);
  question.multi_select = flag(raw.multi_select).value_or(false);
  const bool by_default =
      source == QuestionSource::request_user_input ? flag(raw.is_other).value_or(false) : true;
  question.free_text = question.options.empty() || text_of(raw.type, arena) == "text" ||
                       flag(raw.free_text).value_or(by_default);
  question.blocking = flag(raw.is_blocking).value_or(true);
  if (flag(raw.is_secret).value_or(false)) question.secret = true;
  out.questions.push_back(question);
  out.own_ids.push_back(text_of(raw.id, arena));
  out.extras.push_back(arena.copy(std::span<const Extra>(raw.rest)));
}

void read_list(Cursor& cursor, QuestionSource source, Arena& arena, QuestionPayload& out) {
  if (!cursor.next_is(json::Kind::array)) {
    cursor.skip();
    return;
  }
  for (json::Elements elements(cursor); elements.next();) read_question(cursor, source, arena, out);
}

}  // namespace

void read_questions(std::string_view json, QuestionSource source, Arena& arena,
                    QuestionPayload& out) {
  out.questions.clear();
  out.own_ids.clear();
  out.extras.clear();
  out.odd_shape = out.dropped_option = out.dropped_entry = out.mistyped = false;
  Cursor cursor(json);
  if (cursor.next_is(json::Kind::array)) {
    out.odd_shape = true;
    read_list(cursor, source, arena, out);
    return;
  }
  Value list;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool is_list = key == "questions";
    const Value value = cursor.skip();
    if (is_list) list = value;  // the last of two equal keys wins
  }
  if (!list.absent()) {
    Cursor inside(list.raw);
    read_list(inside, source, arena, out);
    return;
  }
  out.odd_shape = true;
  Cursor bare(json);
  read_question(bare, source, arena, out);
}

std::string_view question_header(std::string_view given, std::string_view text) {
  constexpr std::size_t kLongest = 12;
  if (!given.empty()) return given;
  std::string_view cut = utf8::prefix(text, kLongest);
  cut = cut.substr(0, cut.find_first_of("\r\n"));
  if (cut.size() == text.size()) return cut;
  const bool at_word_end =
      text[cut.size()] == ' ' || text[cut.size()] == '\n' || text[cut.size()] == '\r';
  if (!at_word_end) {
    const std::size_t blank = cut.rfind(' ');
    if (blank != std::string_view::npos && blank > 0) cut = cut.substr(0, blank);
  }
  while (!cut.empty() && cut.back() == ' ') cut.remove_suffix(1);
  return cut;
}

}  // namespace dragoman
