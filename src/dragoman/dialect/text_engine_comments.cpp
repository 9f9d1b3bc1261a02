// SPDX-License-Identifier: Apache-2.0
// Comment markers in running text.
#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/quoted.hpp"
#include "dragoman/dialect/text_engine.hpp"
#include "dragoman/json/duplicate_keys.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kLongestQuestion = std::size_t{256} << 10U;

Dialect dialect_of(CommentOpener::Kind kind) {
  return kind == CommentOpener::Kind::wxcode ? Dialect::wxcode : Dialect::question;
}

}  // namespace

std::size_t TextEngine::at_comment(std::size_t place) {
  const std::string_view text = window_.substr(place);
  CommentOpener opener = match_comment(text);
  if (opener.kind == CommentOpener::Kind::cut) {
    if (!final_) {
      hold_at_ = place;
      return kHeld;
    }
    opener = {};
    const bool wxcode = text.starts_with(kWxcodeOpener);
    if (wxcode || text.find("QUESTION:") != std::string_view::npos) {
      opener = {CommentOpener::Kind::near_miss, wxcode ? "WXCODE" : "", text.size()};
    }
  }
  if (opener.kind == CommentOpener::Kind::none) return place + 1;

  const Quoted quoted = quoted_at(place, context_at(place), true);
  switch (opener.kind) {
    case CommentOpener::Kind::near_miss:
      if (quoted == Quoted::no) {
        emitter_.text_to(position(place));
        emitter_.diagnose(opener.word == "WXCODE" ? Dialect::wxcode : Dialect::question,
                          emitter_.frontier(), opener.length, "near_miss", form_level(),
                          near_miss_of(opener.word));
      }
      return place + opener.length;
    case CommentOpener::Kind::finished:
    case CommentOpener::Kind::go_to:
      skip_in_code(place, opener.length);
      take_whole_comment(place, opener, quoted);
      return place + opener.length;
    default:
      if (take_plain_wxcode(place, opener, quoted)) return place + comment_length_;
      begin_comment(place, opener, quoted);
      return place;
  }
}

// A marker that lies whole in the window and has nothing but scalars in it, as nearly all do.
// False: nothing has been said about it, and it goes the way that all others go.
bool TextEngine::take_plain_wxcode(std::size_t place, const CommentOpener& opener, Quoted quoted) {
  constexpr std::string_view kTerminator = " -->";
  if (opener.kind != CommentOpener::Kind::wxcode || quoted != Quoted::no) return false;
  if (!options_.prompt.empty()) return false;  // it may be an echo
  const std::string_view text = window_.substr(place + opener.length);
  if (!json::read_flat_object(text, flat_) || flat_.length > options_.line_cap) return false;
  if (!text.substr(flat_.length).starts_with(kTerminator)) return false;

  comment_length_ = opener.length + flat_.length + kTerminator.size();
  emitter_.text_to(position(place));
  comment_place_ = emitter_.frontier();
  begin_marker(Dialect::wxcode, comment_length_, Newlines::none);
  WxcodeMarker marker;
  marker.type = opener.word;
  marker.payload = text.substr(0, flat_.length);
  marker.members = flat_.members;
  marker.lone_surrogate = flat_.lone_surrogate;
  marker.invalid_utf8 = flat_.invalid_utf8;
  emit_wxcode(window_.substr(place, comment_length_), marker);
  return true;
}

// The bytes at comment_place_ belong to a marker that counts.
void TextEngine::begin_marker(Dialect dialect, std::size_t length, Newlines newlines) {
  const std::uint64_t end = comment_place_.offset + length;
  raise_label(dialect);
  emitter_.record(comment_place_, end);
  if (newlines == Newlines::none) {
    emitter_.take_line_part_to(end);
  } else {
    emitter_.take_to(end);
  }
  arena_.reset();
  findings_.clear();
  wxcode_.extra.clear();
}

// FINISHED and GOTO: the opener is the whole marker.
void TextEngine::take_whole_comment(std::size_t place, const CommentOpener& opener, Quoted quoted) {
  emitter_.text_to(position(place));
  const TextEmitter::Place at = emitter_.frontier();
  const std::string_view raw = window_.substr(place, opener.length);
  if (quoted == Quoted::no && is_echo(raw)) quoted = Quoted::echo;
  if (quoted != Quoted::no) {
    emitter_.emit(Dialect::question, at, raw.size(), QuotedMarker{raw, name(quoted)});
    return;
  }
  raise_label(Dialect::question);
  emitter_.record(at, at.offset + raw.size());
  emitter_.take_to(at.offset + raw.size());
  if (opener.kind == CommentOpener::Kind::go_to) {
    emitter_.emit(Dialect::question, at, raw.size(), GoTo{opener.word});
  } else if (!emitter_.partial()) {
    CompletionClaimed claim;
    claim.by = "finished";
    emitter_.emit(Dialect::question, at, raw.size(), claim);
  }
}

void TextEngine::begin_comment(std::size_t place, const CommentOpener& opener, Quoted quoted) {
  emitter_.text_to(position(place));
  comment_place_ = emitter_.frontier();
  comment_quoted_ = quoted;
  comment_.start(
      opener, opener.kind == CommentOpener::Kind::question ? kLongestQuestion : options_.line_cap);
  state_ = State::comment;
  at_ = place;
}

bool TextEngine::read_comment() {
  const std::string_view text = window_.substr(at_);
  if (comment_.read(text, final_) == CommentReader::State::needs_more) return false;
  const bool wxcode = comment_.kind() == CommentOpener::Kind::wxcode;
  if (wxcode && comment_.too_long() && comment_quoted_ == Quoted::no) {
    demote_comment();
    return true;
  }
  skip_in_code(at_, comment_.length());
  end_comment(text.substr(0, comment_.length()));
  go_on_with_text(at_ + comment_.length());
  return true;
}

