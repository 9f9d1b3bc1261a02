// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/bridge.hpp"

#include <algorithm>
#include <utility>

namespace dragoman::ask {

void Bridge::ask(QuestionRecord question) {
  const std::string key = question.key();
  if (put_.contains(key)) return;
  std::erase_if(asked_, [&](const QuestionRecord& known) { return known.key() == key; });
  asked_.push_back(std::move(question));
}

Result<void> Bridge::put() {
  for (; !asked_.empty(); asked_.erase(asked_.begin())) {
    DRAGOMAN_CHECK(desk_.open(asked_.front()));
    waiting_.push_back(asked_.front().key());
    put_.insert(waiting_.back());
  }
  return {};
}

void Bridge::withdraw(std::string_view key) {
  std::erase_if(asked_, [&](const QuestionRecord& known) { return known.key() == key; });
  if (std::erase(waiting_, key) == 0) return;
  (void)desk_.withdraw(key);  // at the end of the run what is left is settled once more
}

void Bridge::give_up() {
  asked_.clear();
  for (const auto& key : std::exchange(waiting_, {})) (void)desk_.give_up(key);
}

Result<Bridge::News> Bridge::look() {
  News news;
  const std::vector<std::string> keys = waiting_;
  for (const std::string& key : keys) {
    DRAGOMAN_TRY(const auto settled, desk_.wait(key, std::chrono::milliseconds(0)));
    if (!settled) continue;
    std::erase(waiting_, key);
    if (settled->state == QuestionState::answered) {
      news.answered.push_back(desk_.unsealed(*settled));
    } else {
      news.given_up = true;
    }
  }
  return news;
}

Result<QuestionRecord> Bridge::answer(const Reply& reply, std::string_view by) {
  DRAGOMAN_TRY(auto outcome, desk_.answer(reply, by));
  std::erase(waiting_, reply.id);
  return desk_.unsealed(std::move(outcome.question));
}

void Bridge::delivered(std::string_view key) { (void)desk_.forget(key); }

}  // namespace dragoman::ask
