// SPDX-License-Identifier: Apache-2.0
// Questions as records of the log, also those that are settled.
#pragma once

#include <string_view>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::web {

inline constexpr std::string_view kQuestions = "questions";  // the bucket

// Newest first, of the last ones asked.
[[nodiscard]] Result<std::vector<ask::QuestionRecord>> recent_questions(Log& log);
// Oldest first.
[[nodiscard]] Result<std::vector<ask::QuestionRecord>> questions_of(Log& log,
                                                                    std::string_view task_id);

}  // namespace dragoman::web
