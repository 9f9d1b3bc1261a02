// SPDX-License-Identifier: Apache-2.0
// The pieces that the Markdown of every answer is made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/question_record.hpp"

namespace dragoman::mcp {

// Somebody else's words within a line of ours: no line end, nothing hidden, at most `most` code
// points. They follow words of ours, so they cannot begin a block.
[[nodiscard]] std::string inline_words(std::string_view text, std::size_t most = 300);

// The same where they begin a list item or stand in a table.
[[nodiscard]] std::string escaped_words(std::string_view text, std::size_t most = 300);

// "Task ID: `T-…`" and a line end.
void put_task_line(std::string& out, std::string_view task_id);

// "Next: TOOL {"task_id":"…"}" and a line end; `more` are further members as JSON.
void put_next(std::string& out, std::string_view tool, std::string_view task_id,
              std::string_view more = {});

// A numbered list of what is asked and how to answer it.
void put_question_list(std::string& out, const std::vector<ask::QuestionRecord>& questions);

}  // namespace dragoman::mcp
