// SPDX-License-Identifier: Apache-2.0
// A question that waits in the log for whoever can answer it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/payloads.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::ask {

struct QuestionRecord {
  std::string task_id;  // the id of the run
  std::string id;       // as the agent's stream has it; the same words may be asked in two tasks
  std::string kind = "question";
  std::string source = "comment";
  std::string state = "open";
  std::string header;
  std::string text;
  std::vector<std::string> labels;
  std::vector<std::string> descriptions;  // one for each label
  std::vector<std::string> grants;        // of a permission: one for each label
  bool multi_select = false;
  bool free_text = false;
  std::vector<std::string> context;
  bool blocking = false;
  bool secret = false;
  KeptWants wants;            // of a permission: what for
  std::int64_t asked_at = 0;  // milliseconds since 1970
  std::int64_t settled_at = 0;
  // state answered
  std::vector<std::int64_t> chosen;  // option numbers from 1
  std::string answer;                // the label or text; people are shown shown_answer()
  std::string decision;              // of a permission: what was granted
  std::string answered_by;
  std::string sealed;          // the private file with the answer as it was given, until delivered
  std::uint64_t revision = 0;  // not part of the value

  [[nodiscard]] std::string key() const { return task_id + "/" + id; }

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("task_id", s.task_id);
    v("id", s.id);
    v("kind", s.kind);
    v("source", s.source);
    v("state", s.state);
    v("header", s.header);
    v("text", s.text);
    v("labels", s.labels);
    v("descriptions", s.descriptions);
    v("grants", s.grants);
    v("multi_select", s.multi_select);
    v("free_text", s.free_text);
    v("context", s.context);
    v("blocking", s.blocking);
    v("secret", s.secret);
    v("wants", s.wants);
    v("asked_at", s.asked_at);
    v("settled_at", s.settled_at);
    v("chosen", s.chosen);
    v("answer", s.answer);
    v("decision", s.decision);
    v("answered_by", s.answered_by);
    v("sealed", s.sealed);
  }
  friend bool operator==(const QuestionRecord&, const QuestionRecord&) = default;
};

[[nodiscard]] QuestionRecord keep_question(std::string_view task_id, const Question& question);

struct GivenAnswer {
  std::vector<std::int64_t> chosen;
  std::string words;
  std::string decision = {};
  friend bool operator==(const GivenAnswer&, const GivenAnswer&) = default;
};

enum class Literal : std::uint8_t { no, yes };

// The grammar of run/answer.hpp. Literal: the words as they are.
[[nodiscard]] Result<GivenAnswer> read_answer(const QuestionRecord& question,
                                              std::string_view typed, Literal literal);

// What the question allows, by which answers are read.
[[nodiscard]] AnswerRules rules_of(const QuestionRecord& question);
// The answer that a settled question has.
[[nodiscard]] Answer answer_of(const QuestionRecord& question);

// What may be kept of an answer, and shown to people: nothing of a secret one, and no key that was
// typed where something else was asked for. The record itself may have the true words, on a log of
// several machines and until the agent has them.
[[nodiscard]] std::string shown_answer(const QuestionRecord& question);

// How a permission was decided; absent for any other question, and while it is open. The reason
// is as shown_answer() has it.
struct RecordedDecision {
  Grant grant = Grant::deny;
  std::string reason;
};
[[nodiscard]] std::optional<RecordedDecision> decision_in(const QuestionRecord& question);
// What became of a question that is answered, as people read it: the answer, or of a permission
// "allowed", "denied: use npm instead". "(secret)" of a secret one. The agent's words and the
// answer are as they came: the caller who shows them makes them harmless.
[[nodiscard]] std::string settled_words(const QuestionRecord& question);
// What is asked, with the command that the agent wants to run on lines of its own.
[[nodiscard]] std::string asked_words(const QuestionRecord& question);

// As `ask list --json` and pending_questions have it. The answer of a secret question is left out.
void put_question(json::Writer& w, const QuestionRecord& question);

}  // namespace dragoman::ask
