// SPDX-License-Identifier: Apache-2.0
// What a surface shows: a question, or how a run is doing. Pure values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::surface {

enum class Topic : std::uint8_t { question, blocked, failure, completion, progress };
[[nodiscard]] std::string_view name(Topic topic);

// What a form asks for: an answer, or the reason of a denial.
enum class Words : std::uint8_t { answer, reason };

// All texts are an agent's words: each surface makes them harmless for itself.
struct Message {
  // How people and programs name it everywhere: a letter and hex digits. It is visible in the
  // message, so that it is found again when the answer to our posting was lost.
  std::string ref;
  Topic topic = Topic::question;
  std::string task_id;
  std::string title;
  std::string text;
  KeptQuestion asked;      // where it is one; `text` has the command in it already
  bool open = true;        // it can still be answered, or will still change
  bool answered = false;   // when it is settled: by an answer
  bool denied = false;     // a permission: by one that denies it
  std::string outcome;     // when it is settled: "answered by alice via ops: Cookie"
  std::int64_t since = 0;  // milliseconds since 1970; no posting of it is older

  // A permission that may be denied with a reason.
  [[nodiscard]] bool takes_reason() const { return asked.free_text && asked.permission(); }
  [[nodiscard]] bool asks() const {
    return open && (topic == Topic::question || topic == Topic::blocked || topic == Topic::failure);
  }
  friend bool operator==(const Message&, const Message&) = default;
};

// Of one asking: the same words asked again later are another message.
[[nodiscard]] std::string question_ref(const ask::QuestionRecord& question);
[[nodiscard]] std::string task_ref(std::string_view task_id);

[[nodiscard]] Message message_of(const ask::QuestionRecord& question);
[[nodiscard]] Message message_of(const task::Task& task);

// "answered by alice via ops: Cookie", "denied by alice via ops: use npm instead", "withdrawn"; of
// a secret question without the answer.
[[nodiscard]] std::string outcome_of(const ask::QuestionRecord& question);

// What the message says, in short: two with the same digest look the same.
[[nodiscard]] std::string digest(const Message& message);

// At most `most` characters, with a note about what is missing. Hidden characters are shown.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);
// The same on one line.
[[nodiscard]] std::string one_line_of(std::string_view text, std::size_t most);

}  // namespace dragoman::surface
