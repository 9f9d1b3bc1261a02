// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/open_questions.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/keep.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

constexpr std::array kAllowOrDeny = {Option{"Allow", {}, Grant::allow_once},
                                     Option{"Deny", {}, Grant::deny}};

// Shortens what is too long, all texts together.
class Bounded {
 public:
  std::string_view operator()(std::string_view text) {
    const std::string_view kept = utf8::head(text, room_);
    room_ -= kept.size();
    cut_ = cut_ || kept.size() < text.size();
    return kept;
  }
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] std::size_t used() const { return kMostWanted - room_; }
  void leave_out() { cut_ = true; }

 private:
  std::size_t room_ = kMostWanted;
  bool cut_ = false;
};

Question kept_permission(const PermissionRequest& asked, Arena& arena, std::size_t& bytes) {
  Bounded bounded;
  Wants wants = asked.wants;
  wants.tool = asked.tool;
  if (wants.command.data() != nullptr) wants.command = bounded(wants.command);
  std::vector<WantedFile> files(wants.files.begin(), wants.files.end());
  if (files.size() > kMostWantedFiles) {
    files.resize(kMostWantedFiles);
    bounded.leave_out();
  }
  for (WantedFile& file : files) file.path = bounded(file.path);
  for (WantedFile& file : files) {
    for (std::string_view* text : {&file.old_text, &file.new_text, &file.diff}) {
      if (text->data() != nullptr) *text = bounded(*text);
    }
  }
  wants.files = files;
  if (bounded.cut()) wants.cut = true;
  const std::string_view subject = utf8::head(asked.subject, kMostWanted);
  bytes = bounded.used() + 2 * (asked.tool.size() + subject.size());
  for (const Option& option : asked.options)
    bytes += option.label.size() + option.description.size();
  Question permission;
  permission.kind = QuestionKind::approval;
  permission.source = QuestionSource::permission;
  permission.header = "Permission";
  const std::string text = subject.empty() ? fmt::format("Allow {}?", asked.tool)
                                           : fmt::format("Allow {}: {}?", asked.tool, subject);
  permission.text = text;
  permission.options =
      asked.options.empty() ? std::span<const Option>(kAllowOrDeny) : asked.options;
  permission.free_text = true;
  permission.wants = wants;
  Event event;
  event.payload = permission;
  return *keep(event, arena).as<Question>();
}

std::string joined_labels(std::string_view list) {
  std::string text;
  json::Cursor cursor(list);
  for (json::Elements labels(cursor); labels.next();) {
    const json::Value label = cursor.take();
    if (!label.is(json::Kind::string)) continue;
    if (!text.empty()) text += ", ";
    json::decode_to(text, label.text());
  }
  return text;
}

// The answer to one question: a string, a list of labels, or {"answers":[labels]}.
std::string answer_text(const json::Value& value) {
  if (value.is(json::Kind::string)) return value.text().str();
  if (value.is(json::Kind::array)) return joined_labels(value.raw);
  std::string text;
  if (!value.is(json::Kind::object)) return text;
  json::Cursor cursor(value.raw);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool wanted = key == "answers";
    const json::Value inner = cursor.take();
    if (wanted && inner.is(json::Kind::array)) text = joined_labels(inner.raw);
  }
  return text;
}

// Only those of request_user_input are known by the ids they bring; elsewhere they are nameless.
bool brings_id(QuestionSource source, std::string_view own_id) {
  return source == QuestionSource::request_user_input && !own_id.empty();
}

// Absent when `answers` has nothing, or nothing but an empty text, under either name.
std::string_view answer_to(const json::Value& answers, std::string_view text, std::string_view id,
                           Arena& arena) {
  if (!answers.is(json::Kind::object)) return {};
  json::Cursor cursor(answers.raw);
  std::string_view key;
  std::string_view found;
  for (json::Members members(cursor); members.next(key);) {
    const bool wanted = key == text || (id.data() != nullptr && key == id);
    const json::Value value = cursor.take();
    if (!wanted) continue;
    const std::string answer = answer_text(value);
    found = answer.empty() ? std::string_view{} : arena.copy(answer);
  }
  return found;
}

}  // namespace

