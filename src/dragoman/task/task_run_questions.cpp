// SPDX-License-Identifier: Apache-2.0
// The questions of a task: `run` asks them on its stdout, keeps the agent waiting and carries the
// answer back as that agent expects it. Here they are put where people find them, and their answers
// are handed over.
#include <algorithm>

#include "dragoman/agent/table.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

namespace {

std::string answer_line(const ask::QuestionRecord& question) {
  std::string line;
  json::Writer w(line);
  w.begin_object().name("type").string("answer").name("id").string(question.id);
  if (question.chosen.empty()) {
    w.name("text").string(question.answer);
  } else {
    w.name("options").begin_array();
    for (const std::int64_t number : question.chosen) w.integer(number);
    w.end_array();
  }
  w.end_object();
  return line + "\n";
}

}  // namespace

bool TaskRun::can_be_answered() const {
  const agent::AgentRow* const agent = agent::find_agent(task_.agent);
  return agent != nullptr && agent->can_be_answered();
}

std::string prompt_line(std::string_view text) {
  std::string line;
  json::Writer w(line);
  w.begin_object().name("type").string("prompt").name("text").string(text).end_object();
  return line + "\n";
}

void TaskRun::see_question(const Question& question) {
  if (!can_be_answered()) return;
  const ask::QuestionRecord kept = ask::keep_question(task_.id, question);
  const std::string key = kept.key();
  std::erase_if(asked_, [&](const auto& known) { return known.key() == key; });
  if (question.state == QuestionState::open) {
    if (put_.contains(key)) return;  // printed with pauses it comes again each time it has grown
    asked_.push_back(kept);
    put_questions();
    return;
  }
  if (question.state == QuestionState::unanswered) put_.erase(key);  // it may be open once more
  // The agent has its answer, or wants none any more.
  if (std::erase(waiting_, key) == 0) return;
  const auto settled =
      question.state == QuestionState::unanswered ? desk_.give_up(key) : desk_.withdraw(key);
  (void)settled;  // at the end of the task what is left is settled once more
}

// Each once: one that was answered meanwhile would be open again.
void TaskRun::put_questions() {
  if (over_) return;
  for (; !asked_.empty(); asked_.erase(asked_.begin())) {
    if (!desk_.open(asked_.front())) return try_again([this] { put_questions(); });
    if (waiting_.empty()) waiting_since_ = std::chrono::steady_clock::now();
    waiting_.push_back(asked_.front().key());
    put_.insert(waiting_.back());
  }
}

void TaskRun::look_for_answers() {
  if (running_ == nullptr) return;
  bool given_up = std::chrono::steady_clock::now() - waiting_since_ > options_.answer_within;
  const std::vector<std::string> keys = waiting_;
  for (const std::string& key : keys) {
    const auto settled = desk_.wait(key, std::chrono::milliseconds(0));
    if (!settled || !*settled) continue;
    if ((*settled)->state != "answered") {
      given_up = true;
      continue;
    }
    std::erase(waiting_, key);
    running_->write(answer_line(desk_.unsealed(**settled)));
    (void)desk_.forget(key);
  }
  if (!given_up) return;
  give_up_on_questions();
  running_->close_input();  // the run ends without them
}

void TaskRun::give_up_on_questions() {
  asked_.clear();
  for (const auto& key : std::exchange(waiting_, {})) (void)desk_.give_up(key);
}

}  // namespace dragoman::task
