// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/desk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/log/private_file.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::ask {

namespace {

constexpr std::string_view kBucket = "questions";
constexpr std::size_t kShownOfText = 60;

std::string audit_line(const QuestionRecord& question, std::string_view what) {
  std::string line;
  json::Writer w(line);
  std::string time;
  append_timestamp(time, Timestamp(std::chrono::milliseconds(wall_ms())));
  w.begin_object().name("ts").string(time);
  w.name("what").string(what);
  w.name("question").string(question.key());
  if (!question.answered_by.empty()) w.name("by").string(question.answered_by);
  const std::string answer = shown_answer(question);
  if (!answer.empty()) w.name("answer").string(answer);
  w.end_object();
  return line;
}

// By the id of the question, or by what begins it; by the whole key, or by what begins that.
bool is_named(std::string_view key, std::string_view word, bool whole) {
  const auto fits = [&](std::string_view text) {
    return whole ? text == word : !word.empty() && text.starts_with(word);
  };
  const std::size_t slash = key.find('/');
  const bool names_run = word.find('/') != std::string_view::npos;
  return fits(key.substr(slash + 1)) || (names_run && fits(key));
}

}  // namespace

Error several_questions(std::string_view word, const std::vector<QuestionRecord>& questions) {
  constexpr std::size_t kMostNamed = 10;
  std::string message = fmt::format("several questions are named {}:", word);
  for (std::size_t i = 0; i < std::min(questions.size(), kMostNamed); ++i) {
    message += fmt::format("\n  {}  {}", questions[i].key(),
                           utf8::prefix(one_line(questions[i].text), kShownOfText));
  }
  if (questions.size() > kMostNamed)
    message += fmt::format("\n  and {} more", questions.size() - kMostNamed);
  return {ErrorCode::validation, std::move(message), "ambiguous"};
}

Result<std::optional<QuestionRecord>> Desk::get(std::string_view key) {
  DRAGOMAN_TRY(auto record, log_.get(kBucket, key));
  if (!record) return std::optional<QuestionRecord>();
  DRAGOMAN_TRY(auto question, question_in(*record));
  return std::optional<QuestionRecord>(std::move(question));
}

Result<LogWritten> Desk::put(const QuestionRecord& question, std::string_view what) {
  LogRecord record{question.key(), to_json(question), 0, std::string(name(question.state)),
                   question.asked_at};
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{std::string(kBucket), std::move(record), question.revision});
  writes.emplace_back(Append{"audit", {audit_line(question, what)}, {}});
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  return written.front();
}

Result<void> Desk::open(QuestionRecord question) {
  question.state = QuestionState::open;
  if (question.asked_at == 0) question.asked_at = wall_ms();
  DRAGOMAN_TRY(const auto known, get(question.key()));
  if (known && known->is_open()) return {};
  question.revision = known ? known->revision : 0;  // asked once more after it was settled
  DRAGOMAN_TRY(const auto written, put(question, "asked"));
  (void)written;  // refused: another process asked it at the same moment
  return {};
}

Result<QuestionRecord> Desk::find(std::string_view id) {
  DRAGOMAN_TRY(auto exact, get(id));
  if (exact) return *std::move(exact);
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = std::string(kBucket)}));
  for (const bool whole : {true, false}) {
    std::vector<QuestionRecord> open;
    std::vector<QuestionRecord> settled;  // newest first
    for (const LogRecord& record : records) {
      if (!is_named(record.key, id, whole)) continue;
      DRAGOMAN_TRY(auto question, question_in(record));
      (question.is_open() ? open : settled).push_back(std::move(question));
    }
    if (open.size() > 1) return several_questions(id, open);
    if (!open.empty()) return std::move(open.front());
    if (!settled.empty() && (whole || settled.size() == 1)) return std::move(settled.front());
  }
  return Error{ErrorCode::not_found, fmt::format("no question {}", id), "question"};
}

