// SPDX-License-Identifier: Apache-2.0
// Questions that an agent asks in its own words, by a comment or a marker, in a stream of JSON
// lines. No line of the stream says what became of them: the user's next message is the answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/line_events.hpp"
#include "dragoman/dialect/question_ids.hpp"

namespace dragoman {

// What a message in the user's name answers with: its first 4 KiB. Empty when it is blank, or a
// note that the agent's program puts into the user's mouth.
[[nodiscard]] std::string_view answer_in(std::string_view words);

// Keeps the last 256 that wait, the first 4 KiB of each text.
class SpokenQuestions final : public EventSink {
 public:
  // Gives on to `out` what the agent says, and remembers what it asks.
  [[nodiscard]] EventSink& on_the_way_to(EventSink& out) {
    out_ = &out;
    return *this;
  }
  void on_event(const Event& event) override;
  void on_record(const Record& record) override { out_->on_record(record); }
  void on_carried_text(std::string_view text) override { out_->on_carried_text(text); }

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  // The user's next message has come: it answers all that waits.
  void answer_in_words(std::string_view answer, LineEvents& events);

 private:
  struct Waiting {
    std::string id;
    QuestionKind kind;
    QuestionSource source;
    std::string header;
    std::string text;
    Origin at;
  };
  void remember(Waiting asked);

  EventSink* out_ = nullptr;
  std::vector<Waiting> waiting_;
  QuestionIds block_ids_;
};

}  // namespace dragoman
