// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_payload.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/field_table.hpp"
#include "dragoman/event/names.hpp"
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

struct RawQuestion {
  Value id, question, header, options, free_text, type, is_other, multi_select, is_blocking,
      is_secret;
  std::vector<Extra> rest;
  Value kind, source, state, context, blocking, secret;  // as an event has them
};

using Q = RawQuestion;
constexpr FieldTable kQuestion({
    Slot<Q>{"id", &Q::id},
    {"question", &Q::question},
    {"text", &Q::question},
    {"prompt", &Q::question},
    {"header", &Q::header},
    {"options", &Q::options},
    {"freeText", &Q::free_text},
    {"free_text", &Q::free_text},
    {"type", &Q::type},
    {"isOther", &Q::is_other},
    {"multiSelect", &Q::multi_select},
    {"multi_select", &Q::multi_select},
    {"isBlocking", &Q::is_blocking},
    {"isSecret", &Q::is_secret},
    {"kind", &Q::kind},
    {"source", &Q::source},
    {"state", &Q::state},
    {"context", &Q::context},
    {"blocking", &Q::blocking},
    {"secret", &Q::secret},
});

// Who wrote the question down: an agent, whose word about our own fields means nothing, or we.
enum class WrittenBy : std::uint8_t { agent, us };

// The last of two equal keys wins.
void keep_last(std::vector<Extra>& extras, const Extra& extra) {
  const auto known = std::find_if(extras.begin(), extras.end(),
                                  [&](const Extra& other) { return other.key == extra.key; });
  if (known == extras.end()) {
    extras.push_back(extra);
  } else {
    *known = extra;
  }
}

// The answer is not the agent's to give, and the id of a request only its program knows.
bool is_reserved(std::string_view key) { return key == "answer" || key == "request_id"; }

// What is known of who asks.
struct Asker {
  QuestionSource source;
  WrittenBy by;
};

// Whether the field says all that the value does. What it does not say is kept beside it.
bool says_all(const RawQuestion& raw, const Value* field, const Value& value, Asker asker) {
  using json::Kind;
  if (!value.given()) return true;
  if (field == &raw.options) return value.is(Kind::array);
  if (field == &raw.question || field == &raw.header) return value.is(Kind::string);
  if (field == &raw.type) return value.raw == R"("text")";
  const bool server = asker.source == QuestionSource::request_user_input;
  if (field == &raw.id) return server && value.is(Kind::string);
  if (field == &raw.is_other) return server && value.is(Kind::boolean);
  if (field == &raw.free_text || field == &raw.multi_select || field == &raw.is_blocking ||
      field == &raw.is_secret) {
    return value.is(Kind::boolean);
  }
  if (asker.by == WrittenBy::agent) return false;
  if (field == &raw.context) return value.is(Kind::array);
  const bool is_flag = field == &raw.blocking || field == &raw.secret;
  return value.is(is_flag ? Kind::boolean : Kind::string);
}

RawQuestion members_of(Cursor& cursor, Asker asker, Arena& arena) {
  RawQuestion raw;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const std::string_view name = arena.copy(key);  // the key is gone once its value is passed
    const Value value = cursor.take();
    Value* const field = kQuestion.find(name, raw);
    if (field != nullptr) *field = value;
    const bool read = field != nullptr && says_all(raw, field, value, asker);
    if (!read && raw.rest.size() < kMostExtras && !is_reserved(name)) {
      keep_last(raw.rest, {name, json::Raw{value.raw}});
    }
  }
  return raw;
}

struct ReadOption {
  Option option;
  bool all = true;                   // nothing else was said of it
  bool described_otherwise = false;  // its description is no text
};

