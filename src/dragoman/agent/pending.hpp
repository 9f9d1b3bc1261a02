// SPDX-License-Identifier: Apache-2.0
// The questions of a run that wait for an answer.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dragoman/agent/asked_ids.hpp"
#include "dragoman/agent/question.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman::agent {

class PendingQuestions {
 public:
  // What finds no place any more is not asked.
  static constexpr std::size_t kMost = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

  // The id of the asking that a reader's event is about. Valid until the next call.
  [[nodiscard]] std::string_view id_of(const Question& question) { return asked_.of(question); }
  // Questions are added, completed and settled by what the agent says. A [BLOCKED] becomes a
  // question for free text.
  void see(const Event& event);

  [[nodiscard]] const std::vector<Asked>& all() const { return open_; }
  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] const Asked* find(std::string_view id) const;
  // The first that the agent waits for in its conversation, and the first of all.
  [[nodiscard]] const Asked* first_in_conversation() const;
  [[nodiscard]] const Asked* first() const { return open_.empty() ? nullptr : &open_.front(); }
  [[nodiscard]] bool waits_for(std::string_view request_id) const;

  void add(Asked asked);
  void know(std::string_view id) { asked_.settle(id); }  // asked and settled before
  void conversation_is_over();  // the program has ended: answers can only come with its next start
  std::optional<Asked> take(std::string_view id);

 private:
  void see_block(const Blocked& blocked, const Origin& origin);

  std::vector<Asked> open_;
  std::size_t bytes_ = 0;  // of what they keep
  AskedIds asked_;
  QuestionIds block_ids_;
  struct Block {
    std::string id;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  std::optional<Block> last_block_;
};

}  // namespace dragoman::agent
