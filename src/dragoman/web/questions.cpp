// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/questions.hpp"

#include <algorithm>

namespace dragoman::web {

namespace {

constexpr std::size_t kRecent = 200;

}  // namespace

Result<std::vector<ask::QuestionRecord>> recent_questions(Log& log) {
  DRAGOMAN_TRY(const auto records, log.list({.bucket = std::string(kQuestions), .limit = kRecent}));
  std::vector<ask::QuestionRecord> questions;
  for (const auto& record : records) {
    DRAGOMAN_TRY(auto question, ask::question_in(record));
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::vector<ask::QuestionRecord>> questions_of(Log& log, std::string_view task_id) {
  DRAGOMAN_TRY(const auto records, log.beginning_with(kQuestions, std::string(task_id) + "/", 0));
  std::vector<ask::QuestionRecord> questions;
  for (const auto& record : records) {
    DRAGOMAN_TRY(auto question, ask::question_in(record));
    questions.push_back(std::move(question));
  }
  std::ranges::stable_sort(questions, {}, &ask::QuestionRecord::asked_at);
  return questions;
}

}  // namespace dragoman::web
