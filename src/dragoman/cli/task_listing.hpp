// SPDX-License-Identifier: Apache-2.0
// dragoman task list, dragoman task status
#pragma once

#include "dragoman/ask/question_record.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

// The exit code.
[[nodiscard]] Result<int> list_tasks(const Invocation& invocation, Console& console,
                                     task::Service& service);

// What `dragoman answer` takes for it: with its task where several ask the same.
[[nodiscard]] std::string answered_as(const ask::QuestionRecord& question,
                                      const std::vector<ask::QuestionRecord>& open);

// Whether the last lines of what runs are shown.
enum class LastLines { no, yes };
// `open`: the questions that wait for somebody; they are told where their tasks are.
void print_status(const task::Snapshot& snapshot, const std::vector<ask::QuestionRecord>& open,
                  LastLines lines, Console& console);

}  // namespace dragoman::cli