// As with lines, what is too long to be held is no marker; its words flow like any other.
void TextEngine::demote_comment() {
  emitter_.diagnose(Dialect::wxcode, comment_place_, comment_.length(), "oversize", Level::error,
                    "a marker longer than the line cap is read as text");
  const std::size_t place = at_;
  go_on_with_text(place + comment_.opener_length());
  at_ = place;
}

void TextEngine::end_comment(std::string_view text) {
  const Dialect dialect = dialect_of(comment_.kind());
  if (comment_quoted_ == Quoted::no && is_echo(text)) comment_quoted_ = Quoted::echo;
  if (comment_quoted_ != Quoted::no) {  // stays in the text
    emitter_.emit(dialect, comment_place_, text.size(), QuotedMarker{text, name(comment_quoted_)});
    return;
  }
  begin_marker(dialect, text.size(), Newlines::perhaps);
  if (comment_.read(text, true) == CommentReader::State::malformed) {
    const bool wxcode = comment_.kind() == CommentOpener::Kind::wxcode;
    const std::string detail = fmt::format(
        "{} at byte {} of the marker",
        comment_.detail() == "none" ? comment_.reason() : comment_.detail(), comment_.failed_at());
    emitter_.emit(dialect, comment_place_, text.size(),
                  Malformed{text, comment_.reason(), detail,
                            wxcode ? comment_.type(text) : std::string_view("QUESTION")});
  } else if (comment_.kind() == CommentOpener::Kind::wxcode) {
    WxcodeMarker marker;
    marker.type = comment_.type(text);
    marker.payload = comment_.payload(text);
    marker.members = comment_.scanner().members();
    marker.lone_surrogate = comment_.scanner().saw_lone_surrogate();
    marker.invalid_utf8 = comment_.scanner().saw_non_ascii() && !utf8::valid(marker.payload);
    emit_wxcode(text, marker);
  } else {
    emit_questions(text);
  }
}

void TextEngine::emit_wxcode(std::string_view text, WxcodeMarker& marker) {
  marker.place.offset = comment_place_.offset;
  if (emitter_.carried()) marker.place.carrier = emitter_.origin().offset;
  Payload event = read_wxcode(marker, arena_, findings_, wxcode_);
  if (marker_fault() == nullptr) tools_.pair(event, marker.place, arena_);
  emit_marker(Dialect::wxcode, comment_place_, text.size(), event, text, marker.type);
}

// The words of the block before a question say what it is about.
std::span<const std::string_view> TextEngine::words_before(std::uint64_t position) {
  constexpr std::size_t kMostWords = 2000;  // code points
  if (!emitter_.carried()) return {};
  std::string words;
  std::uint64_t from = 0;
  for (const TextEmitter::Range& taken : emitter_.taken()) {
    if (taken.from >= position) break;
    words.append(window_.substr(from, taken.from - from));
    from = taken.to;
  }
  if (from < position) words.append(window_.substr(from, position - from));
  std::string_view shown = words;
  while (!shown.empty() && is_comment_space(shown.front())) shown.remove_prefix(1);
  while (!shown.empty() && is_comment_space(shown.back())) shown.remove_suffix(1);
  if (shown.empty()) return {};
  if (const std::size_t count = utf8::count(shown); count > kMostWords) {
    shown.remove_prefix(utf8::prefix(shown, count - kMostWords).size());
  }
  const std::string_view kept = arena_.copy(shown);
  return arena_.copy(std::span<const std::string_view>(&kept, 1));
}

void TextEngine::emit_questions(std::string_view text) {
  read_questions(comment_.payload(text), QuestionSource::comment, arena_, questions_);
  if (questions_.questions.empty()) {
    emitter_.emit(Dialect::question, comment_place_, text.size(),
                  Malformed{text, "missing_field", "no question is asked", "QUESTION"});
    return;
  }
  if (questions_.odd_shape)
    findings_.add("question_shape", R"(the payload should be {"questions":[…]})");
  if (questions_.dropped_option)
    findings_.add("question_shape", "an option without a label was left out");
  if (questions_.dropped_entry)
    findings_.add("question_shape", "an entry that asks nothing was left out");
  for (const std::string_view fault : questions_.mistyped)
    findings_.add("field_type", fmt::format("{} and was left out", fault));
  if (json::has_duplicate_keys(comment_.payload(text))) {
    findings_.add("duplicate_key", "the last of two equal keys wins");
  }
  if (comment_.scanner().saw_lone_surrogate()) {
    findings_.add("lone_surrogate", "half of a surrogate pair; read as U+FFFD");
  }
  if (comment_.scanner().saw_non_ascii() && !utf8::valid(text)) {
    findings_.add("invalid_utf8", "bytes that are not UTF-8; read as U+FFFD");
  }
  const std::span<const std::string_view> context = words_before(comment_place_.offset);
  for (std::size_t i = 0; i < questions_.questions.size(); ++i) {
    Question& question = questions_.questions[i];
    question.id = arena_.copy(ids_.next(QuestionSource::comment, question.text));
    question.context = context;
    const std::size_t count = question.options.size();
    if (count == 1 || count > 4) {
      findings_.add("option_count",
                    fmt::format("a question offers 2 to 4 options, this one {}", count));
    }
    wxcode_.extra.assign(questions_.extras[i].begin(), questions_.extras[i].end());
    emit_marker(Dialect::question, comment_place_, text.size(), question, text, "QUESTION");
    wxcode_.extra.clear();
    if (i == 0 && options_.mode == Mode::strict && form_fault(findings_) != nullptr)
      return;  // the whole marker is malformed
    findings_.clear();
  }
}

}  // namespace dragoman
