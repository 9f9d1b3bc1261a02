// SPDX-License-Identifier: Apache-2.0
// Where questions are put and answered.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::ask {

// Law: a question is settled once. The first valid answer wins, by compare-and-set; every later one
// is told what was recorded. Each step is written to the stream "audit", with who did it and never
// with the answer of a secret question.
class Desk {
 public:
  explicit Desk(Log& log) : log_(log) {}

  // Asking again what is open already changes nothing.
  [[nodiscard]] Result<void> open(QuestionRecord question);

  // `id`: of the question or the beginning of it, behind the run's id ("r-k3vqm2xa/q1") where
  // several runs ask the same. Open questions go before settled ones.
  [[nodiscard]] Result<QuestionRecord> find(std::string_view id);
  [[nodiscard]] Result<std::vector<QuestionRecord>> open_questions();  // oldest first
  [[nodiscard]] Result<std::vector<QuestionRecord>> open_questions(std::string_view task_id);

  struct Outcome {
    bool accepted = false;    // false: it was settled before
    QuestionRecord question;  // as it stands
  };
  // The reply names the question as find() has it. A refused answer is a validation error and
  // leaves the question open. An answer that holds a secret, or is one, is sealed: in a private
  // file of the log, and without the secret in the record. A log of several machines has no such
  // place; there it is kept until forget().
  [[nodiscard]] Result<Outcome> answer(const Reply& reply, std::string_view by);
  // The agent no longer wants to know, or nobody answered in time. False: it was settled before.
  [[nodiscard]] Result<bool> withdraw(std::string_view key);
  [[nodiscard]] Result<bool> give_up(std::string_view key);

  // Waits until the question is not open any more; absent after the timeout.
  [[nodiscard]] Result<std::optional<QuestionRecord>> wait(std::string_view key,
                                                           std::chrono::milliseconds timeout);
  // The question with its answer as it was given, for whoever carries it to the agent.
  [[nodiscard]] QuestionRecord unsealed(QuestionRecord question);
  // The agent has the answer: what is secret in it is not kept any longer.
  [[nodiscard]] Result<void> forget(std::string_view key);
  // All questions of a task, when the task is deleted.
  [[nodiscard]] Result<void> remove(std::string_view task_id);

 private:
  [[nodiscard]] Result<std::optional<QuestionRecord>> get(std::string_view key);
  [[nodiscard]] Result<LogWritten> put(const QuestionRecord& question, std::string_view what);
  [[nodiscard]] Result<bool> settle(std::string_view key, QuestionState state);
  [[nodiscard]] Result<void> seal(QuestionRecord& question);
  void remove_sealed(const QuestionRecord& question);

  Log& log_;
};

// What is said where a word names more than one of them.
[[nodiscard]] Error several_questions(std::string_view word,
                                      const std::vector<QuestionRecord>& questions);

}  // namespace dragoman::ask
