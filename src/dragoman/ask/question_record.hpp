// SPDX-License-Identifier: Apache-2.0
// A question that waits in the log for whoever can answer it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/event/kept_question.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::ask {

// What was asked, and what the log knows about it. The id is as the agent's stream has it: the same
// words may be asked in two runs.
struct QuestionRecord : KeptQuestion {
  std::string task_id = {};  // the id of the run
  bool ours = false;         // dragoman itself asks
  bool failure = false;      // what is to become of a run that has failed
  QuestionState state = QuestionState::open;
  std::int64_t asked_at = 0;  // milliseconds since 1970
  std::int64_t settled_at = 0;
  // state answered
  Answer answer = {};                  // people are shown shown_answer()
  std::optional<Grant> decision = {};  // of a permission: what was granted
  std::string answered_by = {};
  std::string sealed = {};     // the private file with the text as it was given, until delivered
  std::uint64_t revision = 0;  // not part of the value

  [[nodiscard]] std::string key() const { return task_id + "/" + id; }
  [[nodiscard]] bool is_open() const { return state == QuestionState::open; }

  [[nodiscard]] std::string_view kind_word() const;
  [[nodiscard]] std::string_view source_word() const;
  friend bool operator==(const QuestionRecord&, const QuestionRecord&) = default;
};

// As the log has it.
[[nodiscard]] std::string to_json(const QuestionRecord& question);
[[nodiscard]] Result<QuestionRecord> question_in(const LogRecord& record);
// What was kept as words is the text of the answer only where no option says it.
void separate_text(QuestionRecord& question);

// What may be kept of an answer, and shown to people: nothing of a secret one, and no key that was
// typed where something else was asked for. The record itself may have the true words, on a log of
// several machines and until the agent has them.
[[nodiscard]] std::string shown_answer(const QuestionRecord& question);
// The same of the text alone, without the labels of what was chosen.
[[nodiscard]] std::string shown_text(const QuestionRecord& question);

// How a permission was decided; absent for any other question, and while it is open. The reason
// is as shown_answer() has it.
[[nodiscard]] std::optional<Decision> decision_in(const QuestionRecord& question);
// What became of a question that is answered, as people read it: the answer, or of a permission
// "allowed", "denied: use npm instead". "(secret)" of a secret one. The agent's words and the
// answer are as they came: the caller who shows them makes them harmless.
[[nodiscard]] std::string settled_words(const QuestionRecord& question);
// What is asked, with the command that the agent wants to run on lines of its own.
[[nodiscard]] std::string asked_words(const QuestionRecord& question);

// As `ask list --json` and pending_questions have it. The answer of a secret question is left out.
void put_question(json::Writer& w, const QuestionRecord& question);

}  // namespace dragoman::ask