// {"label":…,"description":…} or a plain string. Without a label there is nothing to choose.
ReadOption read_option(Cursor& cursor, Arena& arena) {
  ReadOption read;
  Option& option = read.option;
  if (cursor.next_is(json::Kind::string)) {
    option.label = json::decode(cursor.take().text(), arena);
  } else if (cursor.next_is(json::Kind::object)) {
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const bool label = key == "label";
      const bool description = key == "description";
      const Value value = cursor.take();
      const std::string_view text = text_of(value, arena);
      if (label) option.label = text;
      if (description) option.description = text;
      if (description) read.described_otherwise = has_other_kind(value, json::Kind::string);
      const bool known = (label || description) && value.is(json::Kind::string);
      read.all = read.all && (known || !value.given());
    }
  } else {
    read.all = !cursor.take().given();
  }
  return read;
}

struct ReadOptions {
  std::span<const Option> options;
  bool dropped = false;  // one without a label
  bool all = true;       // nothing else was said of them
  bool described_otherwise = false;
};

ReadOptions read_options(const Value& list, Arena& arena) {
  ReadOptions read;
  if (!list.is(json::Kind::array)) return read;
  std::vector<Option> options;
  Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const ReadOption entry = read_option(cursor, arena);
    const bool labelled = !entry.option.label.empty();
    if (labelled) options.push_back(entry.option);
    read.dropped = read.dropped || !labelled;
    read.described_otherwise = read.described_otherwise || entry.described_otherwise;
    read.all = read.all && entry.all && (labelled || entry.option.description.empty());
  }
  read.options = arena.copy(std::span<const Option>(options));
  return read;
}

std::span<const std::string_view> read_lines(const Value& list, Arena& arena) {
  if (!list.is(json::Kind::array)) return {};
  std::vector<std::string_view> lines;
  Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    if (const std::string_view line = text_of(cursor.take(), arena); line.data() != nullptr) {
      lines.push_back(line);
    }
  }
  return arena.copy(std::span<const std::string_view>(lines));
}

// A name that nobody knows changes nothing.
void read_our_fields(const RawQuestion& raw, Arena& arena, Question& question) {
  (void)set_from_name(question.kind, text_of(raw.kind, arena));
  (void)set_from_name(question.source, text_of(raw.source, arena));
  (void)set_from_name(question.state, text_of(raw.state, arena));
  question.context = read_lines(raw.context, arena);
  question.blocking = flag(raw.blocking).value_or(question.blocking);
  if (flag(raw.secret).value_or(false)) question.secret = true;
}

void note_mistyped(const RawQuestion& raw, bool described_otherwise,
                   std::vector<std::string_view>& mistyped) {
  const auto say = [&mistyped](std::string_view fault) {
    const bool known = std::find(mistyped.begin(), mistyped.end(), fault) != mistyped.end();
    if (!known) mistyped.push_back(fault);
  };
  const auto note = [&say](const Value& value, json::Kind kind, std::string_view fault) {
    if (has_other_kind(value, kind)) say(fault);
  };
  note(raw.header, json::Kind::string, "header is not a string");
  note(raw.options, json::Kind::array, "options is not a list");
  note(raw.multi_select, json::Kind::boolean, "multiSelect is not true or false");
  note(raw.free_text, json::Kind::boolean, "freeText is not true or false");
  note(raw.is_other, json::Kind::boolean, "isOther is not true or false");
  note(raw.is_blocking, json::Kind::boolean, "isBlocking is not true or false");
  note(raw.is_secret, json::Kind::boolean, "isSecret is not true or false");
  if (described_otherwise) say("an option's description is not a string");
}

