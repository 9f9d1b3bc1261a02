// SPDX-License-Identifier: Apache-2.0
// The questions of one run on the desk, and the answers that come back.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/desk.hpp"

namespace dragoman::ask {

// Law: each asking is put on the desk once, and is there until it is settled; its answer is handed
// out once. A log that does not answer for a while loses nothing.
class Bridge {
 public:
  explicit Bridge(Log& log) : desk_(log) {}

  // A question that has grown replaces itself as long as it is not on the desk yet.
  void ask(QuestionRecord question);
  void withdraw(std::string_view key);  // the agent wants no answer any more
  void give_up();                       // no question of the run is answered any more
  // Puts on the desk what waits for it. The error: the log does not take it now.
  [[nodiscard]] Result<void> put();

  struct News {
    std::vector<QuestionRecord> answered;  // with the answers as they were given
    bool given_up = false;                 // one was settled without an answer
  };
  [[nodiscard]] Result<News> look();
  // What a person said here; the reply names the question by its key. Whoever was first: the
  // question as it stands.
  [[nodiscard]] Result<QuestionRecord> answer(const Reply& reply, std::string_view by);
  // The agent has the answer.
  void delivered(std::string_view key);

  [[nodiscard]] bool waits() const { return !waiting_.empty(); }

 private:
  Desk desk_;
  std::vector<QuestionRecord> asked_;       // not on the desk yet
  std::vector<std::string> waiting_;        // keys of those on the desk
  std::set<std::string, std::less<>> put_;  // keys of those that are or were there
};

}  // namespace dragoman::ask
