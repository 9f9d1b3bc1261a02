// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/question_record.hpp"

#include <algorithm>

#include "dragoman/event/names.hpp"
#include "dragoman/log/fields.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::ask {

namespace {

std::string redacted(std::string_view words) {
  static const auto kRules = redact::make_rules();
  return redact::redacted(words, kRules);
}

// Whether the text is the reason of a denial, and not the label of the option that denies.
bool says_why(const QuestionRecord& question) {
  return question.decision == Grant::deny &&
         std::ranges::find(question.options, question.answer.text, &Choice::label) ==
             question.options.end();
}

constexpr std::string_view kFailure = "failure";
constexpr std::string_view kOurs = "dragoman";

// What a record has in the log is flat: words for enumerators, three lists for the options, and the
// words of the answer also where options were chosen.
struct Stored : QuestionRecord {
  std::string kind_name = {};
  std::string source_name = {};
  std::string state_name = {};
  std::string decision_name = {};
  std::vector<std::string> labels = {};
  std::vector<std::string> descriptions = {};
  std::vector<std::string> grant_names = {};

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("task_id", s.task_id);
    v("id", s.id);
    v("kind", s.kind_name);
    v("source", s.source_name);
    v("state", s.state_name);
    v("header", s.header);
    v("text", s.text);
    v("labels", s.labels);
    v("descriptions", s.descriptions);
    v("grants", s.grant_names);
    v("multi_select", s.multi_select);
    v("free_text", s.free_text);
    v("context", s.context);
    v("blocking", s.blocking);
    v("secret", s.secret);
    v("wants", s.wants);
    v("asked_at", s.asked_at);
    v("settled_at", s.settled_at);
    v("chosen", s.answer.options);
    v("answer", s.answer.text);
    v("decision", s.decision_name);
    v("answered_by", s.answered_by);
    v("sealed", s.sealed);
  }
};

template <typename E>
std::optional<E> named(std::string_view name) {
  E value{};
  return set_from_name(value, name) ? std::optional(value) : std::nullopt;
}

template <typename E>
std::string name_of(const std::optional<E>& value) {
  return std::string(value ? name(*value) : std::string_view());
}

}  // namespace

std::string_view QuestionRecord::kind_word() const { return failure ? kFailure : name(kind); }
std::string_view QuestionRecord::source_word() const { return ours ? kOurs : name(source); }

std::string to_json(const QuestionRecord& question) {
  Stored stored{question};
  stored.kind_name = question.kind_word();
  stored.source_name = question.source_word();
  stored.state_name = name(question.state);
  stored.decision_name = name_of(question.decision);
  const auto says = [](const Choice& choice) { return choice.grants.has_value(); };
  const bool grants = std::ranges::any_of(question.options, says);
  for (const auto& [label, description, grant] : question.options) {
    stored.labels.push_back(label);
    stored.descriptions.push_back(description);
    if (grants) stored.grant_names.push_back(name_of(grant));
  }
  if (!question.secret) stored.answer.text = answer_words(question, question.answer);
  return write_fields(stored);
}

Result<QuestionRecord> question_in(const LogRecord& record) {
  DRAGOMAN_TRY(auto stored, read_fields<Stored>(record.value));
  stored.failure = stored.kind_name == kFailure;
  stored.ours = stored.source_name == kOurs;
  stored.kind = named<QuestionKind>(stored.kind_name).value_or(stored.kind);
  stored.source = named<QuestionSource>(stored.source_name).value_or(stored.source);
  stored.state = named<QuestionState>(stored.state_name).value_or(stored.state);
  stored.decision = named<Grant>(stored.decision_name);
  for (std::size_t i = 0; i < stored.labels.size(); ++i) {
    Choice& choice = stored.options.emplace_back(Choice{std::move(stored.labels[i])});
    if (i < stored.descriptions.size()) choice.description = std::move(stored.descriptions[i]);
    if (i < stored.grant_names.size()) choice.grants = named<Grant>(stored.grant_names[i]);
  }
  std::erase_if(stored.answer.options,
                [&](std::size_t number) { return number == 0 || number > stored.options.size(); });
  separate_text(stored);
  stored.revision = record.revision;
  return QuestionRecord(std::move(stored));
}

void separate_text(QuestionRecord& question) {
  if (!question.answer.options.empty() && !says_why(question)) question.answer.text.clear();
}

std::string shown_text(const QuestionRecord& question) {
  return question.secret ? std::string() : redacted(question.answer.text);
}

std::string shown_answer(const QuestionRecord& question) {
  return question.secret ? std::string() : redacted(answer_words(question, question.answer));
}

std::optional<Decision> decision_in(const QuestionRecord& question) {
  if (!question.decision) return std::nullopt;
  return Decision{*question.decision, says_why(question) ? shown_text(question) : std::string()};
}

std::string settled_words(const QuestionRecord& question) {
  if (question.secret) return "(secret)";
  const auto decision = decision_in(question);
  return decision ? words_for(*decision) : shown_answer(question);
}

std::string asked_words(const QuestionRecord& question) {
  return text_with_command(question.text, question.wants.get());
}

void put_question(json::Writer& w, const QuestionRecord& question) {
  const auto grants = question.grants();
  w.begin_object();
  w.name("id").string(question.id);
  if (!question.task_id.empty())
    w.name("run").string(question.task_id).name("task_id").string(task_id_of(question.task_id));
  w.name("kind").string(question.kind_word());
  w.name("source").string(question.source_word());
  w.name("state").string(name(question.state));
  if (!question.header.empty()) w.name("header").string(question.header);
  w.name("text").string(question.text);
  w.name("options").begin_array();
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const Choice& choice = question.options[i];
    w.begin_object().name("label").string(choice.label);
    if (!choice.description.empty()) w.name("description").string(choice.description);
    if (!grants.empty() && grants[i]) w.name("grants").string(name(*grants[i]));
    w.end_object();
  }
  w.end_array();
  w.name("multi_select").boolean(question.multi_select);
  w.name("free_text").boolean(question.free_text);
  if (!question.context.empty()) {
    w.name("context").begin_array();
    for (const auto& line : question.context) w.string(line);
    w.end_array();
  }
  w.name("blocking").boolean(question.blocking);
  if (question.secret) w.name("secret").boolean(true);
  if (!question.wants.empty()) w.name("wants").raw({question.wants.write()});
  if (question.decision) w.name("decision").string(name(*question.decision));
  const std::string answer = shown_answer(question);
  if (!answer.empty()) w.name("answer").string(answer);
  w.end_object();
}

}  // namespace dragoman::ask