void read_question(Cursor& cursor, Asker asker, Arena& arena, QuestionPayload& out) {
  if (!cursor.next_is(json::Kind::object)) {
    cursor.skip();
    out.dropped_entry = true;
    return;
  }
  RawQuestion raw = members_of(cursor, asker, arena);
  Question question;
  question.source = asker.source;
  question.text = text_of(raw.question, arena);
  if (question.text.data() == nullptr) {  // nothing was asked
    out.dropped_entry = true;
    return;
  }
  question.header = question_header(text_of(raw.header, arena), question.text);
  const ReadOptions options = read_options(raw.options, arena);
  note_mistyped(raw, options.described_otherwise, out.mistyped);
  question.options = options.options;
  out.dropped_option = out.dropped_option || options.dropped;
  if (!options.all) keep_last(raw.rest, {"options", json::Raw{raw.options.raw}});
  question.multi_select = flag(raw.multi_select).value_or(false);
  const bool by_default =
      asker.source != QuestionSource::request_user_input || flag(raw.is_other).value_or(false);
  question.free_text = question.options.empty() || text_of(raw.type, arena) == "text" ||
                       flag(raw.free_text).value_or(by_default);
  question.blocking = flag(raw.is_blocking).value_or(true);
  if (flag(raw.is_secret).value_or(false)) question.secret = true;
  if (asker.by == WrittenBy::us) read_our_fields(raw, arena, question);
  out.questions.push_back(question);
  out.own_ids.push_back(text_of(raw.id, arena));
  out.extras.push_back(arena.copy(std::span<const Extra>(raw.rest)));
}

void read_list(Cursor& cursor, Asker asker, Arena& arena, QuestionPayload& out) {
  if (!cursor.next_is(json::Kind::array)) {
    cursor.skip();
    return;
  }
  for (json::Elements elements(cursor); elements.next();) {
    read_question(cursor, asker, arena, out);
  }
}

// What a comment says beside its list belongs to each of its questions, unless one has its own.
// Elsewhere the arguments of a call or request stand there, which others read.
void add_surroundings(std::span<const Extra> around, Arena& arena, QuestionPayload& out) {
  for (std::span<const Extra>& own : out.extras) {
    std::vector<Extra> all(own.begin(), own.end());
    for (const Extra& extra : around) {
      const bool taken = std::ranges::find(own, extra.key, &Extra::key) != own.end();
      if (!taken && all.size() < kMostExtras) all.push_back(extra);
    }
    own = arena.copy(std::span<const Extra>(all));
  }
}

void read_all(std::string_view json, Asker asker, Arena& arena, QuestionPayload& out) {
  out.questions.clear();
  out.own_ids.clear();
  out.extras.clear();
  out.mistyped.clear();
  out.odd_shape = out.dropped_option = out.dropped_entry = false;
  Cursor cursor(json);
  if (cursor.next_is(json::Kind::array)) {
    out.odd_shape = true;
    read_list(cursor, asker, arena, out);
    return;
  }
  Value list;
  std::vector<Extra> around;
  const bool keeps = asker.source == QuestionSource::comment;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool is_list = key == "questions";
    const bool kept = keeps && !is_list && !is_reserved(key) && around.size() < kMostExtras;
    const std::string_view name = kept ? arena.copy(key) : std::string_view();
    const Value value = cursor.take();
    if (is_list) list = value;  // the last of two equal keys wins
    if (kept) keep_last(around, {name, json::Raw{value.raw}});
  }
  if (!list.absent()) {
    Cursor inside(list.raw);
    read_list(inside, asker, arena, out);
    if (!around.empty()) add_surroundings(around, arena, out);
    return;
  }
  out.odd_shape = true;
  Cursor bare(json);
  read_question(bare, asker, arena, out);
}

}  // namespace

void read_questions(std::string_view json, QuestionSource source, Arena& arena,
                    QuestionPayload& out) {
  read_all(json, {source, WrittenBy::agent}, arena, out);
}

void read_recorded_questions(std::string_view json, Arena& arena, QuestionPayload& out) {
  read_all(json, {QuestionSource::request_user_input, WrittenBy::us}, arena, out);
}

Question question_of(const Blocked& blocked, std::string_view id) {
  Question question;
  question.id = id;
  question.kind = QuestionKind::blocked;
  question.source = QuestionSource::marker;
  question.header = "Blocked";
  question.text = blocked.reason;
  question.free_text = true;
  question.context = blocked.context;
  return question;
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
