// SPDX-License-Identifier: Apache-2.0
// The list of tasks, page by page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

struct TaskPage {
  std::vector<Task> tasks;
  std::string next;  // the mark of the next page; empty: this is the last
};

// Newest first. `mark` is what `next` of the page before said; empty: the first page. Tasks that
// come or go meanwhile neither repeat nor hide others. A mark that is none: VALIDATION bad_mark.
[[nodiscard]] Result<TaskPage> list_page(Log& log, std::vector<std::string> states,
                                         std::string_view mark, std::size_t limit);

}  // namespace dragoman::task