void OpenQuestions::ask(std::string_view key, std::string_view request, std::string_view payload,
                        QuestionSource source, LineEvents& events, Arena& arena) {
  read_questions(payload, source, arena, payload_);
  if (OpenQuestion* known = find(key); known != nullptr) {
    if (payload_.questions.empty() || asks_the_same(*known, arena)) {
      if (request.empty() || known->request == request) return;
      known->request = request;
      known->bytes += request.size();
      bytes_ += request.size();
      emit_set(*known, QuestionState::open, {}, events, arena);
      return;
    }
    // Where ids are made from the key, the new ones take the place of the old, which nobody will
    // answer any more. Questions with ids of their own wait beside each other.
    if (source == QuestionSource::ask_user_question) {
      settle(*known, QuestionState::withdrawn, {}, events, arena);
      read_questions(payload, source, arena, payload_);
    }
  }
  if (payload_.questions.empty()) {
    events.form_finding("question_shape", "no question is asked");
    return;
  }
  if (payload_.odd_shape && source == QuestionSource::ask_user_question) {
    events.form_finding("question_shape", "questions do not stand in a list \"questions\"");
  }
  if (payload_.dropped_option) {
    events.form_finding("question_shape", "an option without a label was left out");
  }
  if (payload_.dropped_entry) {
    events.form_finding("question_shape", "an entry that asks nothing was left out");
  }
  OpenQuestion question;
  question.key = key_or_new(key);
  question.request = request;
  question.source = source;
  question.payload = payload;
  question.ids = new_ids(question.key, source);
  emit_set(question, QuestionState::open, {}, events, arena);
  remember(std::move(question));
}

void OpenQuestions::ask_permission(const PermissionRequest& asked, LineEvents& events) {
  OpenQuestion question;
  question.key = key_or_new(asked.key);
  question.approval = asked.approval;
  question.request = asked.request;
  question.source = QuestionSource::permission;
  question.permission = kept_permission(asked, question.arena, question.bytes);
  if (OpenQuestion* const known = find_same(asked); known != nullptr) {
    if (question.request.empty()) question.request = known->request;
    question.ids = known->ids;
    forget(*known);
    taken_.insert(question.ids.front());
  } else {
    question.ids = {new_permission_id(question.key)};
  }
  emit_permission(question, QuestionState::open, {}, events);
  remember(std::move(question));
}

std::string OpenQuestions::key_or_new(std::string_view key) {
  return key.empty() ? fmt::format("ask-{}", ++without_key_) : std::string(key);
}

// One for each question at hand.
std::vector<std::string> OpenQuestions::new_ids(std::string_view key, QuestionSource source) {
  std::vector<std::string> ids;
  ids.reserve(payload_.questions.size());
  for (std::size_t i = 0; i < payload_.questions.size(); ++i) {
    const std::string_view own_id = payload_.own_ids[i];
    std::string id = fmt::format("{}#{}", key, i);
    if (brings_id(source, own_id) && !taken_.contains(std::string(own_id))) id = own_id;
    for (int times = 2; !taken_.insert(id).second; ++times) {
      id = fmt::format("{}#{}.{}", key, i, times);
    }
    ids.push_back(std::move(id));
  }
  return ids;
}

// The call's own, as long as only one of its approvals waits.
std::string OpenQuestions::new_permission_id(std::string_view key) {
  std::string id(key);
  for (int times = 2; !taken_.insert(id).second; ++times) id = fmt::format("{}#{}", key, times);
  return id;
}

// What is at hand is what was asked before: the same texts in the same order.
bool OpenQuestions::asks_the_same(const OpenQuestion& known, Arena& arena) {
  read_questions(known.payload, known.source, arena, earlier_);
  return std::ranges::equal(earlier_.questions, payload_.questions, {}, &Question::text,
                            &Question::text);
}

OpenQuestion* OpenQuestions::find(std::string_view key) {
  for (OpenQuestion& question : open_) {
    if (!key.empty() && question.key == key) return &question;
  }
  return nullptr;
}

OpenQuestion* OpenQuestions::find_request(std::string_view request) {
  for (OpenQuestion& question : open_) {
    if (!request.empty() && question.request == request) return &question;
  }
  return nullptr;
}

OpenQuestion* OpenQuestions::find_permission(std::string_view key) {
  for (OpenQuestion& question : open_) {
    if (question.source == QuestionSource::permission && question.key == key) return &question;
  }
  return nullptr;
}

