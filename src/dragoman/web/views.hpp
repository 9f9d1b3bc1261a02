// SPDX-License-Identifier: Apache-2.0
// Runs and questions as the API shows them. docs/serve.md and openapi.json describe the shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::web {

// The open questions of each task.
using OpenQuestions = std::map<std::string, std::vector<ask::QuestionRecord>, std::less<>>;
[[nodiscard]] OpenQuestions by_task(std::vector<ask::QuestionRecord> questions);

// What is in a task's metadata or, while it runs, nowhere yet.
struct Tokens {
  std::int64_t input = 0;
  std::int64_t cached = 0;
  std::int64_t output = 0;
  friend bool operator==(const Tokens&, const Tokens&) = default;
};
[[nodiscard]] std::optional<Tokens> tokens_of(const task::Task& task);

// "waiting" while a question of it is open, otherwise the task's own.
[[nodiscard]] std::string_view shown_state(const task::Task& task, std::size_t open_questions);

struct RunView {
  const task::Task& task;
  const std::vector<ask::QuestionRecord>* open = nullptr;
  std::optional<double> cost_usd = {};
};
// The members of a Run, without braces around them.
void put_run_members(json::Writer& w, const RunView& run);
void put_run(json::Writer& w, const RunView& run);

// What is not known is null in the API, never an empty text.
void put_text_or_null(json::Writer& w, std::string_view text);

void put_question_view(json::Writer& w, const ask::QuestionRecord& question);

// {"error":{"code":…,"message":…,"details":…}}; `details` is JSON or empty.
[[nodiscard]] std::string error_body(std::string_view code, std::string_view message,
                                     std::string_view details = {});

}  // namespace dragoman::web
