// SPDX-License-Identifier: Apache-2.0
// The list of what an agent has to do, where a status brings it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/event.hpp"

namespace dragoman::show {

struct Todo {
  std::string text;  // on one line, as the agent wrote it
  bool done = false;
};

struct TodoList {
  std::vector<Todo> items;
  std::size_t left_out = 0;  // beyond the first 100
};

[[nodiscard]] TodoList todo_list(const Event& event);

[[nodiscard]] inline std::string_view sign_of(const Todo& item) { return item.done ? "☑" : "☐"; }

}  // namespace dragoman::show