// What an event tells and what the request for its answer says come one after the other.
OpenQuestion* OpenQuestions::find_same(const PermissionRequest& asked) {
  for (OpenQuestion& known : open_) {
    if (known.source != QuestionSource::permission || asked.key.empty() || known.key != asked.key)
      continue;
    const bool one_waits = known.request.empty() || asked.request.empty();
    if (known.approval == asked.approval && (one_waits || known.request == asked.request))
      return &known;
  }
  return nullptr;
}

void OpenQuestions::remember(OpenQuestion question) {
  question.bytes += question.key.size() + question.request.size() + question.approval.size() +
                    question.payload.size();
  for (const std::string& id : question.ids) question.bytes += 2 * id.size();
  if (question.bytes > kMostBytes) {
    for (const std::string& id : question.ids) taken_.erase(id);
    return;
  }
  while (!open_.empty() && (open_.size() >= kMost || bytes_ + question.bytes > kMostBytes))
    forget(open_.front());
  bytes_ += question.bytes;
  open_.push_back(std::move(question));
}

void OpenQuestions::forget(OpenQuestion& question) {
  bytes_ -= question.bytes;
  if (!question.key.empty()) pass_over(question);
  open_.erase(open_.begin() + (&question - open_.data()));
}

// Neither its call nor a request names it any more, and its ids are free.
void OpenQuestions::pass_over(OpenQuestion& question) {
  for (const std::string& id : question.ids) taken_.erase(id);
  question.key.clear();
  question.request.clear();
}

void OpenQuestions::settle(OpenQuestion& question, QuestionState state, const json::Value& answers,
                           LineEvents& events, Arena& arena) {
  emit_set(question, state, answers, events, arena);
  if (state == QuestionState::unanswered) {
    pass_over(question);
  } else {
    forget(question);
  }
}

void OpenQuestions::answer_in_words(std::string_view words, LineEvents& events, Arena& arena) {
  for (std::size_t i = 0; i < open_.size();) {
    OpenQuestion& question = open_[i];
    if (question.source == QuestionSource::permission || !question.request.empty()) {
      ++i;
      continue;
    }
    emit_set(question, QuestionState::answered, {}, events, arena, words);
    forget(question);
  }
}

void OpenQuestions::settle_permission(OpenQuestion& question, QuestionState state,
                                      std::optional<Grant> decision, LineEvents& events) {
  emit_permission(question, state, decision, events);
  forget(question);
}

void OpenQuestions::settle_permissions(std::string_view key, std::optional<Grant> decision,
                                       LineEvents& events) {
  while (OpenQuestion* const asked = find_permission(key)) {
    settle_permission(*asked, QuestionState::answered, decision, events);
  }
}

void OpenQuestions::emit_set(const OpenQuestion& question, QuestionState state,
                             const json::Value& answers, LineEvents& events, Arena& arena,
                             std::string_view words) {
  read_questions(question.payload, question.source, arena, payload_);
  for (std::size_t i = 0; i < payload_.questions.size(); ++i) {
    Question shown = payload_.questions[i];
    const std::string_view own_id = payload_.own_ids[i];
    shown.source = question.source;
    shown.id = question.ids[i];
    shown.state = state;
    shown.answer = words;
    if (state == QuestionState::answered && !answers.absent()) {
      shown.answer = answer_to(answers, shown.text, own_id, arena);
      if (shown.answer.data() == nullptr) shown.state = QuestionState::unanswered;
    }
    if (shown.secret.value_or(false)) shown.answer = {};
    std::vector<Extra> extra;
    if (!question.request.empty()) extra.push_back({"request_id", Raw{question.request}});
    if (brings_id(question.source, own_id) && own_id != shown.id) {
      std::string quoted;
      json::append_string(quoted, own_id);
      extra.push_back({"id", Raw{arena.copy(quoted)}});
    }
    extra.insert(extra.end(), payload_.extras[i].begin(), payload_.extras[i].end());
    events.emit(shown, channel_, extra);
  }
}

void OpenQuestions::emit_permission(const OpenQuestion& question, QuestionState state,
                                    std::optional<Grant> decision, LineEvents& events) {
  Question shown = question.permission;
  shown.id = question.ids.front();
  shown.state = state;
  shown.decision = decision;
  for (const Option& option : shown.options) {
    if (!decision || option.grants != decision) continue;
    shown.answer = option.label;
    break;
  }
  Extras extra;
  if (!question.request.empty()) extra.add_raw("request_id", question.request);
  events.emit(shown, channel_, extra);
}

}  // namespace dragoman