Result<std::vector<QuestionRecord>> Desk::open_questions() {
  DRAGOMAN_TRY(
      const auto records,
      log_.list({.bucket = std::string(kBucket), .states = {"open"}, .newest_first = false}));
  std::vector<QuestionRecord> questions;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto question, question_in(record));
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::vector<QuestionRecord>> Desk::open_questions(std::string_view task_id) {
  DRAGOMAN_TRY(auto all, open_questions());
  std::erase_if(all, [&](const QuestionRecord& question) { return question.task_id != task_id; });
  return all;
}

Result<Desk::Outcome> Desk::answer(const Reply& reply, std::string_view by) {
  for (;;) {
    DRAGOMAN_TRY(auto question, find(reply.id));
    if (!question.is_open()) return Outcome{false, std::move(question)};
    DRAGOMAN_TRY(question.answer, read_reply(question, reply));
    question.decision = decision_of(question, question.answer);
    question.state = QuestionState::answered;
    question.settled_at = wall_ms();
    question.answered_by = by;
    DRAGOMAN_CHECK(seal(question));
    const auto written = put(question, "answered");
    if (written && written->applied) return Outcome{true, std::move(question)};
    remove_sealed(question);
    if (!written) return written.error();
  }
}

Result<void> Desk::seal(QuestionRecord& question) {
  std::string kept = shown_text(question);
  const auto directory = log_.private_directory();
  if (kept == question.answer.text || directory.empty()) return {};
  const std::string file = "answer-" + random_hex(12);
  DRAGOMAN_CHECK(write_private_file(directory / file, question.answer.text));
  question.sealed = file;
  question.answer.text = std::move(kept);
  return {};
}

QuestionRecord Desk::unsealed(QuestionRecord question) {
  if (question.sealed.empty()) return question;
  auto text = read_private_file(log_.private_directory() / question.sealed);
  if (text) question.answer.text = *std::move(text);
  separate_text(question);  // a label that was chosen used to be sealed too
  return question;
}

void Desk::remove_sealed(const QuestionRecord& question) {
  if (!question.sealed.empty()) remove_private_file(log_.private_directory() / question.sealed);
}

Result<bool> Desk::settle(std::string_view key, QuestionState state) {
  for (;;) {
    DRAGOMAN_TRY(auto question, get(key));
    if (!question || !question->is_open()) return false;
    question->state = state;
    question->settled_at = wall_ms();
    DRAGOMAN_TRY(const auto written, put(*question, name(state)));
    if (written.applied) return true;
  }
}

Result<bool> Desk::withdraw(std::string_view key) { return settle(key, QuestionState::withdrawn); }
Result<bool> Desk::give_up(std::string_view key) { return settle(key, QuestionState::unanswered); }

Result<std::optional<QuestionRecord>> Desk::wait(std::string_view key,
                                                 std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    DRAGOMAN_TRY(auto question, get(key));
    if (question && !question->is_open()) return question;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::optional<QuestionRecord>();
    DRAGOMAN_TRY(const auto changed,
                 log_.follow_record(kBucket, key, question ? question->revision : 0, left));
    (void)changed;
  }
}

Result<void> Desk::forget(std::string_view key) {
  DRAGOMAN_TRY(auto question, get(key));
  if (!question) return {};
  std::string kept = shown_text(*question);
  if (kept == question->answer.text && question->sealed.empty()) return {};
  remove_sealed(*question);
  question->sealed.clear();
  question->answer.text = std::move(kept);
  DRAGOMAN_TRY(const auto written, put(*question, "delivered"));
  (void)written;
  return {};
}

Result<void> Desk::remove(std::string_view task_id) {
  DRAGOMAN_TRY(const auto records, log_.beginning_with(kBucket, std::string(task_id) + "/", 0));
  std::vector<LogWrite> writes;
  for (const LogRecord& record : records) {
    if (const auto question = question_in(record)) remove_sealed(*question);
    writes.emplace_back(Drop{std::string(kBucket), record.key, record.revision});
  }
  if (writes.empty()) return {};
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  (void)written;
  return {};
}

}  // namespace dragoman::ask
